package secret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// reencryptEvery is how often values under former keys are looked for, beside after a rotation.
	reencryptEvery = 24 * time.Hour
	// reencryptBatch is how many values are sealed again in a transaction, and reencryptBatches how many
	// of those a job does before it makes room for others.
	reencryptBatch   = 100
	reencryptBatches = 100
)

// reencryptArgs are the arguments of the job that seals values again.
type reencryptArgs struct{}

// Kind implements jobs.Args.
func (reencryptArgs) Kind() string { return "secret.reencrypt" }

// Reencryption encrypts values under the key in use that are under former ones.
type Reencryption struct {
	keys *Keys
	rows repository
	log  *slog.Logger
}

// NewReencryption returns what encrypts the values in a database again; it does no I/O.
func NewReencryption(keys *Keys, db *database.DB, log *slog.Logger) *Reencryption {
	return &Reencryption{keys: keys, rows: repository{db: db}, log: log}
}

// Schedule has the queue encrypt values again, after each rotation and once a day. It is called before the service starts.
func (r *Reencryption) Schedule(q *jobs.Queue) error {
	return errors.Join(jobs.Add(q, "secret", r.reencrypt), jobs.AddEvery(q, reencryptEvery, reencryptArgs{}))
}

// reencrypt is the job.
func (r *Reencryption) reencrypt(ctx context.Context, _ reencryptArgs) error {
	more, err := r.Run(ctx, reencryptBatches)
	if err == nil && more {
		return jobs.Later(time.Second)
	}

	return err
}

// Run seals values again that are under another key than the one in use, in up to so many
// batches, and reports whether there may be more. Each batch is a transaction: what is interrupted goes
// on with what is left. A value that changes meanwhile is left as it is. One that cannot be read stays
// too, is logged, and keeps its key from being retired.
func (r *Reencryption) Run(ctx context.Context, batches int) (more bool, err error) {
	columns, err := r.rows.columns(ctx)
	if err != nil {
		return false, fmt.Errorf("reading the sealed columns: %w", err)
	}
	for _, c := range columns {
		after := valueRow{}
		for {
			if batches == 0 {
				return true, nil
			}
			batches--
			var done bool
			if after, done, err = r.batch(ctx, c, after); err != nil {
				return false, fmt.Errorf("sealing %s.%s again: %w", c.table, c.name, err)
			}
			if done {
				break
			}
		}
	}

	return false, nil
}

// batch seals some values again, and returns the last row that it looked at, and whether that was all.
func (r *Reencryption) batch(ctx context.Context, c column, after valueRow) (last valueRow, done bool, err error) {
	var unreadable []uuid.UUID
	err = r.rows.db.InTx(ctx, func(ctx context.Context) error {
		unreadable = nil
		current, err := r.keys.forWriting(ctx)
		if err != nil {
			return err
		}
		values, err := r.rows.outdated(ctx, c, keyHeader(current.primary), after, reencryptBatch)
		if err != nil {
			return err
		}
		last, done = after, len(values) < reencryptBatch
		for _, value := range values {
			last = value
			at := Place{Table: c.table, Column: c.name, Company: value.CompanyID, ID: value.ID}
			plain, err := r.keys.Open(ctx, at, value.Sealed)
			if errors.Is(err, ErrUnreadable) {
				unreadable = append(unreadable, value.ID)

				continue
			}
			if err != nil {
				return err
			}
			sealed, err := r.keys.Seal(ctx, at, plain)
			if err != nil {
				return err
			}
			if err := r.rows.replace(ctx, c, value, sealed); err != nil {
				return err
			}
		}

		return nil
	})
	for _, id := range unreadable {
		r.log.ErrorContext(ctx, "sealed value cannot be read", slog.String("table", c.table), slog.String("column", c.name),
			slog.String("row", id.String()))
	}

	return last, done, err
}
