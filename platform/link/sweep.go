package link

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// keepEnded is for how long a link is kept after it has expired, so that its maker sees what became of it.
	keepEnded = 90 * 24 * time.Hour
	// sweepEvery is how often such links are looked for, sweepBatch how many are deleted in one transaction.
	sweepEvery = 24 * time.Hour
	sweepBatch = 1000
)

// sweepArgs are the arguments of the job that deletes links which have expired long ago.
type sweepArgs struct{}

// Kind implements jobs.Args.
func (sweepArgs) Kind() string { return "link.sweep" }

// Schedule has the queue delete links that have expired long ago. It is called before the queue starts.
func (s *Service) Schedule(q *jobs.Queue) error {
	return jobs.AddSweep(q, "link", sweepEvery, sweepArgs{}, s.Sweep)
}

// Sweep deletes links that have expired 90 days ago, a batch at most, and returns how many.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		removed, err = s.rows.sweep(ctx, s.clock.Now().Add(-keepEnded), sweepBatch)

		return err
	})

	return removed, err
}

// sweep deletes links of all companies that have expired before a time, most at most.
func (r repository) sweep(ctx context.Context, before time.Time, most int) (int, error) {
	tx := r.db.Raw(ctx, "old links of all companies go; keys have the company").Exec(`DELETE FROM link_links WHERE (company_id, id) IN
		(SELECT company_id, id FROM link_links WHERE expires_at < ? LIMIT ?)`, before, most)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}
