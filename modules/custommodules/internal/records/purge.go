package records

import (
	"context"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
)

// purgeBatch is how many records are removed for good in one transaction, PurgeEvery how often that is
// looked at.
const (
	purgeBatch = 200
	PurgeEvery = time.Hour
)

// Purge is the job that removes for good what was deleted longer ago than the retention.
type Purge struct{}

// Kind implements jobs.Args.
func (Purge) Kind() string { return "custom_modules.purge" }

// PurgeDeleted does the job, for all companies: first records, then modules, whose records go with them.
func (s *Service) PurgeDeleted(ctx context.Context, _ Purge) error {
	before := s.clock.Now().Add(-s.settings.Retention)
	if err := s.purgeAll(ctx, func(ctx context.Context) ([]store.RecordKey, error) {
		return s.repo.DeletedRecords(ctx, before, purgeBatch)
	}); err != nil {
		return err
	}
	if err := s.db.InTx(ctx, func(ctx context.Context) error { return s.repo.DropChanges(ctx, before) }); err != nil {
		return err
	}
	modules, err := s.repo.DeletedModules(ctx, before)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := s.purgeModule(ctx, m); err != nil {
			return fmt.Errorf("module %s: %w", m.ID, err)
		}
	}

	return nil
}

func (s *Service) purgeModule(ctx context.Context, m store.RecordKey) error {
	err := s.purgeAll(ctx, func(ctx context.Context) ([]store.RecordKey, error) {
		return s.repo.RecordsOfModule(ctx, m, purgeBatch)
	})
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.others.Views.Drop(ctx, m.CompanyID, definition.CollectionOf(m.ID)); err != nil {
			return err
		}

		return s.repo.DropModule(ctx, m)
	})
}

// purgeAll removes what next finds until it finds nothing more.
func (s *Service) purgeAll(ctx context.Context, next func(context.Context) ([]store.RecordKey, error)) error {
	for {
		var found int
		err := s.db.InTx(ctx, func(ctx context.Context) error {
			keys, err := next(ctx)
			found = len(keys)
			if err != nil || found == 0 {
				return err
			}

			return s.repo.DropRecords(ctx, keys)
		})
		if err != nil || found == 0 {
			return err
		}
	}
}
