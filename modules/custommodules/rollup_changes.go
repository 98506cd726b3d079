package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostRollups bounds the rollups of a module: each is computed by reading other records.
const mostRollups = 20

// watch lets a definition know what others make of its records, and what it makes of theirs.
func (d *definitions) watch(ctx context.Context, def *definition, rows []fieldRow) error {
	for _, row := range rows {
		def.rolling = def.rolling || row.Rolling
	}
	if def.open != nil {
		def.open.rolling = def.rolling
	}
	over, err := d.repo.derivedOver(ctx, def.module)
	if err != nil {
		return err
	}
	var rollups []*rollup
	for _, row := range over {
		switch made := d.types.derivedOf(row).(type) {
		case *rollup:
			rollups = append(rollups, made)
		case *lookup:
			if of := def.fieldByID(made.Field); of != nil {
				def.lookedUp = append(def.lookedUp, lookedUp{id: row.ID, reference: made.Reference, of: of})
			}
		}
	}
	def.watchFor(rollups)

	return d.findLookups(ctx, def)
}

// settleRollups decides what the rollups and lookups among the fields of a module are, and finds what is wrong with them, by
// the position of the field.
func (s *service) settleRollups(ctx context.Context, module uuid.UUID, rows []fieldRow, only func(fieldRow) bool) (map[int]problems, error) {
	wrong := map[int]problems{}
	count := map[typeName]int{}
	most := map[typeName]int{rollupName: mostRollups, lookupName: mostLookups}
	for i := range rows {
		made, typ := s.definitions.types.derivedOf(rows[i]), rows[i].Type
		if made == nil {
			continue
		}
		if count[typ]++; count[typ] > most[typ] {
			wrong[i] = oneProblem("type", fmt.Sprintf("A module must not have more than %d %ss.", most[typ], typ))

			continue
		}
		if !only(rows[i]) {
			continue
		}
		var found problems
		var err error
		switch made := made.(type) {
		case *rollup:
			found, err = s.settleRollup(ctx, module, &rows[i], made, rows)
		case *lookup:
			found, err = s.settleLookup(ctx, module, &rows[i], made, rows)
		}
		if err != nil {
			return nil, err
		}
		if !found.none() {
			wrong[i] = found
		}
	}

	return wrong, nil
}

func oneProblem(path, message string) (found problems) {
	found.add(path, message)

	return found
}

func (s *service) settleRollup(ctx context.Context, module uuid.UUID, row *fieldRow, r *rollup, own []fieldRow) (found problems, err error) {
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
	reference := fieldAmong(over, &r.Reference)
	if reference == nil || !reference.refers() || (link{field: reference}).target() != module {
		found.add("options.reference_uuid", "The reference must be a field of the module module_uuid that refers to this module.")
	}
	of, where := fieldAmong(over, r.Field), fieldAmong(over, r.WhereField)
	if r.Field != nil && of == nil {
		found.add("options.field_uuid", "The field must be one of the module module_uuid.")
	}
	switch {
	case r.WhereField == nil:
	case where == nil || where.typ.Index == "":
		found.add("options.where_field_uuid", "The where field must be one of the module module_uuid that can be indexed.")
	default:
		for _, text := range r.WhereIn {
			if _, err := where.values.Comparable(text); err != nil {
				found.add("options.where_in", "The where in "+naming.Shorten(text)+" "+err.Error())
			}
		}
	}
	for _, f := range []*moduleField{reference, of, where} {
		if f != nil && f.sensitive && !row.Sensitive {
			found.add("sensitive", "The rollup uses the sensitive field "+f.key+": it must be sensitive too.")
		}
	}
	if found.none() {
		if r.Result = r.decide(of); r.Result == "" {
			found.add("options.function", "The function "+r.Function+" makes nothing of a field of the type "+of.typ.Name+".")

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
func (s *service) readableFields(ctx context.Context, module uuid.UUID) ([]fieldRow, error) {
	if _, err := s.readableModule(ctx, module); err != nil {
		if errors.Is(err, errModuleNotFound) {
			err = nil
		}

		return nil, err
	}

	return s.repo.fieldsOf(ctx, module)
}

// compileAll makes fields of rows, but for those that are wrong already.
func (s *service) compileAll(rows []fieldRow) ([]*moduleField, error) {
	var fields []*moduleField
	for _, row := range rows {
		if row.Options == nil {
			continue
		}
		f, err := s.definitions.types.compile(row)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
		fields = append(fields, f)
	}

	return fields, nil
}

func fieldAmong(fields []*moduleField, id *uuid.UUID) *moduleField {
	for _, f := range fields {
		if id != nil && f.id == *id {
			return f
		}
	}

	return nil
}

// rollBack is the job that computes a rollup or lookup for the records that were there before it.
type rollBack struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
	// Options are those that it was made for.
	Options rawjson.Object `json:"options"`
	// After is the last record that was seen to.
	After uuid.UUID `json:"after"`
}

// Kind implements jobs.Args.
func (rollBack) Kind() string { return "custom_modules.roll_back" }

// rollAfter has a rollup or lookup computed that came or changed. The module that it is computed of gets another revision,
// so that every write from here on marks the records that it concerns.
func (s *service) rollAfter(ctx context.Context, in moduleRow, before fieldRow, row *fieldRow) error {
	made := s.definitions.types.derivedOf(*row)
	if made == nil || rawjson.Same(before.Options, row.Options) {
		return nil
	}
	if made.over() != in.ID {
		if _, err := s.repo.advance(ctx, made.over(), s.change(ctx)); err != nil {
			return err
		}
	}
	some, err := s.repo.holdsMoreThan(ctx, in.ID, 0)
	if err != nil || !some {
		return err
	}
	row.Rolling = true
	if row.Slot != nil {
		row.SlotSince, row.SlotReady = new(in.Revision), false
	}
	if err := s.repo.updateField(ctx, *row); err != nil {
		return err
	}

	return s.jobs.Enqueue(ctx, rollBack{Module: in.ID, Field: row.ID, Options: row.Options})
}

// rollBackAll computes all rollups and lookups of a module anew, after it was away.
func (s *service) rollBackAll(ctx context.Context, fields []fieldRow) error {
	for _, f := range fields {
		if s.definitions.types.derivedOf(f) == nil {
			continue
		}
		f.Rolling = true
		if err := s.repo.updateField(ctx, f); err != nil {
			return err
		}
		if err := s.jobs.Enqueue(ctx, rollBack{Module: f.ModuleID, Field: f.ID, Options: f.Options}); err != nil {
			return err
		}
	}

	return nil
}

// usedByRollup returns errFieldInUse for a field that rollups and lookups of any module are made of.
func (s *service) usedByRollup(ctx context.Context, row fieldRow) error {
	using, err := s.derivedUsing(ctx, row)
	if err != nil || len(using) == 0 {
		return err
	}
	other := using[0]
	in, err := s.readableModule(ctx, other.ModuleID)
	if errors.Is(err, errModuleNotFound) {
		return errFieldInUse.WithMessage("A %s of another module is computed of the field.", other.Type)
	}
	if err != nil {
		return err
	}

	return errFieldInUse.WithMessage("The %s %s of the module %s is computed of the field.", other.Type, other.Label, in.Name).
		WithDetail("field", other.Key).WithDetail("module_uuid", other.ModuleID)
}

// checkRolled finds a change of a field that rollups and lookups are made of and do not go along with.
func (s *service) checkRolled(ctx context.Context, before, after fieldRow, found *problems) error {
	if before.Sensitive || !after.Sensitive {
		return nil
	}
	using, err := s.derivedUsing(ctx, before)
	for _, other := range using {
		if !other.Sensitive {
			found.add("sensitive", "A "+string(other.Type)+" that is not sensitive is computed of the field. Make that sensitive first.")
		}
	}

	return err
}
