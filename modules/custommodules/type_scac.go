package custommodules

import (
	"regexp"

	"github.com/dispatchd/dispatchd/platform/list"
)

var scacPattern = regexp.MustCompile(`^[A-Za-z]{2,4}$`)

// scac is a standard carrier alpha code, as the NMFTA gives it out.
type scac struct{ stringCells }

func scacType() fieldType {
	return fieldType{
		name:      "scac",
		about:     "A standard carrier alpha code: 2 to 4 letters, kept in upper case.",
		slot:      textSlot,
		filter:    list.Text,
		operators: searched(),
		sortable:  true,
		options:   func() valueType { return &scac{} },
	}
}

func (*scac) check() error { return nil }

func (*scac) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if !scacPattern.MatchString(given) {
		return value{}, valueError("must be 2 to 4 letters.")
	}
	code := upperASCII(given)

	return value{json: quote(code), key: code}, nil
}

func (s *scac) comparable(text string) (any, error) { return s.part(text) }

func (*scac) part(text string) (string, error) { return comparableText(upperASCII(text)) }

func (*scac) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": scacPattern.String()}
}
