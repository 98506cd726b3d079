package field

import (
	"database/sql/driver"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Values of structs that are kept as text.
type (
	// VIN is a vehicle identification number in upper case: "1M8GDM9AXKP042788". A wrong check digit is taken.
	VIN = Text[vinKind]
	// Phone is a phone number as E.164 has it: "+12025550143". One without a country code is read as of the US.
	Phone = Text[phoneKind]
	// Email is an e-mail address in lower case: "ann@example.com".
	Email = Text[emailKind]
	// URL is the address of a page, https or http.
	URL = Text[urlKind]
	// Date is a day: "2026-12-01". It goes into columns of dates and of text.
	Date = Text[dateKind]
	// USDOT is the number that the FMCSA gives a carrier: "1234567".
	USDOT = Text[usdotKind]
	// MC is a docket number of the FMCSA: "MC-123456".
	MC = Text[mcKind]
	// SCAC is a standard carrier alpha code: "ABCD".
	SCAC = Text[scacKind]
	// Equipment is what a load is carried on: "enclosed", "step_deck"; see the type equipment for all.
	Equipment = Text[equipmentKind]
)

// Text is a value whose normal form is a text, for the structs of areas; "" is none, which is null in JSON and in a column.
// What it reads from JSON it brings into the normal form of the field type of K; the error is an Error. What it reads from a
// column is taken as it is.
type Text[K textKind] string

// textKind says which field type a Text is of, and gives an example of a value.
type textKind interface {
	fieldType() Type
	example() string
}

type (
	vinKind       struct{}
	phoneKind     struct{}
	emailKind     struct{}
	urlKind       struct{}
	dateKind      struct{}
	usdotKind     struct{}
	mcKind        struct{}
	scacKind      struct{}
	equipmentKind struct{}
)

func (vinKind) fieldType() Type       { return vinType }
func (phoneKind) fieldType() Type     { return phoneType() }
func (emailKind) fieldType() Type     { return emailType() }
func (urlKind) fieldType() Type       { return urlType() }
func (dateKind) fieldType() Type      { return DateType() }
func (usdotKind) fieldType() Type     { return usdotType() }
func (mcKind) fieldType() Type        { return mcType }
func (scacKind) fieldType() Type      { return scacType() }
func (equipmentKind) fieldType() Type { return equipmentType }

func (vinKind) example() string       { return "1M8GDM9AXKP042788" }
func (phoneKind) example() string     { return "+12025550143" }
func (emailKind) example() string     { return "ann@example.com" }
func (urlKind) example() string       { return "https://example.com/" }
func (dateKind) example() string      { return "2026-12-01" }
func (usdotKind) example() string     { return "1234567" }
func (mcKind) example() string        { return "MC-123456" }
func (scacKind) example() string      { return "ABCD" }
func (equipmentKind) example() string { return "enclosed" }

// FieldType is the field type of the value.
func (Text[K]) FieldType() Type {
	var kind K

	return kind.fieldType()
}

// String returns the value in its normal form.
func (t Text[K]) String() string { return string(t) }

// MarshalJSON implements json.Marshaler.
func (t Text[K]) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}

	return rawjson.Quote(string(t)), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text[K]) UnmarshalJSON(raw []byte) error {
	value, err := parseInto(t.FieldType(), raw)
	if err != nil {
		return err
	}
	*t = Text[K](rawjson.Text(value.JSON))

	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler. An empty text is none.
func (t *Text[K]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = ""

		return nil
	}
	if !utf8.Valid(text) {
		return errEncoding
	}

	return t.UnmarshalJSON(rawjson.Quote(string(text)))
}

// Value implements driver.Valuer.
func (t Text[K]) Value() (driver.Value, error) {
	if t == "" {
		return nil, nil //nolint:nilnil // no value
	}

	return string(t), nil
}

// Scan implements sql.Scanner.
func (t *Text[K]) Scan(from any) error {
	switch column := from.(type) {
	case nil:
		*t = ""
	case string:
		*t = Text[K](column)
	case []byte:
		*t = Text[K](column)
	case time.Time: // what drivers make of a column of dates
		*t = Text[K](column.Format(time.DateOnly))
	default:
		return fmt.Errorf("a %T is no text", from)
	}

	return nil
}

// Schema implements huma.SchemaProvider.
func (t Text[K]) Schema(huma.Registry) *huma.Schema {
	var kind K

	return t.FieldType().Document(kind.example())
}

const errEncoding = Error("must be text in UTF-8.")

// parseInto parses JSON as a field of the type without options does. A null is no value, without JSON.
func parseInto(typ Type, raw []byte) (Value, error) {
	switch {
	case !utf8.Valid(raw):
		return Value{}, errEncoding
	case len(rawjson.OrNothing(raw)) == 0:
		return Value{}, nil
	}

	return typ.New().Parse(raw)
}
