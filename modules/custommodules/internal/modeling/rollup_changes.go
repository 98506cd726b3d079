package modeling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostRollups bounds the rollups of a module: each is computed by reading other records.
const mostRollups = 20

// resolveRollups decides what the rollups and lookups among the fields of a module are, and finds what is wrong with them, by
// the position of the field.
func (s *Service) resolveRollups(ctx context.Context, module uuid.UUID, rows []definition.FieldRow, only func(definition.FieldRow) bool) (map[int]definition.Problems, error) {
	wrong := map[int]definition.Problems{}
	count := map[definition.TypeName]int{}
	most := map[definition.TypeName]int{definition.RollupName: mostRollups, definition.LookupName: mostLookups}
	for i := range rows {
		made, typ := s.definitions.Types.DerivedOf(rows[i]), rows[i].Type
		if made == nil {
			continue
		}
		if count[typ]++; count[typ] > most[typ] {
			wrong[i] = definition.OneProblem("type", fmt.Sprintf("A module must not have more than %d %ss.", most[typ], typ))

			continue
		}
		if !only(rows[i]) {
			continue
		}
		var found definition.Problems
		var err error
		switch made := made.(type) {
		case *definition.Rollup:
			found, err = s.resolveRollup(ctx, module, &rows[i], made, rows)
		case *definition.Lookup:
			found, err = s.resolveLookup(ctx, module, &rows[i], made, rows)
		}
		if err != nil {
			return nil, err
		}
		if !found.None() {
			wrong[i] = found
		}
	}

	return wrong, nil
}

func (s *Service) resolveRollup(ctx context.Context, module uuid.UUID, row *definition.FieldRow, r *definition.Rollup, own []definition.FieldRow) (found definition.Problems, err error) {
	others := own
	if r.Module != module {
		if others, err = s.readableFields(ctx, r.Module); err != nil {
			return found, err
		}
	}
	over, err := s.compileAll(others)
	if err != nil {
		return found, err
	}
	reference := definition.FieldAmong(over, &r.Reference)
	if reference == nil || !reference.Refers() || (definition.Link{Field: reference}).Target() != module {
		found.Add("options.reference_uuid", "The reference must be a field of the module module_uuid that refers to this module.")
	}
	of, where := definition.FieldAmong(over, r.Field), definition.FieldAmong(over, r.WhereField)
	if r.Field != nil && of == nil {
		found.Add("options.field_uuid", "The field must be one of the module module_uuid.")
	}
	switch {
	case r.WhereField == nil:
	case where == nil || where.Typ.Index == "":
		found.Add("options.where_field_uuid", "The where field must be one of the module module_uuid that can be indexed.")
	default:
		for _, text := range r.WhereIn {
			if _, err := where.Values.Comparable(text); err != nil {
				found.Add("options.where_in", "The where in "+naming.Shorten(text)+" "+err.Error())
			}
		}
	}
	for _, f := range []*definition.ModuleField{reference, of, where} {
		if f != nil && f.Sensitive && !row.Sensitive {
			found.Add("sensitive", "The rollup uses the sensitive field "+f.Key+": it must be sensitive too.")
		}
	}
	if found.None() {
		if r.Result = r.Decide(of); r.Result == "" {
			found.Add("options.function", "The function "+r.Function+" does not support fields of the type "+of.Typ.Name+".")

			return found, nil
		}
		row.Options, err = json.Marshal(r)
		if err != nil {
			return found, err
		}

		return found, s.findCircle(ctx, module, *row, own, "options.field_uuid", &found)
	}

	return found, nil
}

// readableFields returns the fields of a module, none of one that is not there, or that the caller may not read: who
// defines a rollup shows what it is computed of.
func (s *Service) readableFields(ctx context.Context, module uuid.UUID) ([]definition.FieldRow, error) {
	if _, err := s.ReadableModule(ctx, module); err != nil {
		if errors.Is(err, definition.ErrModuleNotFound) {
			err = nil
		}

		return nil, err
	}

	return s.repo.FieldsOf(ctx, module)
}

// compileAll makes fields of rows, but for those that are wrong already.
func (s *Service) compileAll(rows []definition.FieldRow) ([]*definition.ModuleField, error) {
	var fields []*definition.ModuleField
	for _, row := range rows {
		if row.Options == nil {
			continue
		}
		f, err := s.definitions.Types.Compile(row)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
		fields = append(fields, f)
	}

	return fields, nil
}

// rollAfter has a rollup or lookup computed that came or changed. The module that it is computed of gets another revision,
// so that every write from here on marks the records that it concerns.
func (s *Service) rollAfter(ctx context.Context, in definition.ModuleRow, before definition.FieldRow, row *definition.FieldRow) error {
	made := s.definitions.Types.DerivedOf(*row)
	if made == nil || rawjson.Equal(before.Options, row.Options) {
		return nil
	}
	if made.ModuleID() != in.ID {
		if _, err := s.repo.Advance(ctx, made.ModuleID(), s.records.Change(ctx)); err != nil {
			return err
		}
	}
	some, err := s.repo.HoldsMoreThan(ctx, in.ID, 0)
	if err != nil || !some {
		return err
	}
	row.Rolling = true
	if row.Slot != nil {
		row.SlotSince, row.SlotReady = new(in.Revision), false
	}
	if err := s.repo.UpdateField(ctx, *row); err != nil {
		return err
	}

	return s.Jobs.Enqueue(ctx, RollBack{Module: in.ID, Field: row.ID, Options: row.Options})
}

// rollBackAll computes all rollups and lookups of a module anew, after it was away.
func (s *Service) rollBackAll(ctx context.Context, fields []definition.FieldRow) error {
	for _, f := range fields {
		if s.definitions.Types.DerivedOf(f) == nil {
			continue
		}
		f.Rolling = true
		if err := s.repo.UpdateField(ctx, f); err != nil {
			return err
		}
		if err := s.Jobs.Enqueue(ctx, RollBack{Module: f.ModuleID, Field: f.ID, Options: f.Options}); err != nil {
			return err
		}
	}

	return nil
}

// UsedByRollup returns ErrFieldInUse for a field that rollups and lookups of any module are made of.
func (s *Service) UsedByRollup(ctx context.Context, row definition.FieldRow) error {
	using, err := s.DerivedUsing(ctx, row)
	if err != nil || len(using) == 0 {
		return err
	}
	other := using[0]
	in, err := s.ReadableModule(ctx, other.ModuleID)
	if errors.Is(err, definition.ErrModuleNotFound) {
		return definition.ErrFieldInUse.WithMessage("A %s of another module uses the field.", other.Type)
	}
	if err != nil {
		return err
	}

	return definition.ErrFieldInUse.WithMessage("The %s %s of the module %s uses the field.", other.Type, other.Label, in.Name).
		WithDetail("field", other.Key).WithDetail("module_uuid", other.ModuleID)
}

// checkRolled finds a change of a field that rollups and lookups are made of and do not go along with.
func (s *Service) checkRolled(ctx context.Context, before, after definition.FieldRow, found *definition.Problems) error {
	if before.Sensitive || !after.Sensitive {
		return nil
	}
	using, err := s.DerivedUsing(ctx, before)
	for _, other := range using {
		if !other.Sensitive {
			found.Add("sensitive", "A "+string(other.Type)+" that is not sensitive uses the field. Make it sensitive first.")
		}
	}

	return err
}
