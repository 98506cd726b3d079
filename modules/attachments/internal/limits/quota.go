package limits

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
)

// Quota bounds what the files of a company take.
type Quota struct {
	settings   settings.Settings
	repository *store.Repository
	clock      clock.Clock
}

// NewQuota returns the quota of a deployment.
func NewQuota(s settings.Settings, r *store.Repository, c clock.Clock) *Quota {
	return &Quota{settings: s, repository: r, clock: c}
}

// Add adds to what the company's files take, and refuses what is more than they may.
func (q *Quota) Add(ctx context.Context, bytes, files int64) error {
	own, err := q.repository.Limits(ctx)
	if err != nil {
		return err
	}
	limit := own.MaxTotal(q.settings)
	fits, err := q.repository.AddUsage(ctx, bytes, files, limit, q.clock.Now())
	if err != nil || fits {
		return err
	}
	used, err := q.repository.Usage(ctx)
	if err != nil {
		return err
	}

	return overQuota(used.Bytes, limit)
}

// Apply gives an upload the limits of the company.
func (q *Quota) Apply(ctx context.Context, in receiving.Incoming) (receiving.Incoming, error) {
	own, err := q.repository.Limits(ctx)
	in.Limits = own

	return in, err
}

// CheckRoom refuses more bytes than the company, whose limits are own, has room for.
func (q *Quota) CheckRoom(ctx context.Context, own store.CompanyLimits, bytes int64) error {
	limit := own.MaxTotal(q.settings)
	if limit == 0 {
		return nil
	}
	used, err := q.repository.Usage(ctx)
	if err == nil && used.Bytes+bytes > limit {
		err = overQuota(used.Bytes, limit)
	}

	return err
}

func overQuota(used, limit int64) error {
	return store.ErrQuota.WithMessage("The files of the company may take %s, and take %d bytes. Delete some, or ask for more room.", config.Size(limit), used).
		WithDetail("used", used).WithDetail("limit", limit)
}
