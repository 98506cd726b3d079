package records

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// markRollups notes whose rollups a change of a record makes stale. A document that is nil is of a record that
// is not there.
func (s *Service) markRollups(ctx context.Context, d *definition.Definition, before, after []byte) error {
	for _, w := range d.Watches {
		was, there := w.Target(before)
		is, still := w.Target(after)
		switch {
		case there && (was != is || !still):
			if err := s.markRollup(ctx, was, w.Reference.ID); err != nil {
				return err
			}
		case there && !w.Differs(before, after):
			continue
		}
		if still {
			if err := s.markRollup(ctx, is, w.Reference.ID); err != nil {
				return err
			}
		}
	}

	return nil
}

func (s *Service) markRollup(ctx context.Context, record, reference uuid.UUID) error {
	return s.db.Note(ctx, store.Mark{Company: principal.CompanyOf(ctx), Record: record, Reference: reference})
}

// markOwn notes that all rollups of a record that comes back are stale.
func (s *Service) markOwn(ctx context.Context, d *definition.Definition, record uuid.UUID) error {
	for _, i := range d.Rollups() {
		r, _ := d.Fields[i].Values.(*definition.Rollup)
		if err := s.markRollup(ctx, record, r.Reference); err != nil {
			return err
		}
	}

	return nil
}

// MarkWritten does so for a version of a record that is about to be stored.
func (s *Service) MarkWritten(ctx context.Context, w *store.Writing) error {
	before, after := []byte(w.Before.Data), []byte(w.Row.Data)
	switch w.Verb {
	case definition.Created, definition.Restored:
		before = nil
	case definition.Deleted:
		after = nil
	case definition.Updated:
	}
	if err := s.markRollups(ctx, w.Definition, before, after); err != nil {
		return err
	}
	switch w.Verb {
	case definition.Restored:
		if err := s.markOwn(ctx, w.Definition, w.Row.ID); err != nil {
			return err
		}
	case definition.Created, definition.Deleted: // nobody refers to it
		return nil
	case definition.Updated:
	}

	return s.markLookups(ctx, w.Definition, w.Row.ID, before, after)
}

// MarkChanged notes what a change of a document makes stale that makes no version.
func (s *Service) MarkChanged(ctx context.Context, d *definition.Definition, record uuid.UUID, before, after []byte) error {
	if err := s.markRollups(ctx, d, before, after); err != nil {
		return err
	}

	return s.markLookups(ctx, d, record, before, after)
}

// RollUp is the job that computes the rollups anew that are marked.
type RollUp struct{}

// Kind implements jobs.Args.
func (RollUp) Kind() string { return "custom_modules.roll_up" }

// writeMarks writes the marks of a transaction, each once, and the jobs that see to them.
func (s *Service) writeMarks(ctx context.Context) error {
	seen := map[store.Mark]bool{}
	byCompany := map[uuid.UUID][]store.Mark{}
	for _, m := range database.Notes[store.Mark](ctx) {
		if !seen[m] {
			seen[m] = true
			byCompany[m.Company] = append(byCompany[m.Company], m)
		}
	}
	for company, marks := range byCompany {
		ctx := principal.With(ctx, principal.ForCompany(company))
		if err := s.repo.AddMarks(ctx, marks); err != nil {
			return fmt.Errorf("marks of rollups: %w", err)
		}
		if err := s.Jobs.Enqueue(ctx, RollUp{}); err != nil {
			return err
		}
	}

	return nil
}
