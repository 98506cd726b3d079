package custommodules

import (
	"strconv"

	"github.com/dispatchd/dispatchd/platform/list"
)

// boolean is true or false.
type boolean struct{}

func booleanType() fieldType {
	return fieldType{
		name:     "boolean",
		about:    "true or false.",
		slot:     boolSlot,
		filter:   list.Boolean,
		sortable: true,
		options:  func() valueType { return &boolean{} },
	}
}

func (*boolean) check() error { return nil }

func (*boolean) parse(raw []byte) (value, error) {
	if raw[0] != 't' && raw[0] != 'f' {
		return value{}, valueError("must be true or false.")
	}

	return value{json: raw, key: raw[0] == 't'}, nil
}

func (*boolean) comparable(text string) (any, error) {
	truth, err := strconv.ParseBool(text)
	if err != nil {
		return nil, valueError("must be true or false.")
	}

	return truth, nil
}

func (*boolean) schema() map[string]any { return map[string]any{"type": "boolean"} }
