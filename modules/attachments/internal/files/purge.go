package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// PurgeEvery is how often files are purged.
	PurgeEvery = time.Hour
	// purgeBatch is how many attachments are looked for at a time.
	purgeBatch = 200
)

// PurgeJob is the job that deletes what has expired, and removes for good what was deleted longer ago than the retention.
type PurgeJob struct{}

// Kind implements jobs.Args.
func (PurgeJob) Kind() string { return "attachments.purge" }

// Purger deletes files that have expired, and removes deleted files for good.
type Purger struct {
	repository *store.Repository
	keeper     *Keeper
	journal    *Journal
	clock      clock.Clock
	retention  time.Duration
}

// NewPurger returns the purger of a repository.
func NewPurger(s settings.Settings, r *store.Repository, k *Keeper, j *Journal, c clock.Clock) *Purger {
	return &Purger{repository: r, keeper: k, journal: j, clock: c, retention: s.Retention}
}

// Purge does the job, for all companies.
func (p *Purger) Purge(ctx context.Context, _ PurgeJob) error {
	if err := p.expire(ctx); err != nil {
		return err
	}
	before := p.clock.Now().Add(-p.retention)
	for {
		keys, err := p.repository.DeletedBefore(ctx, before, purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := p.purgeOne(principal.AsCompany(ctx, k.CompanyID), k.ID, before); err != nil {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
		}
	}
}

// expire deletes what has expired. What is held waits until it is released.
func (p *Purger) expire(ctx context.Context) error {
	var after database.Place
	for {
		keys, err := p.repository.ExpiredBefore(ctx, p.clock.Now(), after, purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			err := p.keeper.Remove(principal.AsCompany(ctx, k.CompanyID), k.ID, web.IfMatch{}, "expired")
			if err != nil && errs.KindOf(err) != errs.Conflict && !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
			after = k
		}
	}
}

// purgeOne removes the rows of an attachment, and has its content removed once they are gone.
func (p *Purger) purgeOne(ctx context.Context, id uuid.UUID, before time.Time) error {
	return p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := p.repository.Lock(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.DeletedAt == nil || !row.DeletedAt.Before(before) {
			return err
		}
		versions, err := p.repository.Versions(ctx, id)
		if err != nil {
			return err
		}
		bytes, blobs := int64(0), make([]string, len(versions))
		for i, v := range versions {
			bytes += v.Size
			blobs[i] = v.BlobName
		}
		small, err := p.repository.Thumbnails(ctx, id)
		if err != nil {
			return err
		}
		for _, t := range small {
			blobs = append(blobs, t.BlobName)
		}
		if err := p.repository.Delete(ctx, id); err != nil {
			return err
		}
		if _, err := p.repository.AddUsage(ctx, -bytes, -int64(len(versions)), 0, p.clock.Now()); err != nil {
			return err
		}

		return p.journal.Purged(ctx, id, blobs)
	})
}
