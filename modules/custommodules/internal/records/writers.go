package records

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// writersPause is how long AwaitWriters waits before it looks again.
const writersPause = 20 * time.Millisecond

// AwaitWriters waits until the transactions have ended that are writing records at present. Later ones
// go by definitions as they are now; these may have begun with an older one, and what they write cannot
// be seen before. On SQLite, where one transaction writes at a time, there are none.
func (s *Service) AwaitWriters(ctx context.Context) error {
	if s.db.Dialect() == database.SQLite {
		return nil
	}
	then, err := s.repo.Writers(ctx, nil)
	for err == nil && len(then) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(writersPause):
			then, err = s.repo.Writers(ctx, then)
		}
	}

	return err
}

// ForgetField is the job that removes what was written of a field while it was being deleted.
type ForgetField struct {
	Field uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (ForgetField) Kind() string { return "custom_modules.forget_field" }

// Forget does such a job.
func (s *Service) Forget(ctx context.Context, job ForgetField) error {
	if err := s.AwaitWriters(ctx); err != nil {
		return fmt.Errorf("remaining values of field %s: %w", job.Field, err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		deleted, err := s.repo.IsDeleted(ctx, job.Field)
		if err != nil || !deleted { // it was restored
			return err
		}

		return s.repo.ForgetField(ctx, job.Field)
	})
}
