package money

import (
	"database/sql/driver"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/text/currency"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errCurrency = field.Error("must be a three-letter ISO 4217 currency code, such as USD.")

// Currency is a currency as ISO 4217 writes it: "USD". The zero value is none: null in JSON and in a column.
type Currency string

// ParseCurrency reads a currency in either case. Its error is a field.Error.
func ParseCurrency(text string) (Currency, error) {
	unit, err := currency.ParseISO(text)
	if err != nil || !strings.EqualFold(unit.String(), text) || unit == currency.XXX || unit == currency.XTS {
		return "", errCurrency
	}

	return Currency(unit.String()), nil
}

// Digits are the fraction digits of what can be paid in the currency, by CLDR: 2 for USD, 0 for JPY, 3 for KWD.
func (c Currency) Digits() int {
	unit, err := currency.ParseISO(string(c))
	if err != nil {
		return shownDigits
	}
	digits, _ := currency.Standard.Rounding(unit)

	return digits
}

// Precision says which amounts can be paid in the currency: "with at most 2 decimals".
func (c Currency) Precision() string {
	if c.Digits() == 0 {
		return "without decimals"
	}

	return "with at most " + strconv.Itoa(c.Digits()) + " decimals"
}

// AmountRule says what an amount of that name must be: from nothing up to a count of the smallest units of the currency.
func (c Currency) AmountRule(name string, most int64) string { return c.AmountBetween(name, 0, most) }

// AmountBetween says what an amount of that name must be: from and up to a count of the smallest units of the currency.
func (c Currency) AmountBetween(name string, least, most int64) string {
	return "The " + name + " must be an amount in " + string(c) + " " + c.Precision() + ", at least " + c.spoken(least) + " and at most " + c.spoken(most) + "."
}

// spoken is an amount as sentences have it.
func (c Currency) spoken(units int64) string {
	if units == 0 {
		return "0"
	}
	amount := string(OfUnits(units, c).Amount)
	if c.Digits() == 0 {
		amount, _, _ = strings.Cut(amount, ".")
	}

	return amount
}

// String returns the code.
func (c Currency) String() string { return string(c) }

// FieldType is the field type of currencies, a text.
func (Currency) FieldType() field.Type {
	typ := field.TextType()
	typ.About = "A three-letter ISO 4217 currency code, such as USD."
	typ.Operators = []list.Operator{list.Equal, list.NotEqual, list.In, list.NotIn}
	typ.New = func() field.Values { return currencyValues{} }

	return typ
}

// MarshalJSON implements json.Marshaler.
func (c Currency) MarshalJSON() ([]byte, error) { return marshal(string(c)) }

// UnmarshalJSON implements json.Unmarshaler. Its error is a field.Error.
func (c *Currency) UnmarshalJSON(raw []byte) error { return unmarshal(c, currencyValues{}, raw) }

// Value implements driver.Valuer.
func (c Currency) Value() (driver.Value, error) { return columnValue(string(c)) }

// Scan implements sql.Scanner.
func (c *Currency) Scan(from any) error {
	text, err := scanText(from)
	*c = Currency(text)

	return err
}

// Schema implements huma.SchemaProvider.
func (c Currency) Schema(huma.Registry) *huma.Schema { return c.FieldType().Document("USD") }

// currencyValues handle currencies as the values of a field.
type currencyValues struct{}

// Check implements field.Values.
func (currencyValues) Check() error { return nil }

// Parse implements field.Values.
func (currencyValues) Parse(raw []byte) (field.Value, error) {
	made, err := ParseCurrency(rawjson.Text(raw))
	if err != nil {
		return field.Value{}, err
	}

	return field.Value{JSON: rawjson.Quote(string(made)), Key: string(made)}, nil
}

// Comparable implements field.Values.
func (currencyValues) Comparable(text string) (any, error) {
	made, err := ParseCurrency(text)

	return string(made), err
}

// Schema implements field.Values.
func (currencyValues) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[A-Za-z]{3}$"}
}

// CSV implements field.Values.
func (currencyValues) CSV(json []byte) string { return rawjson.Text(json) }

// FromCSV implements field.Values.
func (currencyValues) FromCSV(cell string) ([]byte, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return []byte("null"), nil
	}

	return field.ValidCell(cell, rawjson.Quote(cell)) //nolint:wrapcheck // a field.Error
}
