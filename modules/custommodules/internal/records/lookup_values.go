package records

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MarksBatch is how many marks are seen to at once, RollBatch how many records are read at once for a value,
// and RollTime how long one job goes on before the next takes over.
const (
	MarksBatch = 500
	RollBatch  = 1_000
	RollTime   = 2 * time.Minute
)

// StaleRecord is a record with what has to be computed of it, and the marks that say so.
type StaleRecord struct {
	Record     uuid.UUID
	References []uuid.UUID
	Marks      []uuid.UUID
}

// LookUp returns the values of some lookups of a document, by their positions. It goes by records that were read already, and
// reads the others, which are held if asked for.
func (s *Service) LookUp(
	ctx context.Context, d *definition.Definition, document []byte, at []definition.LookedAt, read map[uuid.UUID]rawjson.Object, held bool,
) (map[int]field.Value, error) {
	var ids []uuid.UUID
	for _, l := range at {
		if id, names := d.Names(l, document); names && read[id] == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	found, err := s.repo.Named(ctx, ids, held)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, read)
	values := make(map[int]field.Value, len(at))
	for _, l := range at {
		values[l.At] = field.Value{}
		if id, names := d.Names(l, document); names && found[id] != nil {
			values[l.At] = definition.RenderResult(l.Of.FormulaValue(rawjson.Member(found[id], l.Of.Number)), l.Lookup.Result, l.Lookup.Scale, l.Lookup.Values)
		}
	}

	return values, nil
}

// followReferences sets the lookups of a record whose references are new. The records that it names stay unchanged until the
// transaction ends: who changes them then finds the reference.
func (s *Service) followReferences(ctx context.Context, w *store.Writing) error {
	d := w.Definition
	at := slices.DeleteFunc(slices.Clone(d.Lookups), func(l definition.LookedAt) bool { return !w.ChangesReference(l) })
	if len(at) == 0 {
		return nil
	}
	values, err := s.LookUp(ctx, d, w.Made.Document, at, w.Read, true)
	if err != nil {
		return err
	}
	have := d.Values(w.Made.Document)
	maps.DeleteFunc(values, func(i int, v field.Value) bool {
		return rawjson.Equal(rawjson.OrNothing(have[i]), rawjson.OrNothing(v.JSON))
	})
	if len(values) > 0 {
		w.Made = d.WithValues(w.Made, values)
	}

	return nil
}

// readAhead reads the records that new ones look up, all at once and in one order.
func (s *Service) readAhead(ctx context.Context, all []*store.Writing) error {
	named := map[uuid.UUID]bool{}
	for _, w := range all {
		for _, l := range w.Definition.Lookups {
			if id, names := w.Definition.Names(l, w.Made.Document); names {
				named[id] = true
			}
		}
	}
	if len(named) == 0 {
		return nil
	}
	read, err := s.repo.Named(ctx, slices.Collect(maps.Keys(named)), true)
	for _, w := range all {
		w.Read = read
	}

	return err
}

// markLookups notes that the lookups of those are stale that refer to a record, by what of it has changed.
func (s *Service) markLookups(ctx context.Context, d *definition.Definition, record uuid.UUID, before, after []byte) error {
	for _, l := range d.LookedUp {
		if rawjson.Equal(rawjson.Member(before, l.Of.Number), rawjson.Member(after, l.Of.Number)) {
			continue
		}
		if err := s.markRollup(ctx, record, l.ID); err != nil {
			return err
		}
	}

	return nil
}

// Spread marks the records whose lookups are marked on the record that they name, and takes those marks for done.
func (s *Service) Spread(ctx context.Context, d *definition.Definition, m *StaleRecord) error {
	references := map[uuid.UUID]bool{}
	for _, l := range d.LookedUp {
		if slices.Contains(m.References, l.ID) {
			references[l.Reference] = true
		}
	}
	for reference := range references {
		if err := s.markReferring(ctx, m.Record, reference); err != nil {
			return err
		}
	}
	m.References = slices.DeleteFunc(slices.Clone(m.References), func(id uuid.UUID) bool {
		return slices.ContainsFunc(d.LookedUp, func(l definition.LookedUp) bool { return l.ID == id })
	})

	return nil
}

// markReferring marks the records that refer to one by a reference.
func (s *Service) markReferring(ctx context.Context, record, reference uuid.UUID) error {
	after := uuid.Nil
	for {
		ids, err := s.repo.LinkedTo(ctx, record, reference, after, RollBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = s.db.InTx(ctx, func(ctx context.Context) error {
			for _, id := range ids {
				if err := s.markRollup(ctx, id, reference); err != nil {
					return err
				}
			}

			return nil
		})
		if err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
}
