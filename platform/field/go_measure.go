package field

import (
	"database/sql/driver"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

type (
	// Weight is a weight with its unit, for the structs of areas: {"kg": "1814.36948", "unit": "lb", "value": "4000"}. Values
	// without a unit are in pounds.
	Weight = Measure[weightKind]
	// Length is a length with its unit, for the structs of areas: {"m": "15.24", "unit": "ft", "value": "50"}. Values without
	// a unit are in feet.
	Length = Measure[lengthKind]
)

// Measure is a quantity with a unit; the zero value is none. It is JSON in a column, where the number in the canonical unit
// stands beside the one that was given.
type Measure[K measureKind] struct {
	// Number is a decimal number as it was given, without zeros at its end: "12.5".
	Number string
	// Unit is one of the field type's: "lb".
	Unit string
}

type measureKind interface {
	fieldType() Type
	example() map[string]any
}

type (
	weightKind struct{}
	lengthKind struct{}
)

func (weightKind) fieldType() Type { return weightType() }
func (lengthKind) fieldType() Type { return lengthType() }

func (weightKind) example() map[string]any {
	return map[string]any{"value": "4000", "unit": "lb", "kg": "1814.36948"}
}

func (lengthKind) example() map[string]any {
	return map[string]any{"value": "50", "unit": "ft", "m": "15.24"}
}

// FieldType is the field type of the value.
func (Measure[K]) FieldType() Type {
	var kind K

	return kind.fieldType()
}

// Canonical returns the number in the canonical unit, kilograms or metres, exactly: "1814.36948"; "" for none. Its error is an Error.
func (m Measure[K]) Canonical() (string, error) {
	raw, err := m.MarshalJSON()

	return rawjson.Text(rawjson.Member(raw, m.FieldType().Inside)), err
}

// MarshalJSON implements json.Marshaler. Its error is an Error, for a number or a unit that there is not.
func (m Measure[K]) MarshalJSON() ([]byte, error) {
	if m == (Measure[K]{}) {
		return []byte("null"), nil
	}
	given := append(append([]byte(`{"unit":`), rawjson.Quote(m.Unit)...), `,"value":`...)
	value, err := m.FieldType().New().Parse(append(append(given, rawjson.Quote(m.Number)...), '}'))

	return value.JSON, err
}

// UnmarshalJSON implements json.Unmarshaler. Its error is an Error.
func (m *Measure[K]) UnmarshalJSON(raw []byte) error {
	value, err := parseInto(m.FieldType(), raw)
	if err == nil {
		m.read(value.JSON)
	}

	return err
}

func (m *Measure[K]) read(normal []byte) {
	*m = Measure[K]{
		Number: rawjson.Text(rawjson.Member(normal, "value")),
		Unit:   rawjson.Text(rawjson.Member(normal, "unit")),
	}
}

// Value implements driver.Valuer.
func (m Measure[K]) Value() (driver.Value, error) { return columnOf(m, m == Measure[K]{}) }

// Scan implements sql.Scanner.
func (m *Measure[K]) Scan(from any) error {
	raw, err := jsonIn(from)
	if err == nil {
		m.read(raw)
	}

	return err
}

// Schema implements huma.SchemaProvider.
func (m Measure[K]) Schema(huma.Registry) *huma.Schema {
	var kind K

	return m.FieldType().Document(kind.example())
}
