package modeling

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostLookups bounds the lookups of a module: each is another thing to write when the record that it is of changes.
const mostLookups = 50

// resolveLookup decides what a lookup among the fields of a module is, and finds what is wrong with it.
func (s *Service) resolveLookup(ctx context.Context, module uuid.UUID, row *definition.FieldRow, l *definition.Lookup, own []definition.FieldRow) (found definition.Problems, err error) {
	mine, err := s.compileAll(own)
	if err != nil {
		return found, err
	}
	reference := definition.FindField(mine, l.ReferenceKey, l.Reference)
	if problem := definition.RefersWrongly(reference, mine); problem != "" {
		found.Add("options.reference", problem)

		return found, nil
	}
	l.Reference, l.Module = reference.ID, (definition.Link{Field: reference}).Target()
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
	of := definition.FindField(theirs, l.FieldKey, l.Field)
	if of == nil {
		found.Add("options.field", "The field must be the key of a field of the module that "+reference.Key+" names.")

		return found, nil
	}
	l.Field, l.ReferenceKey, l.FieldKey = of.ID, nil, nil
	for _, f := range []*definition.ModuleField{reference, of} {
		if f.Sensitive && !row.Sensitive {
			found.Add("sensitive", "The lookup uses the sensitive field "+f.Key+": it must be sensitive too.")
		}
	}
	if !l.Decide(of) {
		found.Add("options.field", "A lookup does not support fields of the type "+of.Typ.Name+".")
	}
	if !found.None() {
		return found, nil
	}
	if row.Options, err = json.Marshal(l); err != nil {
		return found, err
	}

	return found, s.findCircle(ctx, module, *row, own, "options.field", &found)
}

// watchTargets has every write of the records that the lookups of a new module are of mark those of the module from here on.
func (s *Service) watchTargets(ctx context.Context, module uuid.UUID, fields []definition.FieldRow) error {
	var targets []uuid.UUID
	for _, row := range fields {
		if l, is := s.definitions.Types.DerivedOf(row).(*definition.Lookup); is && l.Module != module && !slices.Contains(targets, l.Module) {
			targets = append(targets, l.Module)
		}
	}
	slices.SortFunc(targets, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	for _, target := range targets {
		if _, err := s.repo.Advance(ctx, target, s.records.Change(ctx)); err != nil {
			return err
		}
	}

	return nil
}

// refitLookups lets the lookups of a field, and those of these, follow a change of how many fraction digits its values have.
func (s *Service) refitLookups(ctx context.Context, before, after definition.FieldRow) error {
	if rawjson.Equal(before.Options, after.Options) {
		return nil
	}
	of, err := s.definitions.Types.Compile(after)
	if err != nil {
		return err
	}
	over, err := s.repo.DerivedOver(ctx, after.ModuleID)
	if err != nil {
		return err
	}
	for _, row := range over {
		l, is := s.definitions.Types.DerivedOf(row).(*definition.Lookup)
		if !is || l.Field != after.ID || !l.Decide(of) {
			continue
		}
		options, err := json.Marshal(l)
		if err != nil {
			return err
		}
		if rawjson.Equal(options, row.Options) {
			continue
		}
		change := s.records.Change(ctx)
		in, err := s.repo.Advance(ctx, row.ModuleID, change)
		if err != nil {
			return err
		}
		was := row
		row.Options = options
		row.Touch(change.At, change.By)
		if err := s.repo.UpdateField(ctx, row); err != nil {
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
func (s *Service) forCopy(ctx context.Context, fields []definition.FieldRow) ([]definition.NewField, error) {
	keys := map[uuid.UUID]string{}
	readable := map[uuid.UUID]bool{}
	for _, f := range fields {
		keys[f.ID] = f.Key
		if l, is := s.definitions.Types.DerivedOf(f).(*definition.Lookup); is {
			_, err := s.ReadableModule(ctx, l.Module)
			if readable[l.Module] = err == nil; unlessHidden(err) != nil {
				return nil, err
			}
		}
	}
	var specs []definition.NewField
	for _, f := range definition.WithoutFields(fields, func(f definition.FieldRow) bool {
		made := s.definitions.Types.DerivedOf(f)

		return made != nil && !readable[made.ModuleID()] || f.Type == definition.RollupName
	}) {
		spec := f.Spec()
		if l, is := s.definitions.Types.DerivedOf(f).(*definition.Lookup); is {
			spec.Options = rawjson.Object(definition.MergePatch(spec.Options, []byte(`{"reference":`+string(rawjson.Quote(keys[l.Reference]))+`}`)))
		}
		specs = append(specs, spec)
	}

	return specs, nil
}

// checkRollup is settleRollups for one field that comes to others or changes among them.
func (s *Service) checkRollup(ctx context.Context, row *definition.FieldRow, others []definition.FieldRow, found *definition.Problems) error {
	if s.definitions.Types.DerivedOf(*row) == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(others), func(f definition.FieldRow) bool { return f.ID == row.ID || f.Key == row.Key })
	all = append(all, *row)
	wrong, err := s.resolveRollups(ctx, row.ModuleID, all, func(f definition.FieldRow) bool { return f.ID == row.ID })
	row.Options = all[len(all)-1].Options
	for _, part := range wrong {
		for path, messages := range part.Messages {
			found.Add(path, messages[0])
		}
	}

	return err
}

// indexUnlessRolling is index for a field whose values are there: a rollup's index is made when they are.
func (s *Service) indexUnlessRolling(ctx context.Context, module definition.ModuleRow, row definition.FieldRow) error {
	if row.Rolling {
		return s.repo.SetUsedSlots(ctx, module)
	}

	return s.index(ctx, module, row)
}
