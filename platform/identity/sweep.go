package identity

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// keepEnded is for how long a token is kept after it has expired or was revoked, so that people see what
	// became of it.
	keepEnded = 90 * 24 * time.Hour
	// sweepEvery is how often such tokens are looked for, sweepBatch how many are deleted in one transaction.
	sweepEvery = 24 * time.Hour
	sweepBatch = 1000
)

// sweepArgs are the arguments of the job that deletes tokens which have ended long ago.
type sweepArgs struct{}

// Kind implements jobs.Args.
func (sweepArgs) Kind() string { return "identity.sweep" }

// Schedule has the queue delete tokens that have ended long ago. It is called before the queue starts.
func (s *Service) Schedule(q *jobs.Queue) error {
	return jobs.AddSweep(q, "identity", sweepEvery, sweepArgs{}, s.Sweep)
}

// Sweep deletes tokens that expired or were revoked 90 days ago, a batch of each kind at most, and returns
// how many.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		removed, err = s.rows.sweep(ctx, s.clock.Now().Add(-keepEnded), sweepBatch)

		return err
	})

	return removed, err
}

// sweep deletes tokens of all companies and of the operator that ended before a time.
func (r repository) sweep(ctx context.Context, before time.Time, most int) (int, error) {
	const ended = " WHERE expires_at < ? OR revoked_at < ? LIMIT ?)"
	removed := 0
	for _, statement := range []string{
		"DELETE FROM identity_tokens WHERE (company_id, id) IN (SELECT company_id, id FROM identity_tokens" + ended,
		"DELETE FROM identity_operator_tokens WHERE id IN (SELECT id FROM identity_operator_tokens" + ended,
	} {
		tx := r.db.Raw(ctx, "old tokens of all companies go; keys have the company").Exec(statement, before, before, most)
		if tx.Error != nil {
			return 0, database.Translate(tx.Error)
		}
		removed += int(tx.RowsAffected)
	}

	return removed, nil
}
