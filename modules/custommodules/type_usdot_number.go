package custommodules

import (
	"regexp"

	"github.com/dispatchd/dispatchd/platform/list"
)

var usdotPattern = regexp.MustCompile(`^[1-9][0-9]{0,7}$`)

// usdotNumber is the number that the FMCSA gives a carrier (49 CFR 390.21). It is a name, not a
// quantity.
type usdotNumber struct{ stringCells }

func usdotNumberType() fieldType {
	return fieldType{
		name:      "usdot_number",
		about:     "A USDOT number: 1 to 8 digits without leading zeros, as a string.",
		slot:      textSlot,
		filter:    list.Text,
		operators: searched(),
		sortable:  true,
		options:   func() valueType { return &usdotNumber{} },
	}
}

func (*usdotNumber) check() error { return nil }

func (*usdotNumber) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if !usdotPattern.MatchString(given) {
		return value{}, valueError("must be 1 to 8 digits without leading zeros.")
	}

	return value{json: quote(given), key: given}, nil
}

func (*usdotNumber) comparable(text string) (any, error) { return comparableText(text) }

func (*usdotNumber) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": usdotPattern.String()}
}
