package custommodules

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// types are the field types by name.
type types map[typeName]fieldType

func newTypes(s settings) types {
	byName := types{}
	for _, typ := range fieldTypes(s) {
		byName[typ.name] = typ
	}

	return byName
}

// of returns the type of a field, as its options shape it; false for one that this version does not know.
func (t types) of(row fieldRow) (fieldType, bool) {
	typ, known := t[row.Type]
	if values, err := t.values(row.Type, row.Options); err == nil {
		typ = typ.shaped(values)
	}

	return typ, known
}

// shaped is the type as options shape it.
func (t fieldType) shaped(options valueType) fieldType {
	if s, ok := options.(shaping); ok {
		return s.shaped(t)
	}

	return t
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
// optionError, unless there is no such type.
func (t types) values(name typeName, options []byte) (valueType, error) {
	typ, known := t[name]
	if !known {
		return nil, fmt.Errorf("this version does not know the type %q", name)
	}
	values := typ.options()
	if len(options) > 0 && string(options) != "null" {
		if err := decodeOptions(values, options); err != nil {
			return nil, err
		}
	}

	return values, values.check()
}

// decodeOptions decodes options strictly: a key that the type does not have is refused.
func decodeOptions(into valueType, options []byte) error {
	if options[0] != '{' {
		return optionError{"", "The options must be an object."}
	}
	defaults, err := json.Marshal(into)
	if err != nil {
		return err
	}
	var known []string
	for name := range members(defaults) {
		known = append(known, string(name))
	}
	for name := range members(options) {
		if key := textOf(name); !slices.Contains(known, key) {
			return optionError{shorten(key), unknownKey(key, " for this type", known)}
		}
	}
	for name, raw := range members(options) {
		one := append(append(append([]byte(`{"`), name...), `":`...), raw...)
		err := json.Unmarshal(append(one, '}'), into)
		if wrong, ok := errors.AsType[optionError](err); ok {
			return wrong
		}
		if err != nil {
			return optionError{textOf(name), "The " + spoken(textOf(name)) + " must be " + wanted(err) + "."}
		}
	}

	return nil
}

// wanted names what an option should have been, after it could not be decoded.
func wanted(err error) string {
	mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return "a UUID"
	case mismatch.Type.Kind() == reflect.Int, mismatch.Type.Kind() == reflect.Int64:
		return "an integer"
	case mismatch.Type.Kind() == reflect.Slice:
		return "a list"
	case mismatch.Type.Kind() == reflect.Bool:
		return "true or false"
	default:
		return "a string"
	}
}
