package contacts

import (
	"context"
	"time"
)

// expireEvery is how often merges that can no longer be undone are looked for.
const expireEvery = 24 * time.Hour

// expireMerges is the job that removes the values that merges have kept, once they can no longer be undone.
type expireMerges struct{}

// Kind implements jobs.Args.
func (expireMerges) Kind() string { return "contacts.expire_merges" }

func (m *merger) expire(ctx context.Context, _ expireMerges) error {
	return m.rows.expireMerges(ctx, m.clock.Now().Add(-m.settings.UnmergeWithin))
}
