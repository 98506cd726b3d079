package custommodules

import (
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/field"
)

// types are the field types by name.
type types map[typeName]field.Type

func newTypes(s settings) types {
	byName := types{}
	for _, typ := range fieldTypes(s) {
		byName[typeName(typ.Name)] = typ
	}

	return byName
}

// of returns the type of a field, as its options shape it; false for one that this version does not know.
func (t types) of(row fieldRow) (field.Type, bool) {
	typ, known := t[row.Type]
	if values, err := t.values(row.Type, row.Options); err == nil {
		typ = typ.Shaped(values)
	}

	return typ, known
}

// names returns the names of all types, sorted.
func (t types) names() []string {
	var names []string
	for name := range t {
		names = append(names, string(name))
	}
	slices.Sort(names)

	return names
}

// values returns what handles the values of a field: its type's options at their defaults, with
// the given ones decoded over them. The options are valid JSON or nothing. Its error is an
// field.OptionError, unless there is no such type.
func (t types) values(name typeName, options []byte) (field.Values, error) {
	typ, known := t[name]
	if !known {
		return nil, fmt.Errorf("this version does not know the type %q", name)
	}
	return typ.Values(options)
}
