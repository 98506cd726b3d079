package modeling

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
)

// ClearIndex is the job that takes the values of a field out of custom_modules_index.
type ClearIndex struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (ClearIndex) Kind() string { return "custom_modules.clear_index" }

// clearBatch is how many rows are taken away in one transaction.
const clearBatch = 1_000

// unindex has the rows of a field taken away that are no longer kept.
func (s *Service) unindex(ctx context.Context, before, after definition.FieldRow) error {
	if !before.Overflows() || after.Overflows() {
		return nil
	}

	return s.Jobs.Enqueue(ctx, ClearIndex{Module: before.ModuleID, Field: before.ID})
}

// Clear does such a job. It stops when the field has got its rows back meanwhile: then they are brought up
// to date by the job that builds the index.
func (s *Service) Clear(ctx context.Context, job ClearIndex) error {
	if err := s.records.AwaitWriters(ctx); err != nil {
		return fmt.Errorf("index of field %s: %w", job.Field, err)
	}
	for _, kind := range field.Indexes {
		for removed := int64(clearBatch); removed == clearBatch; {
			var err error
			if removed, err = s.clearSome(ctx, job, kind); err != nil {
				return fmt.Errorf("index of field %s: %w", job.Field, err)
			}
		}
	}

	return nil
}

func (s *Service) clearSome(ctx context.Context, job ClearIndex, kind field.Index) (removed int64, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		removed = 0
		if err := s.repo.HoldAny(ctx, job.Module); err != nil {
			return err
		}
		kept, err := s.repo.KeepsIndexed(ctx, job.Field)
		if err != nil || kept {
			return err
		}
		removed, err = s.repo.ClearIndexed(ctx, job.Field, kind, clearBatch)

		return err
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		return 0, nil // purged, with its records
	}

	return removed, err
}
