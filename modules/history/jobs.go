package history

import (
	"context"
	"time"
)

// purgeEvery is how often deleted entries are looked for.
const purgeEvery = time.Hour

// purge is the job that removes for good what was deleted longer ago than the retention.
type purge struct{}

// Kind implements jobs.Args.
func (purge) Kind() string { return "history.purge" }

// purgeDeleted does the job, for all companies.
func (s *service) purgeDeleted(ctx context.Context, _ purge) error {
	return s.repository.purge(ctx, s.clock.Now().Add(-s.settings.Retention))
}
