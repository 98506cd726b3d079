package custommodules

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// watch is a reference whose targets have rollups, and the fields that these are computed of.
type watch struct {
	reference *moduleField
	fields    []*moduleField
}

// mark says that the rollups and lookups of a record by a reference have to be computed anew; or, with the id of a lookup in the
// place of that of a reference, the lookups of those that refer to the record by the lookup's.
type mark struct{ company, record, reference uuid.UUID }

// watchFor takes the rollups that others compute of the module's records.
func (d *definition) watchFor(rollups []*rollup) {
	byReference := map[uuid.UUID]int{}
	for _, r := range rollups {
		reference := d.fieldByID(r.Reference)
		if reference == nil {
			continue
		}
		at, known := byReference[r.Reference]
		if !known {
			at = len(d.watches)
			byReference[r.Reference] = at
			d.watches = append(d.watches, watch{reference: reference})
		}
		for _, id := range []*uuid.UUID{r.Field, r.WhereField} {
			if id == nil {
				continue
			}
			if f := d.fieldByID(*id); f != nil {
				d.watches[at].fields = append(d.watches[at].fields, f)
			}
		}
	}
}

// markRollups notes whose rollups a change of a record makes stale. A document that is nil is of a record that
// is not there.
func (s *service) markRollups(ctx context.Context, d *definition, before, after []byte) error {
	for _, w := range d.watches {
		was, there := w.target(before)
		is, still := w.target(after)
		switch {
		case there && (was != is || !still):
			if err := s.markRollup(ctx, was, w.reference.id); err != nil {
				return err
			}
		case there && !w.differs(before, after):
			continue
		}
		if still {
			if err := s.markRollup(ctx, is, w.reference.id); err != nil {
				return err
			}
		}
	}

	return nil
}

func (w watch) target(document []byte) (uuid.UUID, bool) {
	text, there := w.reference.comparand(document)
	id, err := uuid.Parse(text)

	return id, there && err == nil
}

func (w watch) differs(before, after []byte) bool {
	for _, f := range w.fields {
		if !rawjson.Same(rawjson.Member(before, f.number), rawjson.Member(after, f.number)) {
			return true
		}
	}

	return false
}

func (s *service) markRollup(ctx context.Context, record, reference uuid.UUID) error {
	return s.db.Note(ctx, mark{company: principal.CompanyOf(ctx), record: record, reference: reference})
}

// markOwn notes that all rollups of a record that comes back are stale.
func (s *service) markOwn(ctx context.Context, d *definition, record uuid.UUID) error {
	for _, i := range d.rollups() {
		r, _ := d.fields[i].values.(*rollup)
		if err := s.markRollup(ctx, record, r.Reference); err != nil {
			return err
		}
	}

	return nil
}

// markWritten does so for a version of a record that is about to be stored.
func (s *service) markWritten(ctx context.Context, w *writing) error {
	before, after := []byte(w.before.Data), []byte(w.row.Data)
	switch w.verb {
	case created, restored:
		before = nil
	case deleted:
		after = nil
	case updated:
	}
	if err := s.markRollups(ctx, w.definition, before, after); err != nil {
		return err
	}
	switch w.verb {
	case restored:
		if err := s.markOwn(ctx, w.definition, w.row.ID); err != nil {
			return err
		}
	case created, deleted: // nobody refers to it
		return nil
	case updated:
	}

	return s.markLookups(ctx, w.definition, w.row.ID, before, after)
}

// markChanged notes what a change of a document makes stale that makes no version.
func (s *service) markChanged(ctx context.Context, d *definition, record uuid.UUID, before, after []byte) error {
	if err := s.markRollups(ctx, d, before, after); err != nil {
		return err
	}

	return s.markLookups(ctx, d, record, before, after)
}

// rollUp is the job that computes the rollups anew that are marked.
type rollUp struct{}

// Kind implements jobs.Args.
func (rollUp) Kind() string { return "custom_modules.roll_up" }

// settleMarks writes the marks of a transaction, each once, and the jobs that see to them.
func (s *service) settleMarks(ctx context.Context) error {
	seen := map[mark]bool{}
	byCompany := map[uuid.UUID][]mark{}
	for _, m := range database.Notes[mark](ctx) {
		if !seen[m] {
			seen[m] = true
			byCompany[m.company] = append(byCompany[m.company], m)
		}
	}
	for company, marks := range byCompany {
		ctx := principal.With(ctx, principal.ForCompany(company))
		if err := s.repo.addMarks(ctx, marks); err != nil {
			return fmt.Errorf("marks of rollups: %w", err)
		}
		if err := s.jobs.Enqueue(ctx, rollUp{}); err != nil {
			return err
		}
	}

	return nil
}
