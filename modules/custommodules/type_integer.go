package custommodules

import (
	"bytes"
	"math"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/list"
)

// integer is a whole number of 64 bits.
type integer struct{}

func integerType() fieldType {
	return fieldType{
		name:     "integer",
		about:    "A whole number of 64 bits, as a JSON number.",
		slot:     numericSlot,
		filter:   list.Integer,
		sortable: true,
		options:  func() valueType { return &integer{} },
	}
}

func (*integer) check() error { return nil }

func (*integer) parse(raw []byte) (value, error) {
	if (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) || bytes.ContainsAny(raw, ".eE") {
		return value{}, valueError("must be a whole number.")
	}
	number, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return value{}, valueError("must be a whole number between -9223372036854775808 and 9223372036854775807.")
	}
	text := strconv.FormatInt(number, 10)

	return value{json: []byte(text), key: text}, nil
}

func (i *integer) comparable(text string) (any, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, valueError("must be a whole number of 64 bits.")
	}

	return strconv.FormatInt(number, 10), nil
}

func (*integer) schema() map[string]any {
	return map[string]any{"type": "integer", "minimum": math.MinInt64, "maximum": math.MaxInt64}
}
