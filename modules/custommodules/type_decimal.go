package custommodules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errDecimal = valueError(`must be a decimal number in a string, such as "12500.00".`)

var decimalPattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// decimal is an exact number with a fixed count of fraction digits, such as a price. It is a string
// all the way through: no floating-point number ever holds it.
type decimal struct {
	stringCells
	bounds

	Scale int `json:"scale"`
}

func decimalType() fieldType {
	return fieldType{
		name:     "decimal",
		about:    `An exact number with scale fraction digits (2, at most 18) and up to 18 digits before them, from min to max, as a string: "12500.00".`,
		slot:     numericSlot,
		filter:   list.Decimal,
		sortable: true,
		options:  func() valueType { return &decimal{Scale: 2} },
	}
}

func (d *decimal) check() error {
	if d.Scale < 0 || d.Scale > fractionDigits {
		return optionError{"scale", fmt.Sprintf("The scale must be between 0 and %d.", fractionDigits)}
	}

	return d.bounds.check(func(text string) (string, string, error) {
		number, err := normalDecimal(text, d.Scale)
		if err != nil {
			return "", "", err
		}

		return number, orderedNumber(number), nil
	})
}

func (d *decimal) parse(raw []byte) (value, error) {
	if raw[0] != '"' {
		return value{}, errDecimal
	}
	number, err := normalDecimal(string(raw[1:len(raw)-1]), d.Scale)
	if err != nil {
		return value{}, err
	}

	return value{json: []byte(`"` + number + `"`), key: number}, d.refuse(orderedNumber(number))
}

// comparable takes a number of another scale than the field's, which may well be compared with.
func (d *decimal) comparable(text string) (any, error) { return normalDecimal(text, fractionDigits) }

func (d *decimal) schema() map[string]any {
	pattern := `^-?[0-9]{1,18}$`
	if d.Scale > 0 {
		pattern = fmt.Sprintf(`^-?[0-9]{1,18}(\.[0-9]{1,%d})?$`, d.Scale)
	}

	return map[string]any{"type": "string", "format": "decimal", "pattern": pattern}
}

// normalDecimal writes a decimal number without leading zeros and with exactly scale fraction
// digits. It never rounds.
func normalDecimal(text string, scale int) (string, error) {
	if !decimalPattern.MatchString(text) {
		return "", errDecimal
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(whole) > integerDigits-1 {
		return "", valueError(fmt.Sprintf("must not have more than %d digits before the point.", integerDigits-1))
	}
	if len(fraction) > scale {
		return "", valueError(fmt.Sprintf("must not have more than %d digits after the point.", scale))
	}
	if whole == "" && fraction == "" {
		negative = false
	}

	return formatDecimal(negative, whole, fraction, scale), nil
}

func formatDecimal(negative bool, whole, fraction string, scale int) string {
	var out strings.Builder
	if negative {
		out.WriteByte('-')
	}
	if whole == "" {
		whole = "0"
	}
	out.WriteString(whole)
	if scale > 0 {
		out.WriteByte('.')
		out.WriteString(fraction)
		out.WriteString(strings.Repeat("0", scale-len(fraction)))
	}

	return out.String()
}
