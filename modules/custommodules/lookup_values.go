package custommodules

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// lookedAt is a lookup of a definition: its position, that of its reference, and the field of the other module.
type lookedAt struct {
	at, reference int
	lookup        *lookup
	of            *moduleField
}

// lookedUp is a lookup of others of a field of the definition's module.
type lookedUp struct {
	id, reference uuid.UUID
	of            *moduleField
}

// findLookups takes the lookups of a definition, whose other fields are among some.
func (d *definition) findLookups(of []*moduleField) {
	for i, f := range d.fields {
		l, is := f.values.(*lookup)
		if !is {
			continue
		}
		reference := slices.IndexFunc(d.fields, func(f *moduleField) bool { return f.id == l.Reference })
		if other := fieldAmong(of, &l.Field); other != nil && reference >= 0 {
			d.lookups = append(d.lookups, lookedAt{at: i, reference: reference, lookup: l, of: other})
		}
	}
}

// findLookups takes the lookups of a definition, with the fields of other modules that they are of.
func (d *definitions) findLookups(ctx context.Context, def *definition) error {
	of, modules, wanted := slices.Clone(def.fields), []uuid.UUID(nil), []uuid.UUID(nil)
	for _, f := range def.fields {
		if l, is := f.values.(*lookup); is && l.Module != def.module {
			modules, wanted = append(modules, l.Module), append(wanted, l.Field)
		}
	}
	if len(modules) == 0 {
		def.findLookups(of)

		return nil
	}
	rows, err := d.repo.fieldsOf(ctx, modules...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !slices.Contains(wanted, row.ID) {
			continue
		}
		f, err := d.types.compile(row)
		if err != nil {
			return fmt.Errorf("field %s: %w", row.ID, err)
		}
		of = append(of, f)
	}
	def.findLookups(of)

	return nil
}

// lookupIDs are the ids of the lookups that the caller sees.
func (d *definition) lookupIDs() []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range d.fields {
		if _, is := f.values.(*lookup); is {
			ids = append(ids, f.id)
		}
	}

	return ids
}

// lookupsBy are the lookups by some references.
func (d *definition) lookupsBy(references ...uuid.UUID) []lookedAt {
	var some []lookedAt
	for _, l := range d.lookups {
		if slices.Contains(references, l.lookup.Reference) {
			some = append(some, l)
		}
	}

	return some
}

// names is the record that a document names by a lookup's reference.
func (d *definition) names(l lookedAt, document []byte) (uuid.UUID, bool) {
	text, there := d.fields[l.reference].comparand(document)
	id, err := uuid.Parse(text)

	return id, there && err == nil
}

// lookUp returns the values of some lookups of a document, by their positions. It goes by records that were read already, and
// reads the others, which are held if asked for.
func (s *service) lookUp(
	ctx context.Context, d *definition, document []byte, at []lookedAt, read map[uuid.UUID]rawjson.Object, held bool,
) (map[int]field.Value, error) {
	var ids []uuid.UUID
	for _, l := range at {
		if id, names := d.names(l, document); names && read[id] == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	found, err := s.repo.named(ctx, ids, held)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, read)
	values := make(map[int]field.Value, len(at))
	for _, l := range at {
		values[l.at] = field.Value{}
		if id, names := d.names(l, document); names && found[id] != nil {
			values[l.at] = rendered(l.of.formulaValue(rawjson.Member(found[id], l.of.number)), l.lookup.Result, l.lookup.Scale, l.lookup.values)
		}
	}

	return values, nil
}

// followReferences sets the lookups of a record whose references are new. The records that it names stay as they are until the
// transaction ends: who changes them then finds the reference.
func (s *service) followReferences(ctx context.Context, w *writing) error {
	d := w.definition
	at := slices.DeleteFunc(slices.Clone(d.lookups), func(l lookedAt) bool { return !w.refersAnew(l) })
	if len(at) == 0 {
		return nil
	}
	values, err := s.lookUp(ctx, d, w.made.document, at, w.read, true)
	if err != nil {
		return err
	}
	have := d.values(w.made.document)
	maps.DeleteFunc(values, func(i int, v field.Value) bool {
		return rawjson.Same(rawjson.OrNothing(have[i]), rawjson.OrNothing(v.JSON))
	})
	if len(values) > 0 {
		w.made = d.withValues(w.made, values)
	}

	return nil
}

// refersAnew reports whether the reference of a lookup is another one than that of the record as it is.
func (w *writing) refersAnew(l lookedAt) bool {
	if w.verb == created || w.verb == restored {
		return true
	}
	number := w.definition.fields[l.reference].number

	return !rawjson.Same(rawjson.Member(w.before.Data, number), rawjson.Member(w.made.document, number))
}

// readAhead reads the records that new ones look up, all at once and in one order.
func (s *service) readAhead(ctx context.Context, all []*writing) error {
	named := map[uuid.UUID]bool{}
	for _, w := range all {
		for _, l := range w.definition.lookups {
			if id, names := w.definition.names(l, w.made.document); names {
				named[id] = true
			}
		}
	}
	if len(named) == 0 {
		return nil
	}
	read, err := s.repo.named(ctx, slices.Collect(maps.Keys(named)), true)
	for _, w := range all {
		w.read = read
	}

	return err
}

// markLookups notes that the lookups of those are stale that refer to a record, by what of it has changed.
func (s *service) markLookups(ctx context.Context, d *definition, record uuid.UUID, before, after []byte) error {
	for _, l := range d.lookedUp {
		if rawjson.Same(rawjson.Member(before, l.of.number), rawjson.Member(after, l.of.number)) {
			continue
		}
		if err := s.markRollup(ctx, record, l.id); err != nil {
			return err
		}
	}

	return nil
}

// spread marks the records whose lookups are marked on the record that they name, and takes those marks for done.
func (s *service) spread(ctx context.Context, d *definition, m *staleRecord) error {
	references := map[uuid.UUID]bool{}
	for _, l := range d.lookedUp {
		if slices.Contains(m.references, l.id) {
			references[l.reference] = true
		}
	}
	for reference := range references {
		if err := s.markReferring(ctx, m.record, reference); err != nil {
			return err
		}
	}
	m.references = slices.DeleteFunc(slices.Clone(m.references), func(id uuid.UUID) bool {
		return slices.ContainsFunc(d.lookedUp, func(l lookedUp) bool { return l.id == id })
	})

	return nil
}

// markReferring marks the records that refer to one by a reference.
func (s *service) markReferring(ctx context.Context, record, reference uuid.UUID) error {
	after := uuid.Nil
	for {
		ids, err := s.repo.linkedTo(ctx, record, reference, after, rollBatch)
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
