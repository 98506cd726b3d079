package field

import (
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

const errBoolean = Error("must be true or false.")

// booleanOptions is true or false.
type booleanOptions struct{}

// BooleanType is the type of true and false.
func BooleanType() Type {
	return Type{
		Name:     "boolean",
		About:    "true or false.",
		Index:    BoolIndex,
		Filter:   kind.Boolean,
		Sortable: true,
		New:      func() Values { return &booleanOptions{} },
	}
}

// Check implements Values.
func (*booleanOptions) Check() error { return nil }

// Parse implements Values.
func (*booleanOptions) Parse(raw []byte) (Value, error) {
	if raw[0] != 't' && raw[0] != 'f' {
		return Value{}, errBoolean
	}

	return Value{JSON: raw, Key: raw[0] == 't'}, nil
}

// Comparable implements Values.
func (*booleanOptions) Comparable(text string) (any, error) {
	truth, err := strconv.ParseBool(text)
	if err != nil {
		return nil, errBoolean
	}

	return truth, nil
}

// Schema implements Values.
func (*booleanOptions) Schema() map[string]any { return map[string]any{"type": "boolean"} }

// CSV implements Values.
func (*booleanOptions) CSV(json []byte) string { return string(json) }

// FromCSV takes the words that spreadsheets have for true and false.
func (*booleanOptions) FromCSV(cell string) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "":
		return []byte("null"), nil
	case "true", "yes", "y", "1":
		return []byte("true"), nil
	case "false", "no", "n", "0":
		return []byte("false"), nil
	}

	return nil, errBoolean
}
