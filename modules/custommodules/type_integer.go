package custommodules

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/list"
)

// integer is a whole number of 64 bits.
type integer struct {
	rawCells

	Min *int64 `json:"min"`
	Max *int64 `json:"max"`
}

func integerType() fieldType {
	return fieldType{
		name:     "integer",
		about:    "A whole number of 64 bits, from min to max, as a JSON number.",
		slot:     numericSlot,
		filter:   list.Integer,
		sortable: true,
		options:  func() valueType { return &integer{} },
	}
}

func (i *integer) check() error {
	if i.Min != nil && i.Max != nil && *i.Min > *i.Max {
		return optionError{"max", "The max must not be less than the min."}
	}

	return nil
}

func (i *integer) parse(raw []byte) (value, error) {
	if (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) || bytes.ContainsAny(raw, ".eE") {
		return value{}, valueError("must be a whole number.")
	}
	number, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return value{}, valueError("must be a whole number between -9223372036854775808 and 9223372036854775807.")
	}
	if i.Min != nil && number < *i.Min {
		return value{}, valueError(fmt.Sprintf("must not be less than %d.", *i.Min))
	}
	if i.Max != nil && number > *i.Max {
		return value{}, valueError(fmt.Sprintf("must not be greater than %d.", *i.Max))
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

func (i *integer) schema() map[string]any {
	schema := map[string]any{"type": "integer", "minimum": int64(math.MinInt64), "maximum": int64(math.MaxInt64)}
	if i.Min != nil {
		schema["minimum"] = *i.Min
	}
	if i.Max != nil {
		schema["maximum"] = *i.Max
	}

	return schema
}

// fromCSV takes a whole number alone: no other JSON would become one.
func (i *integer) fromCSV(cell string) ([]byte, error) {
	raw, err := i.rawCells.fromCSV(cell)
	if err != nil {
		return nil, valueError("must be a whole number.")
	}

	return raw, nil
}
