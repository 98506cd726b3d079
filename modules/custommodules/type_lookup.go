package custommodules

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// lookupName is the type of fields that have the value of the record which a reference names.
const lookupName typeName = "lookup"

// lookup is the value that the record which a reference names has in one of its fields.
type lookup struct {
	// ReferenceKey and FieldKey name the two fields in requests, nil where their ids do. These are kept, so that fields can be
	// renamed.
	ReferenceKey *string `json:"reference,omitempty"`
	FieldKey     *string `json:"field,omitempty"`
	// Reference is a field of the lookup's own module, Field one of Module, which the reference names.
	Reference uuid.UUID `json:"reference_uuid"`
	Module    uuid.UUID `json:"module_uuid"`
	Field     uuid.UUID `json:"field_uuid"`
	// Result is what the values are, with Scale fraction digits. The service decides them, and Module.
	Result string `json:"result"`
	Scale  int    `json:"scale"`

	result field.Type
	values field.Values
}

// measuredScale is how many fraction digits lookups of weights (kg) and lengths (m) have.
const measuredScale = 6

func lookupType() field.Type {
	return field.Type{
		Name: string(lookupName),
		About: "The value that the record which a reference names has: reference is the key of a reference of this module, field " +
			"that of a field of the module which it names; answers have both as reference_uuid and field_uuid, and in result what the values " +
			"are. It cannot be set. It is right as soon as the record is written; when the other record changes, a job follows.",
		New: func() field.Values {
			return &lookup{ReferenceKey: new(""), FieldKey: new(""), result: field.TextType(), values: field.TextType().New()}
		},
	}
}

func (*lookup) Computed() {}

func (l *lookup) over() uuid.UUID    { return l.Module }
func (l *lookup) by() uuid.UUID      { return l.Reference }
func (l *lookup) parts() []uuid.UUID { return []uuid.UUID{l.Field} }

func (l *lookup) Shaped(t field.Type) field.Type { return shapedAs(t, l.result) }

func (l *lookup) Check() error {
	for _, key := range []**string{&l.ReferenceKey, &l.FieldKey} {
		if *key != nil && **key == "" {
			*key = nil
		}
	}
	switch {
	case l.ReferenceKey == nil && l.Reference == uuid.Nil:
		return field.OptionError{Option: "reference", Problem: "The reference is required: the key of a field of this module that refers to records."}
	case l.FieldKey == nil && l.Field == uuid.Nil:
		return field.OptionError{Option: "field", Problem: "The field is required: the key of a field of the module that the reference names."}
	}
	result, known := rollupResults()[l.Result]
	if !known { // yet to be decided
		l.Result, l.Scale, result = "", 0, field.TextType
	}
	l.result = result()
	values, err := formula.ResultValues(l.result, l.Scale)
	l.values = values

	return err
}

func (l *lookup) Parse(raw []byte) (field.Value, error) { return l.values.Parse(raw) }

func (l *lookup) Comparable(text string) (any, error) { return l.values.Comparable(text) }

func (l *lookup) Schema() map[string]any { return readOnlySchema(l.values) }

func (l *lookup) CSV(json []byte) string { return l.values.CSV(json) }

func (l *lookup) FromCSV(cell string) ([]byte, error) { return l.values.FromCSV(cell) }

// decide says what the values are. It is false for a field of which there is no lookup.
func (l *lookup) decide(of *moduleField) bool {
	l.Result, l.Scale = resultOf(of.typ), 0
	if l.Result == "decimal" {
		if l.Scale = of.scale(); of.typ.Inside != "" {
			l.Scale = measuredScale
		}
	}

	return l.Result != ""
}
