package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// mostRollups bounds the rollups of a module: each is computed by reading other records.
const mostRollups = 20

// watch lets a definition know what others compute of its records.
func (d *definitions) watch(ctx context.Context, def *definition, rows []fieldRow) error {
	refers := false
	for i, row := range rows {
		def.rolling = def.rolling || row.Rolling
		refers = refers || def.fields[i].refers()
	}
	if def.open != nil {
		def.open.rolling = def.rolling
	}
	if !refers {
		return nil
	}
	over, err := d.repo.rollupsOver(ctx, def.module)
	if err != nil {
		return err
	}
	var rollups []*rollup
	for _, row := range over {
		if r := d.types.rollupOf(row); r != nil {
			rollups = append(rollups, r)
		}
	}
	def.watchFor(rollups)

	return nil
}

// rollupOf returns the options of a field that is a rollup, nil for another.
func (t types) rollupOf(row fieldRow) *rollup {
	if row.Type != rollupName || row.Options == nil {
		return nil
	}
	values, err := t.values(row.Type, row.Options)
	if err != nil {
		return nil
	}
	r, _ := values.(*rollup)

	return r
}

// settleRollups decides what the rollups among the fields of a module are, and finds what is wrong with them, by
// the position of the field.
func (s *service) settleRollups(ctx context.Context, module uuid.UUID, rows []fieldRow, only func(fieldRow) bool) (map[int]problems, error) {
	wrong := map[int]problems{}
	count := 0
	for i := range rows {
		r := s.definitions.types.rollupOf(rows[i])
		if r == nil {
			continue
		}
		if count++; count > mostRollups {
			wrong[i] = oneProblem("type", fmt.Sprintf("A module must not have more than %d rollups.", mostRollups))

			continue
		}
		if !only(rows[i]) {
			continue
		}
		found, err := s.settleRollup(ctx, module, &rows[i], r, rows)
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

		return found, s.findCircle(ctx, module, *row, own, &found)
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

// mostCircleModules bounds how many modules are read to find a circle.
const mostCircleModules = 50

// findCircle finds a rollup that is, over rollups and formulas of other modules, made of itself.
func (s *service) findCircle(ctx context.Context, module uuid.UUID, start fieldRow, own []fieldRow, found *problems) error {
	byModule := map[uuid.UUID][]fieldRow{module: own}
	type step struct{ module, field uuid.UUID }
	seen := map[step]bool{}
	next := []step{}
	push := func(module uuid.UUID, ids ...*uuid.UUID) {
		for _, id := range ids {
			if id != nil {
				next = append(next, step{module, *id})
			}
		}
	}
	first := s.definitions.types.rollupOf(start)
	push(first.Module, first.Field, first.WhereField)
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		if at.field == start.ID {
			found.add("options.field_uuid", "The rollup is made of itself.")

			return nil
		}
		rows, read := byModule[at.module]
		if !read {
			if len(byModule) >= mostCircleModules {
				found.add("options.field_uuid", fmt.Sprintf("The rollup is made of those of more than %d modules.", mostCircleModules))

				return nil
			}
			var err error
			if rows, err = s.repo.fieldsOf(ctx, at.module); err != nil {
				return err
			}
			byModule[at.module] = rows
		}
		i := slices.IndexFunc(rows, func(row fieldRow) bool { return row.ID == at.field })
		if i < 0 {
			continue
		}
		if r := s.definitions.types.rollupOf(rows[i]); r != nil {
			push(r.Module, r.Field, r.WhereField)
		}
		for _, name := range formula.NamesIn(rows[i].formulaText()) {
			for _, row := range rows {
				if row.Key == name {
					push(at.module, &row.ID)
				}
			}
		}
	}

	return nil
}

// rollBack is the job that computes a rollup for the records that were there before it.
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

// rollAfter has a rollup computed that came or changed. The module that it is computed of gets another revision,
// so that every write from here on marks the records that it concerns.
func (s *service) rollAfter(ctx context.Context, in moduleRow, before fieldRow, row *fieldRow) error {
	r := s.definitions.types.rollupOf(*row)
	if r == nil || rawjson.Same(before.Options, row.Options) {
		return nil
	}
	if r.Module != in.ID {
		if _, err := s.repo.advance(ctx, r.Module, s.change(ctx)); err != nil {
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

// rollBackAll computes all rollups of a module anew, after it was away.
func (s *service) rollBackAll(ctx context.Context, fields []fieldRow) error {
	for _, f := range fields {
		if f.Type != rollupName {
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

// usedByRollup returns errFieldInUse for a field that rollups of any module are computed of.
func (s *service) usedByRollup(ctx context.Context, row fieldRow) error {
	over, err := s.repo.rollupsOver(ctx, row.ModuleID)
	if err != nil {
		return err
	}
	for _, other := range over {
		r := s.definitions.types.rollupOf(other)
		if r == nil || !r.uses(row.ID) {
			continue
		}
		in, err := s.readableModule(ctx, other.ModuleID)
		if errors.Is(err, errModuleNotFound) {
			return errFieldInUse.WithMessage("A rollup of another module is computed of the field.")
		}
		if err != nil {
			return err
		}

		return errFieldInUse.WithMessage("The rollup %s of the module %s is computed of the field.", other.Label, in.Name).
			WithDetail("field", other.Key).WithDetail("module_uuid", other.ModuleID)
	}

	return nil
}

func (r *rollup) uses(id uuid.UUID) bool {
	return r.Reference == id || r.Field != nil && *r.Field == id || r.WhereField != nil && *r.WhereField == id
}

// checkRolled finds a change of a field that rollups of other modules are computed of and do not go along with.
func (s *service) checkRolled(ctx context.Context, before, after fieldRow, found *problems) error {
	if before.Sensitive || !after.Sensitive {
		return nil
	}
	over, err := s.repo.rollupsOver(ctx, before.ModuleID)
	for _, other := range over {
		if r := s.definitions.types.rollupOf(other); r != nil && r.uses(before.ID) && !other.Sensitive {
			found.add("sensitive", "A rollup of another module is computed of the field, and is not sensitive.")
		}
	}

	return err
}
