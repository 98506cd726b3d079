package formula

import (
	"fmt"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Options is a value that is computed of the other fields of a record with every write.
type Options struct {
	Formula string `json:"formula"`
	Result  string `json:"result"`
	Scale   int    `json:"scale"`

	result field.Type
	values field.Values
}

// Type is the type of fields whose values are computed with every write.
func Type() field.Type {
	return field.Type{
		Name: "formula",
		About: "A value computed from other fields on every write: formula is an expression such as `price * " +
			"quantity`, result its type (text, integer, decimal with scale, boolean, date). It cannot be set.",
		New: func() field.Values {
			return &Options{Scale: 2, result: field.TextType(), values: field.TextType().New()}
		},
	}
}

// Computed implements field.Computed.
func (*Options) Computed() {}

// Shaped implements field.Shaper.
func (f *Options) Shaped(t field.Type) field.Type {
	t.Index, t.Filter, t.Operators, t.Sortable = f.result.Index, f.result.Filter, f.result.Operators, f.result.Sortable

	return t
}

// Results are the types that a formula can have the values of.
func Results() map[string]func() field.Type {
	return map[string]func() field.Type{
		"text": field.TextType, "integer": field.IntegerType, "decimal": field.DecimalType, "boolean": field.BooleanType, "date": field.DateType,
	}
}

// Check implements field.Values.
func (f *Options) Check() error {
	result, known := Results()[f.Result]
	if !known {
		return field.OptionError{Option: "result", Problem: "The result must be text, integer, decimal, boolean or date."}
	}
	if _, err := parse(f.Formula); err != nil {
		return field.OptionError{Option: "formula", Problem: "The formula " + err.Error()}
	}
	f.result = result()
	values, err := ResultValues(f.result, f.Scale)
	f.values = values

	return err
}

// ResultValues handle what is computed: values of a type of Results, decimals with so many fraction digits. The error is a
// field.OptionError.
func ResultValues(typ field.Type, scale int) (field.Values, error) {
	values := typ.New()
	switch options := values.(type) {
	case *field.DecimalOptions:
		options.Scale = scale
	case *field.TextOptions:
		options.MaxLength = field.MaxIndexedText
	}

	return values, values.Check() //nolint:wrapcheck // a field.OptionError
}

// Parse implements field.Values.
func (f *Options) Parse(raw []byte) (field.Value, error) { return f.values.Parse(raw) }

// Comparable implements field.Values.
func (f *Options) Comparable(text string) (any, error) { return f.values.Comparable(text) }

// Schema implements field.Values.
func (f *Options) Schema() map[string]any {
	schema := f.values.Schema()
	schema["readOnly"] = true

	return schema
}

// CSV implements field.Values.
func (f *Options) CSV(json []byte) string { return f.values.CSV(json) }

// FromCSV implements field.Values.
func (f *Options) FromCSV(cell string) ([]byte, error) { return f.values.FromCSV(cell) }

// Compile makes the formula ready, or says with an Error what is wrong with it, or with what it comes to.
func (f *Options) Compile(n Names) (Expr, error) {
	compiled, err := Compile(f.Formula, n)
	if err == nil && compiled.Kind != KindOf(f.result) && compiled.Kind != Nil {
		err = Error(fmt.Sprintf("returns a %s, but the result must be %s.", compiled.Kind, f.Result))
	}

	return compiled, err
}

// Render makes a value of the field of what the formula came to. Its error is an Error.
func (f *Options) Render(result any) (field.Value, error) {
	return Render(result, f.Result, f.Scale, f.values)
}

// Render makes a value of what was computed, which values handle: those of ResultValues for the type of the name. Its error is
// an Error.
func Render(result any, typ string, scale int, values field.Values) (field.Value, error) {
	var raw []byte
	switch v := result.(type) {
	case nil:
		return field.Value{}, nil
	case bool:
		raw = fmt.Appendf(nil, "%t", v)
	case time.Time:
		raw = rawjson.Quote(v.Format(time.DateOnly))
	case string:
		raw = rawjson.Quote(v)
	case *apd.Decimal:
		if typ == "integer" {
			scale = 0
		}
		number, err := formatFixed(v, scale)
		if err != nil {
			return field.Value{}, err
		}
		if raw = []byte(number); typ == "decimal" {
			raw = rawjson.Quote(number)
		}
	}
	made, err := values.Parse(raw)
	if err != nil {
		return field.Value{}, Error("the result " + trimPoint(err.Error()))
	}

	return made, nil
}

// trimPoint takes the full stop off a sentence that goes on.
func trimPoint(sentence string) string {
	if n := len(sentence); n > 0 && sentence[n-1] == '.' {
		return sentence[:n-1]
	}

	return sentence
}
