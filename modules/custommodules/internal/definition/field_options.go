package definition

import (
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/field"
)

// Types are the field types by name.
type Types map[TypeName]field.Type

// NewTypes returns the types that fields can have.
func NewTypes(s Settings) Types {
	byName := Types{}
	for _, typ := range FieldTypes(s) {
		byName[TypeName(typ.Name)] = typ
	}

	return byName
}

// Of returns the type of a field, as its options shape it; false for one that this version does not know.
func (t Types) Of(row FieldRow) (field.Type, bool) {
	typ, known := t[row.Type]
	if values, err := t.Values(row.Type, row.Options); err == nil {
		typ = typ.Shaped(values)
	}

	return typ, known
}

// Names returns the names of all types, sorted.
func (t Types) Names() []string {
	var names []string
	for name := range t {
		names = append(names, string(name))
	}
	slices.Sort(names)

	return names
}

// Values returns what handles the values of a field: its type's options at their defaults, with
// the given ones decoded over them. The options are valid JSON or nothing. Its error is an
// field.OptionError, unless there is no such type.
func (t Types) Values(name TypeName, options []byte) (field.Values, error) {
	typ, known := t[name]
	if !known {
		return nil, fmt.Errorf("this version does not know the type %q", name)
	}
	return typ.Values(options)
}
