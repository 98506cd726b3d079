package custommodules

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// purgeBatch is how many records are removed for good in one transaction, purgeEvery how often that is
// looked at.
const (
	purgeBatch = 200
	purgeEvery = time.Hour
)

// purge is the job that removes for good what was deleted longer ago than the retention.
type purge struct{}

// Kind implements jobs.Args.
func (purge) Kind() string { return "custom_modules.purge" }

// purgeDeleted does the job, for all companies: first records, then modules, whose records go with them.
func (s *service) purgeDeleted(ctx context.Context, _ purge) error {
	before := s.clock.Now().Add(-s.settings.Retention)
	if err := s.purgeAll(ctx, func(ctx context.Context) ([]recordKey, error) {
		return s.repo.deletedRecords(ctx, before, purgeBatch)
	}); err != nil {
		return err
	}
	if err := s.db.InTx(ctx, func(ctx context.Context) error { return s.repo.dropChanges(ctx, before) }); err != nil {
		return err
	}
	modules, err := s.repo.deletedModules(ctx, before)
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

func (s *service) purgeModule(ctx context.Context, m recordKey) error {
	err := s.purgeAll(ctx, func(ctx context.Context) ([]recordKey, error) {
		return s.repo.recordsOfModule(ctx, m, purgeBatch)
	})
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.others.views.Drop(ctx, m.CompanyID, collectionOf(m.ID)); err != nil {
			return err
		}

		return s.repo.dropModule(ctx, m)
	})
}

// purgeAll removes what next finds until it finds nothing more.
func (s *service) purgeAll(ctx context.Context, next func(context.Context) ([]recordKey, error)) error {
	for {
		var found int
		err := s.db.InTx(ctx, func(ctx context.Context) error {
			keys, err := next(ctx)
			found = len(keys)
			if err != nil || found == 0 {
				return err
			}

			return s.repo.dropRecords(ctx, keys)
		})
		if err != nil || found == 0 {
			return err
		}
	}
}

// recordKey is the key of a row of any company.
type recordKey struct {
	CompanyID, ID uuid.UUID
}
