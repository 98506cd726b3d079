package money

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// shownDigits are the fraction digits that every amount has, in whatever currency.
const shownDigits = 2

// Amount is an exact decimal number with at least two fraction digits: "12500.00", "0.125". It has at most 18 digits on either
// side of the point. The zero value is none: null in JSON and in a column, which is numeric on PostgreSQL and text on SQLite.
type Amount string

// ParseAmount reads a decimal number, such as "12.5". Its error is a field.Error.
func ParseAmount(text string) (Amount, error) {
	number, err := field.NormalDecimal(text, field.FractionDigits)
	if err != nil {
		return "", err //nolint:wrapcheck // a field.Error
	}

	return normalForm(number), nil
}

// normalForm writes a decimal number with the fraction digits that it needs, and at least two.
func normalForm(number string) Amount {
	whole, fraction, _ := strings.Cut(number, ".")
	fraction = strings.TrimRight(fraction, "0")

	return Amount(whole + "." + fraction + strings.Repeat("0", max(0, shownDigits-len(fraction))))
}

// String returns the number in its normal form.
func (a Amount) String() string { return string(a) }

// In is the amount with as many decimal places as a currency has: 85000 for JPY, 12.50 for USD, 1.500 for KWD. An amount with more keeps them.
func (a Amount) In(c Currency) string {
	whole, decimals, _ := strings.Cut(string(a), ".")
	decimals = strings.TrimRight(decimals, "0")
	if short := c.Digits() - len(decimals); short > 0 {
		decimals += strings.Repeat("0", short)
	}
	if decimals == "" {
		return whole
	}

	return whole + "." + decimals
}

// Negative reports whether an amount is less than zero.
func (a Amount) Negative() bool { return strings.HasPrefix(string(a), "-") }

// FieldType is the field type of amounts: decimal, with as many fraction digits as a number has.
func (Amount) FieldType() field.Type {
	typ := field.DecimalType()
	typ.About = `An exact amount with up to 18 digits on either side of the point, as a string: "12500.00".`
	typ.New = func() field.Values { return amountValues{} }

	return typ
}

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) { return marshal(string(a)) }

// UnmarshalJSON implements json.Unmarshaler. Its error is a field.Error.
func (a *Amount) UnmarshalJSON(raw []byte) error { return unmarshal(a, amountValues{}, raw) }

// Value implements driver.Valuer.
func (a Amount) Value() (driver.Value, error) { return columnValue(string(a)) }

// Scan implements sql.Scanner.
func (a *Amount) Scan(from any) error {
	text, err := scanText(from)
	if err != nil || text == "" {
		*a = ""

		return err
	}
	*a, err = ParseAmount(text)

	return err
}

// Schema implements huma.SchemaProvider.
func (a Amount) Schema(huma.Registry) *huma.Schema {
	return a.FieldType().Document("12500.00")
}

// amountValues handle amounts as the values of a field.
type amountValues struct{}

// Check implements field.Values.
func (amountValues) Check() error { return nil }

// Parse implements field.Values.
func (amountValues) Parse(raw []byte) (field.Value, error) {
	exact, err := (&field.DecimalOptions{Scale: field.FractionDigits}).Parse(raw)
	if err != nil {
		return field.Value{}, err //nolint:wrapcheck // a field.Error
	}
	amount, err := ParseAmount(rawjson.Text(exact.JSON))

	return field.Value{JSON: rawjson.Quote(string(amount)), Key: string(amount)}, err
}

// Comparable implements field.Values.
func (amountValues) Comparable(text string) (any, error) {
	amount, err := ParseAmount(text)

	return string(amount), err
}

// Schema implements field.Values.
func (amountValues) Schema() map[string]any {
	return (&field.DecimalOptions{Scale: field.FractionDigits}).Schema()
}

// CSV implements field.Values.
func (amountValues) CSV(json []byte) string { return rawjson.Text(json) }

// FromCSV implements field.Values.
func (amountValues) FromCSV(cell string) ([]byte, error) {
	return (&field.DecimalOptions{}).FromCSV(cell) //nolint:wrapcheck // a field.Error
}

// marshal writes a text, null for none.
func marshal(text string) ([]byte, error) {
	if text == "" {
		return []byte("null"), nil
	}

	return rawjson.Quote(text), nil
}

func unmarshal[T ~string](into *T, values field.Values, raw []byte) error {
	if len(rawjson.OrNothing(raw)) == 0 {
		*into = ""

		return nil
	}
	value, err := values.Parse(raw)
	if err == nil {
		*into = T(rawjson.Text(value.JSON))
	}

	return err //nolint:wrapcheck // a field.Error
}

func columnValue(text string) (driver.Value, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no value
	}

	return text, nil
}

func scanText(from any) (string, error) {
	switch text := from.(type) {
	case nil:
		return "", nil
	case string:
		return text, nil
	case []byte:
		return string(text), nil
	default:
		return "", fmt.Errorf("a %T is no text", from)
	}
}
