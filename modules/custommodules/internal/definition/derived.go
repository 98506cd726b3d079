package definition

import (
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// Derived is a Values whose values are made of other records and kept up to date by marks and a job: those of a rollup, and
// those of a lookup.
type Derived interface {
	field.Values
	// over is the module of the other records.
	ModuleID() uuid.UUID
	// by is the reference from them, or to them.
	ReferenceID() uuid.UUID
	// parts are the fields of theirs that the values are made of.
	Parts() []uuid.UUID
}

// DerivedOf returns the options of a field that is a rollup or a lookup, nil for another.
func (t Types) DerivedOf(row FieldRow) Derived {
	if row.Options == nil || row.Type != RollupName && row.Type != LookupName {
		return nil
	}
	values, err := t.Values(row.Type, row.Options)
	if err != nil {
		return nil
	}
	d, _ := values.(Derived)

	return d
}

// DerivedNames are the types of such fields.
var DerivedNames = []string{string(RollupName), string(LookupName)}

// Derives reports whether the module has such fields.
func (d *Definition) Derives() bool {
	return slices.ContainsFunc(d.Fields, func(f *ModuleField) bool {
		_, is := f.Values.(Derived)

		return is
	})
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

// RenderResult makes a value of what was computed, none of a number that has no room.
func RenderResult(result any, typ string, scale int, values field.Values) field.Value {
	made, err := formula.Render(result, typ, scale, values)
	if err != nil {
		return field.Value{}
	}

	return made
}
