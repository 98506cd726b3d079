package definition

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// LookupName is the type of fields that have the value of the record which a reference names.
const LookupName TypeName = "lookup"

// Lookup is the value that the record which a reference names has in one of its fields.
type Lookup struct {
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
	Values field.Values `json:"-"`
}

// measuredScale is how many fraction digits lookups of weights (kg) and lengths (m) have.
const measuredScale = 6

func lookupType() field.Type {
	return field.Type{
		Name: string(LookupName),
		About: "A value of a referenced record: reference is the key of a reference of this module, field the key of a " +
			"field of the module that it refers to. Answers have both as reference_uuid and field_uuid, and the type " +
			"of the values in result. It cannot be set. It is current as soon as the record is written; when the other " +
			"record changes, a job updates it.",
		New: func() field.Values {
			return &Lookup{ReferenceKey: new(""), FieldKey: new(""), result: field.TextType(), Values: field.TextType().New()}
		},
	}
}

// Computed says that the service makes the values.
func (*Lookup) Computed() {}

// ModuleID implements derived.
func (l *Lookup) ModuleID() uuid.UUID { return l.Module }

// ReferenceID implements derived.
func (l *Lookup) ReferenceID() uuid.UUID { return l.Reference }

// Parts implements derived.
func (l *Lookup) Parts() []uuid.UUID { return []uuid.UUID{l.Field} }

// Shaped is the type as the options make it.
func (l *Lookup) Shaped(t field.Type) field.Type { return shapedAs(t, l.result) }

// Check implements field.Values.
func (l *Lookup) Check() error {
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
	l.Values = values

	return err
}

// Parse implements field.Values.
func (l *Lookup) Parse(raw []byte) (field.Value, error) { return l.Values.Parse(raw) }

// Comparable implements field.Values.
func (l *Lookup) Comparable(text string) (any, error) { return l.Values.Comparable(text) }

// Schema implements field.Values.
func (l *Lookup) Schema() map[string]any { return readOnlySchema(l.Values) }

// CSV implements field.Values.
func (l *Lookup) CSV(json []byte) string { return l.Values.CSV(json) }

// FromCSV implements field.Values.
func (l *Lookup) FromCSV(cell string) ([]byte, error) { return l.Values.FromCSV(cell) }

// Decide says what the values are. It is false for a field of which there is no lookup.
func (l *Lookup) Decide(of *ModuleField) bool {
	l.Result, l.Scale = resultOf(of.Typ), 0
	if l.Result == "decimal" {
		if l.Scale = of.scale(); of.Typ.Inside != "" {
			l.Scale = measuredScale
		}
	}

	return l.Result != ""
}
