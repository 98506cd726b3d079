package contacts

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// expireEvery is how often merges that can no longer be undone are looked for.
const expireEvery = 24 * time.Hour

// expireMerges is the job that removes the values that merges have kept, once they can no longer be undone.
type expireMerges struct{}

// Kind implements jobs.Args.
func (expireMerges) Kind() string { return "contacts.expire_merges" }

// mergeExpiry forgets merges that can no longer be taken back.
type mergeExpiry struct {
	rows   *repository
	clock  clock.Clock
	within time.Duration
}

func newMergeExpiry(s settings, rows *repository, c clock.Clock) *mergeExpiry {
	return &mergeExpiry{rows: rows, clock: c, within: s.UnmergeWithin}
}

func (m *mergeExpiry) expire(ctx context.Context, _ expireMerges) error {
	return m.rows.expireMerges(ctx, m.clock.Now().Add(-m.within))
}
