package field

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

const errDecimal = Error(`must be a decimal number in a string, such as "12500.00".`)

var decimalPattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// DecimalOptions is an exact number with a fixed count of fraction digits, such as a price. It is a string
// all the way through: no floating-point number ever holds it.
type DecimalOptions struct {
	stringCells
	bounds

	Scale int `json:"scale"`
}

// DecimalType is the type of exact numbers with a fixed count of fraction digits.
func DecimalType() Type {
	return Type{
		Name:     "decimal",
		About:    `An exact number with scale digits after the point (default 2, at most 18) and up to 18 before it, from min to max, as a string: "12500.00".`,
		Index:    NumericIndex,
		Filter:   kind.Decimal,
		Sortable: true,
		New:      func() Values { return &DecimalOptions{Scale: 2} },
	}
}

// Check implements Values.
func (d *DecimalOptions) Check() error {
	if d.Scale < 0 || d.Scale > FractionDigits {
		return OptionError{"scale", fmt.Sprintf("The scale must be between 0 and %d.", FractionDigits)}
	}

	return d.check(func(text string) (string, string, error) {
		number, err := NormalDecimal(text, d.Scale)
		if err != nil {
			return "", "", err
		}

		return number, OrderedNumber(number), nil
	})
}

// Parse implements Values.
func (d *DecimalOptions) Parse(raw []byte) (Value, error) {
	if raw[0] != '"' {
		return Value{}, errDecimal
	}
	number, err := NormalDecimal(string(raw[1:len(raw)-1]), d.Scale)
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: []byte(`"` + number + `"`), Key: number}, d.boundsError(OrderedNumber(number))
}

// Comparable takes a number of another scale than the field's, which may well be compared with.
func (d *DecimalOptions) Comparable(text string) (any, error) {
	return NormalDecimal(text, FractionDigits)
}

// Schema implements Values.
func (d *DecimalOptions) Schema() map[string]any {
	fraction := "0+"
	if d.Scale > 0 {
		fraction = fmt.Sprintf("[0-9]{1,%d}0*", d.Scale)
	}
	pattern := fmt.Sprintf(`^-?0*[0-9]{1,%d}(\.%s)?$`, IntegerDigits-1, fraction)

	return map[string]any{"type": "string", "format": "decimal", "pattern": pattern}
}

// NormalDecimal writes a decimal number without leading zeros and with exactly scale fraction
// digits. It never rounds.
func NormalDecimal(text string, scale int) (string, error) {
	if !decimalPattern.MatchString(text) {
		return "", errDecimal
	}
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(whole) > IntegerDigits-1 {
		return "", Error(fmt.Sprintf("must not have more than %d digits before the point.", IntegerDigits-1))
	}
	if len(fraction) > scale {
		return "", Error(fmt.Sprintf("must not have more than %d digits after the point.", scale))
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
