package field

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Shaped is the type as options shape it.
func (t Type) Shaped(options Values) Type {
	if s, ok := options.(Shaper); ok {
		return s.Shaped(t)
	}

	return t
}

// Values returns what handles the values of a field of the type: the options at their defaults, with the given ones
// decoded over them. The options are valid JSON or nothing. Its error is an OptionError.
func (t Type) Values(options []byte) (Values, error) {
	values := t.New()
	if len(options) > 0 && string(options) != "null" {
		if err := decodeOptions(values, options); err != nil {
			return nil, err
		}
	}

	return values, values.Check()
}

// decodeOptions decodes options strictly: a key that the type does not have is refused.
func decodeOptions(into Values, options []byte) error {
	if options[0] != '{' {
		return OptionError{"", "The options must be an object."}
	}
	defaults, err := json.Marshal(into)
	if err != nil {
		return err
	}
	var known []string
	for name := range rawjson.Members(defaults) {
		known = append(known, string(name))
	}
	for name := range rawjson.Members(options) {
		if key := rawjson.Name(name); !slices.Contains(known, key) {
			return OptionError{naming.Shorten(key), naming.UnknownKey(key, " for this type", known)}
		}
	}
	for name, raw := range rawjson.Members(options) {
		one := append(append(append([]byte(`{"`), name...), `":`...), raw...)
		err := json.Unmarshal(append(one, '}'), into)
		if wrong, ok := errors.AsType[OptionError](err); ok {
			return wrong
		}
		if err != nil {
			return OptionError{rawjson.Name(name), "The " + naming.Spaced(rawjson.Name(name)) + " must be " + expectedOption(err) + "."}
		}
	}

	return nil
}

// expectedOption names what an option should have been, after it could not be decoded.
func expectedOption(err error) string {
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
