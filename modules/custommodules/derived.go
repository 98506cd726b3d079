package custommodules

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// derived is a Values whose values are made of other records and kept up to date by marks and a job: those of a rollup, and
// those of a lookup.
type derived interface {
	field.Values
	// over is the module of the other records.
	over() uuid.UUID
	// by is the reference from them, or to them.
	by() uuid.UUID
	// parts are the fields of theirs that the values are made of.
	parts() []uuid.UUID
}

// derivedOf returns the options of a field that is a rollup or a lookup, nil for another.
func (t types) derivedOf(row fieldRow) derived {
	if row.Options == nil || row.Type != rollupName && row.Type != lookupName {
		return nil
	}
	values, err := t.values(row.Type, row.Options)
	if err != nil {
		return nil
	}
	d, _ := values.(derived)

	return d
}

// derivedNames are the types of such fields.
func derivedNames() []string { return []string{string(rollupName), string(lookupName)} }

// derives reports whether the module has such fields.
func (d *definition) derives() bool {
	return slices.ContainsFunc(d.fields, func(f *moduleField) bool {
		_, is := f.values.(derived)

		return is
	})
}

// derivedUsing returns the fields that are made of a field: of its values, or of those to which it leads.
func (s *service) derivedUsing(ctx context.Context, row fieldRow) ([]fieldRow, error) {
	using, err := s.repo.derivedOver(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	own, err := s.repo.fieldsOf(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	for _, other := range own {
		if !slices.ContainsFunc(using, func(f fieldRow) bool { return f.ID == other.ID }) {
			using = append(using, other)
		}
	}

	return slices.DeleteFunc(using, func(other fieldRow) bool {
		d := s.definitions.types.derivedOf(other)

		return d == nil || d.by() != row.ID && !slices.Contains(d.parts(), row.ID)
	}), nil
}

// resultOf is the type of a computed value that is what a field has, "" for values that cannot be computed with.
func resultOf(typ field.Type) string {
	if typ.Index == "" {
		return ""
	}
	switch kind := formula.KindOf(typ); kind {
	case formula.Number:
		if typ.Filter == field.IntegerType().Filter {
			return "integer"
		}

		return "decimal"
	case formula.Text, formula.Boolean, formula.Date:
		return string(kind)
	case formula.Moment:
		if typ.Filter == field.DatetimeType().Filter {
			return "datetime"
		}

		return "local_datetime"
	default:
		return ""
	}
}

// shapedAs is the type of a field whose values are those of another type.
func shapedAs(t, result field.Type) field.Type {
	t.Index, t.Filter, t.Operators, t.Sortable = result.Index, result.Filter, result.Operators, result.Sortable

	return t
}

// readOnlySchema is the JSON Schema of values that nobody sets.
func readOnlySchema(values field.Values) map[string]any {
	schema := values.Schema()
	schema["readOnly"] = true

	return schema
}

// rendered makes a value of what was computed, none of a number that has no room.
func rendered(result any, typ string, scale int, values field.Values) field.Value {
	made, err := formula.Render(result, typ, scale, values)
	if err != nil {
		return field.Value{}
	}

	return made
}

// mostCircleModules bounds how many modules are read to find a circle.
const mostCircleModules = 50

// findCircle finds a rollup, lookup or formula that is, over those of other modules, made of itself. What is wrong is said of path.
func (s *service) findCircle(ctx context.Context, module uuid.UUID, start fieldRow, own []fieldRow, path string, found *problems) error {
	byModule := map[uuid.UUID][]fieldRow{module: own}
	seen := map[madeOf]bool{}
	next := s.madeOf(module, start, own)
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		if at.field == start.ID {
			found.add(path, "The "+string(start.Type)+" is made of itself.")

			return nil
		}
		rows, read := byModule[at.module]
		if !read {
			if len(byModule) >= mostCircleModules {
				found.add(path, fmt.Sprintf("The %s is made of fields of more than %d modules.", start.Type, mostCircleModules))

				return nil
			}
			var err error
			if rows, err = s.repo.fieldsOf(ctx, at.module); err != nil {
				return err
			}
			byModule[at.module] = rows
		}
		if i := slices.IndexFunc(rows, func(row fieldRow) bool { return row.ID == at.field }); i >= 0 {
			next = append(next, s.madeOf(at.module, rows[i], rows)...)
		}
	}

	return nil
}

// madeOf is a field of which others are made.
type madeOf struct{ module, field uuid.UUID }

// madeOf are the fields of which one is made, whose module has some rows.
func (s *service) madeOf(module uuid.UUID, row fieldRow, rows []fieldRow) []madeOf {
	var all []madeOf
	if made := s.definitions.types.derivedOf(row); made != nil {
		for _, id := range made.parts() {
			all = append(all, madeOf{made.over(), id})
		}
	}
	for _, key := range row.readKeys() {
		for _, other := range rows {
			if other.Key == key {
				all = append(all, madeOf{module, other.ID})
			}
		}
	}

	return all
}
