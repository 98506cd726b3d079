package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
)

// alias names the rows of a field in statements that read several fields.
func (f *moduleField) alias() string { return "x" + f.number }

// overflowFields are the fields whose values are in custom_modules_index.
func (d *definition) overflowFields() []*moduleField {
	var all []*moduleField
	for _, f := range d.fields {
		if f.overflow {
			all = append(all, f)
		}
	}

	return all
}

// keepIndexed brings the rows that custom_modules_index has of a record up to what is stored of it: those of
// fields that changed, and of fields whose index is building, since the record counts as written with it.
func (s *service) keepIndexed(ctx context.Context, w *writing) error {
	switch {
	case !w.definition.overflowed:
		return nil
	case w.verb == created:
		return s.repo.setIndexed(ctx, w.row, w.made.overflow, nil)
	case w.verb == deleted:
		return s.repo.removeIndexed(ctx, w.row.ID)
	}
	changed := map[*moduleField]bool{}
	for _, c := range w.changes {
		changed[c.field] = true
	}
	var fields []*moduleField
	for _, f := range w.definition.overflowFields() {
		if w.verb == restored || changed[f] || !f.indexed {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return nil
	}

	return s.repo.setIndexed(ctx, w.row, w.made.overflow, fields)
}

// clearIndex is the job that takes the values of a field out of custom_modules_index.
type clearIndex struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
}

// Kind implements jobs.Args.
func (clearIndex) Kind() string { return "custom_modules.clear_index" }

// clearBatch is how many rows are taken away in one transaction.
const clearBatch = 1_000

// unindex has the rows of a field taken away that are no longer kept.
func (s *service) unindex(ctx context.Context, before, after fieldRow) error {
	if !before.overflows() || after.overflows() {
		return nil
	}

	return s.jobs.Enqueue(ctx, clearIndex{Module: before.ModuleID, Field: before.ID})
}

func (f fieldRow) overflows() bool { return f.Slot != nil && f.Slot.overflows() }

// clear does such a job. It stops when the field has got its rows back meanwhile: then they are brought up
// to date by the job that builds the index.
func (s *service) clear(ctx context.Context, job clearIndex) error {
	if err := s.awaitWriters(ctx); err != nil {
		return fmt.Errorf("index of field %s: %w", job.Field, err)
	}
	for _, kind := range field.Indexes() {
		for removed := int64(clearBatch); removed == clearBatch; {
			var err error
			if removed, err = s.clearSome(ctx, job, kind); err != nil {
				return fmt.Errorf("index of field %s: %w", job.Field, err)
			}
		}
	}

	return nil
}

func (s *service) clearSome(ctx context.Context, job clearIndex, kind field.Index) (removed int64, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		removed = 0
		if err := s.repo.holdAny(ctx, job.Module); err != nil {
			return err
		}
		kept, err := s.repo.keepsIndexed(ctx, job.Field)
		if err != nil || kept {
			return err
		}
		removed, err = s.repo.clearIndexed(ctx, job.Field, kind, clearBatch)

		return err
	})
	if errors.Is(err, errModuleNotFound) {
		return 0, nil // purged, with its records
	}

	return removed, err
}
