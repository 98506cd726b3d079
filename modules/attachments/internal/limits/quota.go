package limits

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/limit"
)

// Quota bounds what the files of a company take.
type Quota struct {
	settings   settings.Settings
	repository *store.Repository
	hooks      *hook.Bus
	clock      clock.Clock
}

// NewQuota returns the quota of a deployment.
func NewQuota(s settings.Settings, r *store.Repository, hooks *hook.Bus, c clock.Clock) *Quota {
	return &Quota{settings: s, repository: r, hooks: hooks, clock: c}
}

// Add adds to what the company's files take, and refuses what is more than they may, or than its plan allows. Errors:
// attachments.quota_exceeded, billing.limit_reached.
func (q *Quota) Add(ctx context.Context, bytes, files int64) error {
	own, err := q.repository.Limits(ctx)
	if err != nil {
		return err
	}
	most := own.MaxTotal(q.settings)
	fits, err := q.repository.AddUsage(ctx, bytes, files, most, q.clock.Now())
	if err != nil {
		return err
	}
	used, err := q.repository.Usage(ctx)
	if err != nil {
		return err
	}
	if !fits {
		return overQuota(used.Bytes, most)
	}

	return limit.Check(ctx, q.hooks, limit.Checking{Limit: "storage", Used: used.Bytes - bytes, Adding: bytes})
}

// Apply gives an upload the limits of the company.
func (q *Quota) Apply(ctx context.Context, in receiving.Incoming) (receiving.Incoming, error) {
	own, err := q.repository.Limits(ctx)
	in.Limits = own

	return in, err
}

// LargestFile is how many bytes a file of the company may have.
func (q *Quota) LargestFile(ctx context.Context) (int64, error) {
	own, err := q.repository.Limits(ctx)

	return q.settings.MaxSizeWithin(own.MaxSize), err
}

// CheckRoom refuses more bytes than the company, whose limits are own, has room for.
func (q *Quota) CheckRoom(ctx context.Context, own store.CompanyLimits, bytes int64) error {
	most := own.MaxTotal(q.settings)
	if most == 0 {
		return nil
	}
	used, err := q.repository.Usage(ctx)
	if err == nil && used.Bytes+bytes > most {
		err = overQuota(used.Bytes, most)
	}

	return err
}

// CheckVersions refuses one more version of a file that has as many as it may.
func (q *Quota) CheckVersions(versions int64) error {
	if most := q.settings.MaxVersions; versions >= int64(most) {
		return store.ErrVersions.WithMessage("The attachment has %d versions, and %d are allowed. Add a new attachment instead.", versions, most)
	}

	return nil
}

func overQuota(used, most int64) error {
	return store.ErrQuota.WithMessage("The company's files may take up %s; they take up %d bytes. Delete some, or ask for more storage.", config.Size(most), used).
		WithDetail("used", used).WithDetail("limit", most)
}
