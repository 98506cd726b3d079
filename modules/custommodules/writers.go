package custommodules

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// writersPause is how long awaitWriters waits before it looks again.
const writersPause = 20 * time.Millisecond

// awaitWriters waits until the transactions have ended that are writing records at present. Later ones
// go by definitions as they are now; these may have begun with an older one, and what they write cannot
// be seen before. On SQLite, where one transaction writes at a time, there are none.
func (s *service) awaitWriters(ctx context.Context) error {
	if s.db.Dialect() == database.SQLite {
		return nil
	}
	then, err := s.repo.writers(ctx, nil)
	for err == nil && len(then) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(writersPause):
			then, err = s.repo.writers(ctx, then)
		}
	}

	return err
}

// writers returns the transactions that write records, as pg_locks names them: among some, or with nil
// of all. A statement has its lock before it looks at any row.
func (r *repository) writers(ctx context.Context, among []string) ([]string, error) {
	condition, args := "", []any{}
	if among != nil {
		condition, args = " AND virtualtransaction IN ?", append(args, among)
	}
	var all []string
	err := r.db.Raw(ctx, "locks of the table belong to no company").Raw(`SELECT DISTINCT virtualtransaction FROM pg_locks
		WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND relation = 'custom_modules_records'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()`+
		condition, args...).Scan(&all).Error

	return all, database.Translate(err)
}

// forgetField is the job that removes what was written of a field while it was being deleted.
type forgetField struct {
	Field uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (forgetField) Kind() string { return "custom_modules.forget_field" }

// forget does such a job.
func (s *service) forget(ctx context.Context, job forgetField) error {
	if err := s.awaitWriters(ctx); err != nil {
		return fmt.Errorf("what is left of field %s: %w", job.Field, err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		deleted, err := s.repo.isDeleted(ctx, job.Field)
		if err != nil || !deleted { // it was restored
			return err
		}

		return s.repo.forgetField(ctx, job.Field)
	})
}
