package custommodules

import (
	"fmt"
	"time"

	"github.com/cockroachdb/apd/v3"
)

// formula is a value that is computed of the other fields of a record with every write.
type formula struct {
	Formula string `json:"formula"`
	Result  string `json:"result"`
	Scale   int    `json:"scale"`

	result fieldType
	values valueType
}

func formulaType() fieldType {
	return fieldType{
		name: "formula",
		about: "A value that is computed of other fields with every write: formula is an expression such as " +
			"`price * quantity`, result what comes of it (text, integer, decimal with scale, boolean, date). It cannot be set.",
		options: func() valueType {
			return &formula{Scale: 2, result: textType(), values: textType().options()}
		},
	}
}

// shaping is a valueType whose options decide what the values are. What it returns stands for the type of
// the field.
type shaping interface{ shaped(t fieldType) fieldType }

// computing is a valueType whose values nobody sets.
type computing interface{ computed() }

func (*formula) computed() {}

func (f *formula) shaped(t fieldType) fieldType {
	t.slot, t.filter, t.operators, t.sortable = f.result.slot, f.result.filter, f.result.operators, f.result.sortable

	return t
}

// formulaResults are the types that a formula can have the values of.
func formulaResults() map[string]func() fieldType {
	return map[string]func() fieldType{
		"text": textType, "integer": integerType, "decimal": decimalType, "boolean": booleanType, "date": dateType,
	}
}

func (f *formula) check() error {
	result, known := formulaResults()[f.Result]
	if !known {
		return optionError{"result", "The result must be text, integer, decimal, boolean or date."}
	}
	if _, err := parseFormula(f.Formula); err != nil {
		return optionError{"formula", "The formula " + err.Error()}
	}
	f.result = result()
	f.values = f.result.options()
	switch values := f.values.(type) {
	case *decimal:
		values.Scale = f.Scale
	case *text:
		values.MaxLength = mostIndexedText
	}
	if err := f.values.check(); err != nil {
		return err //nolint:wrapcheck // an optionError
	}

	return nil
}

func (f *formula) parse(raw []byte) (value, error) { return f.values.parse(raw) }

func (f *formula) comparable(text string) (any, error) { return f.values.comparable(text) }

func (f *formula) schema() map[string]any {
	schema := f.values.schema()
	schema["readOnly"] = true

	return schema
}

func (f *formula) csv(json []byte) string { return f.values.csv(json) }

func (f *formula) fromCSV(cell string) ([]byte, error) { return f.values.fromCSV(cell) }

// wants is the kind that the formula must have.
func (f *formula) wants() formulaKind { return formulaKindOf(f.result) }

// render makes a value of the field of what the formula came to. Its error is a formulaError.
func (f *formula) render(result any) (value, error) {
	var raw []byte
	switch v := result.(type) {
	case nil:
		return value{}, nil
	case bool:
		raw = fmt.Appendf(nil, "%t", v)
	case time.Time:
		raw = quote(v.Format(time.DateOnly))
	case string:
		raw = quote(v)
	case *apd.Decimal:
		scale := f.Scale
		if f.Result == "integer" {
			scale = 0
		}
		number, err := fixed(v, scale)
		if err != nil {
			return value{}, err
		}
		if raw = []byte(number); f.Result == "decimal" {
			raw = quote(number)
		}
	}
	made, err := f.values.parse(raw)
	if err != nil {
		return value{}, formulaError("the result " + trimPoint(err.Error()))
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
