package attachments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	purgeEvery = time.Hour
	// purgeBatch is how many attachments are looked for at a time.
	purgeBatch = 200
	// workTime is how long a job of the area may run. What is left then is for the next time.
	workTime = 9 * time.Minute
)

// purgeJob is the job that deletes what has expired, and removes for good what was deleted longer ago than
// the retention.
type purgeJob struct{}

// Kind implements jobs.Args.
func (purgeJob) Kind() string { return "attachments.purge" }

// purgeDeleted does the job, for all companies.
func (s *service) purgeDeleted(ctx context.Context, _ purgeJob) error {
	if err := s.expire(ctx); err != nil {
		return err
	}
	before := s.clock.Now().Add(-s.settings.Retention)
	for {
		keys, err := s.repository.DeletedBefore(ctx, before, purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := s.purgeOne(principal.AsCompany(ctx, k.CompanyID), k.ID, before); err != nil {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
		}
	}
}

// expire deletes what has expired. What is held waits until it is released.
func (s *service) expire(ctx context.Context) error {
	var after database.Place
	for {
		keys, err := s.repository.ExpiredBefore(ctx, s.clock.Now(), after, purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			err := s.remove(principal.AsCompany(ctx, k.CompanyID), k.ID, web.IfMatch{}, "expired")
			if err != nil && errs.KindOf(err) != errs.Conflict && !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
			after = k
		}
	}
}

// purgeOne removes the rows of an attachment, and has its content removed once they are gone.
func (s *service) purgeOne(ctx context.Context, id uuid.UUID, before time.Time) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.repository.Lock(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.DeletedAt == nil || !row.DeletedAt.Before(before) {
			return err
		}
		versions, err := s.repository.Versions(ctx, id)
		if err != nil {
			return err
		}
		bytes, blobs := int64(0), make([]string, len(versions))
		for i, v := range versions {
			bytes += v.Size
			blobs[i] = v.BlobName
		}
		small, err := s.repository.Thumbnails(ctx, id)
		if err != nil {
			return err
		}
		for _, t := range small {
			blobs = append(blobs, t.BlobName)
		}
		if err := s.repository.Delete(ctx, id); err != nil {
			return err
		}
		if _, err := s.repository.AddUsage(ctx, -bytes, -int64(len(versions)), 0, s.clock.Now()); err != nil {
			return err
		}
		if err := s.bus.Publish(ctx, attachmentsapi.Purged{Attachment: id.String()}); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, removeContentJob{Blobs: blobs}, jobs.Background())
	})
}

// removeContentJob is the job that removes content whose rows are gone. It may run twice.
type removeContentJob struct {
	Blobs []string `json:"blobs"`
}

// Kind implements jobs.Args.
func (removeContentJob) Kind() string { return "attachments.drop" }

// dropBlobs does the job, as the company whose content it is.
func (s *service) dropBlobs(ctx context.Context, args removeContentJob) error {
	for _, name := range args.Blobs {
		if err := s.storage.Blobs.Delete(ctx, name); err != nil {
			return err
		}
	}

	return nil
}
