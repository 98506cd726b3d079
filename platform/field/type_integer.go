package field

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// IntegerOptions is a whole number of 64 bits.
type IntegerOptions struct {
	rawCells

	Min *int64 `json:"min"`
	Max *int64 `json:"max"`
}

// IntegerType is the type of whole numbers of 64 bits.
func IntegerType() Type {
	return Type{
		Name:     "integer",
		About:    "A whole number of 64 bits, from min to max, as a JSON number.",
		Index:    NumericIndex,
		Filter:   kind.Integer,
		Sortable: true,
		New:      func() Values { return &IntegerOptions{} },
	}
}

// Check implements Values.
func (i *IntegerOptions) Check() error {
	if i.Min != nil && i.Max != nil && *i.Min > *i.Max {
		return OptionError{"max", "The max must not be less than the min."}
	}

	return nil
}

// Parse implements Values.
func (i *IntegerOptions) Parse(raw []byte) (Value, error) {
	if (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) || bytes.ContainsAny(raw, ".eE") {
		return Value{}, Error("must be a whole number.")
	}
	number, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return Value{}, Error("must be a whole number between -9223372036854775808 and 9223372036854775807.")
	}
	if i.Min != nil && number < *i.Min {
		return Value{}, Error(fmt.Sprintf("must not be less than %d.", *i.Min))
	}
	if i.Max != nil && number > *i.Max {
		return Value{}, Error(fmt.Sprintf("must not be greater than %d.", *i.Max))
	}
	text := strconv.FormatInt(number, 10)

	return Value{JSON: []byte(text), Key: text}, nil
}

// Comparable implements Values.
func (i *IntegerOptions) Comparable(text string) (any, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, Error("must be a whole number of 64 bits.")
	}

	return strconv.FormatInt(number, 10), nil
}

// Schema implements Values.
func (i *IntegerOptions) Schema() map[string]any {
	schema := map[string]any{"type": "integer", "minimum": int64(math.MinInt64), "maximum": int64(math.MaxInt64)}
	if i.Min != nil {
		schema["minimum"] = *i.Min
	}
	if i.Max != nil {
		schema["maximum"] = *i.Max
	}

	return schema
}

// FromCSV takes a whole number alone: no other JSON would become one.
func (i *IntegerOptions) FromCSV(cell string) ([]byte, error) {
	raw, err := i.rawCells.FromCSV(cell)
	if err != nil {
		return nil, Error("must be a whole number.")
	}

	return raw, nil
}
