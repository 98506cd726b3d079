package custommodules

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostLookups bounds the lookups of a module: each is another thing to write when the record that it is of changes.
const mostLookups = 50

// settleLookup decides what a lookup among the fields of a module is, and finds what is wrong with it.
func (s *service) settleLookup(ctx context.Context, module uuid.UUID, row *fieldRow, l *lookup, own []fieldRow) (found problems, err error) {
	mine, err := s.compileAll(own)
	if err != nil {
		return found, err
	}
	reference := named(mine, l.ReferenceKey, l.Reference)
	if problem := refersWrongly(reference, mine); problem != "" {
		found.add("options.reference", problem)

		return found, nil
	}
	l.Reference, l.Module = reference.id, (link{field: reference}).target()
	theirs := mine
	if l.Module != module {
		others, err := s.readableFields(ctx, l.Module)
		if err != nil {
			return found, err
		}
		if theirs, err = s.compileAll(others); err != nil {
			return found, err
		}
	}
	of := named(theirs, l.FieldKey, l.Field)
	if of == nil {
		found.add("options.field", "The field must be the key of a field of the module that "+reference.key+" names.")

		return found, nil
	}
	l.Field, l.ReferenceKey, l.FieldKey = of.id, nil, nil
	for _, f := range []*moduleField{reference, of} {
		if f.sensitive && !row.Sensitive {
			found.add("sensitive", "The lookup uses the sensitive field "+f.key+": it must be sensitive too.")
		}
	}
	if !l.decide(of) {
		found.add("options.field", "There is no lookup of a field of the type "+of.typ.Name+".")
	}
	if !found.none() {
		return found, nil
	}
	if row.Options, err = json.Marshal(l); err != nil {
		return found, err
	}

	return found, s.findCircle(ctx, module, *row, own, "options.field", &found)
}

// named returns the field of a key, or without one that of an id; nil if there is none.
func named(fields []*moduleField, key *string, id uuid.UUID) *moduleField {
	i := slices.IndexFunc(fields, func(f *moduleField) bool {
		if key != nil {
			return f.key == normalKey(*key)
		}

		return f.id == id
	})
	if i < 0 {
		return nil
	}

	return fields[i]
}

// refersWrongly says why records are not looked up by a field, nil for one that is not there; "" if they are.
func refersWrongly(f *moduleField, among []*moduleField) string {
	if f != nil && f.refers() {
		return ""
	}
	var keys []string
	for _, other := range among {
		if other.refers() {
			keys = append(keys, other.key)
		}
	}
	allowed := " The module has no reference."
	if len(keys) > 0 {
		allowed = " References of the module are " + strings.Join(keys, ", ") + "."
	}
	if f == nil {
		return "The reference must be the key of a field of the type reference." + allowed
	}
	if _, is := f.values.(*field.ItemOptions); is {
		return "Values of items of other areas cannot be looked up, only those of records that a reference names." + allowed
	}

	return "The field " + f.key + " does not refer to records." + allowed
}

// watchTargets has every write of the records that the lookups of a new module are of mark those of the module from here on.
func (s *service) watchTargets(ctx context.Context, module uuid.UUID, fields []fieldRow) error {
	var targets []uuid.UUID
	for _, row := range fields {
		if l, is := s.definitions.types.derivedOf(row).(*lookup); is && l.Module != module && !slices.Contains(targets, l.Module) {
			targets = append(targets, l.Module)
		}
	}
	slices.SortFunc(targets, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	for _, target := range targets {
		if _, err := s.repo.advance(ctx, target, s.change(ctx)); err != nil {
			return err
		}
	}

	return nil
}

// refitLookups lets the lookups of a field, and those of these, follow a change of how many fraction digits its values have.
func (s *service) refitLookups(ctx context.Context, before, after fieldRow) error {
	if rawjson.Same(before.Options, after.Options) {
		return nil
	}
	of, err := s.definitions.types.compile(after)
	if err != nil {
		return err
	}
	over, err := s.repo.derivedOver(ctx, after.ModuleID)
	if err != nil {
		return err
	}
	for _, row := range over {
		l, is := s.definitions.types.derivedOf(row).(*lookup)
		if !is || l.Field != after.ID || !l.decide(of) {
			continue
		}
		options, err := json.Marshal(l)
		if err != nil {
			return err
		}
		if rawjson.Same(options, row.Options) {
			continue
		}
		change := s.change(ctx)
		in, err := s.repo.advance(ctx, row.ModuleID, change)
		if err != nil {
			return err
		}
		was := row
		row.Options = options
		row.touch(change.at, change.by)
		if err := s.repo.updateField(ctx, row); err != nil {
			return err
		}
		if err := s.rollAfter(ctx, in, was, &row); err != nil {
			return err
		}
		if err := s.refitLookups(ctx, was, row); err != nil {
			return err
		}
	}

	return nil
}

// forCopy returns the fields of a module that a copy of it can have, as they would be asked for: without rollups, since nothing
// refers to the copy, without lookups of modules that the caller may not read, and without the formulas that use those.
func (s *service) forCopy(ctx context.Context, fields []fieldRow) ([]newField, error) {
	keys := map[uuid.UUID]string{}
	readable := map[uuid.UUID]bool{}
	for _, f := range fields {
		keys[f.ID] = f.Key
		if l, is := s.definitions.types.derivedOf(f).(*lookup); is {
			_, err := s.readableModule(ctx, l.Module)
			if readable[l.Module] = err == nil; unlessHidden(err) != nil {
				return nil, err
			}
		}
	}
	var specs []newField
	for _, f := range without(fields, func(f fieldRow) bool {
		made := s.definitions.types.derivedOf(f)

		return made != nil && !readable[made.over()] || f.Type == rollupName
	}) {
		spec := f.spec()
		if l, is := s.definitions.types.derivedOf(f).(*lookup); is {
			spec.Options = rawjson.Object(merged(spec.Options, []byte(`{"reference":`+string(rawjson.Quote(keys[l.Reference]))+`}`)))
		}
		specs = append(specs, spec)
	}

	return specs, nil
}
