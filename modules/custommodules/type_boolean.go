package custommodules

import (
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errBoolean = valueError("must be true or false.")

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
		return value{}, errBoolean
	}

	return value{json: raw, key: raw[0] == 't'}, nil
}

func (*boolean) comparable(text string) (any, error) {
	truth, err := strconv.ParseBool(text)
	if err != nil {
		return nil, errBoolean
	}

	return truth, nil
}

func (*boolean) schema() map[string]any { return map[string]any{"type": "boolean"} }

func (*boolean) csv(json []byte) string { return string(json) }

// fromCSV takes the words that spreadsheets have for true and false.
func (*boolean) fromCSV(cell string) ([]byte, error) {
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
