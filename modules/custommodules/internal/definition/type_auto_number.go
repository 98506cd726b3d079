package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// NumberFamily is the family of series of numbers, one a field.
const NumberFamily = "custom_modules.field"

// plainSeries is the template of numbers that are integers.
const plainSeries = "{seq:1}"

// AutoNumber is a number that a record gets when it is created, greater than all before it.
type AutoNumber struct {
	Template string `json:"template"`

	values field.Values
}

// AutoNumberType is the type auto_number.
var AutoNumberType = field.Type{
	Name: "auto_number",
	About: "A number assigned to each new record, ascending but with gaps: an integer, or with template a text " +
		"such as R-2026-00001 (R-{yyyy}-{seq:5}). It cannot be set.",
	New: func() field.Values { return &AutoNumber{values: &field.IntegerOptions{}} },
}

// Computed says that the service makes the values.
func (*AutoNumber) Computed() {}

// Shaped is the type as the options make it.
func (a *AutoNumber) Shaped(t field.Type) field.Type {
	t.Index, t.Filter, t.Sortable = field.NumericIndex, kind.Integer, true
	if a.Template != "" {
		t.Index, t.Filter = field.TextIndex, kind.Text
	}

	return t
}

// Check implements field.Values.
func (a *AutoNumber) Check() error {
	a.values = &field.IntegerOptions{}
	if a.Template != "" {
		a.values = &field.TextOptions{TextRules: field.TextRules{MaxLength: field.MaxIndexedText}}
	}
	err := numbering.CheckTemplate(a.Series())
	if wrong, ok := errors.AsType[*errs.Error](err); ok {
		return field.OptionError{Option: "template", Problem: strings.Join(wrong.Fields["template"], " ")}
	}
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}

	return a.values.Check() //nolint:wrapcheck // an field.OptionError
}

// Series is the template of the series.
func (a *AutoNumber) Series() string {
	if a.Template == "" {
		return plainSeries
	}

	return a.Template
}

// Parse implements field.Values.
func (a *AutoNumber) Parse(raw []byte) (field.Value, error) { return a.values.Parse(raw) }

// Comparable implements field.Values.
func (a *AutoNumber) Comparable(text string) (any, error) { return a.values.Comparable(text) }

// Schema implements field.Values.
func (a *AutoNumber) Schema() map[string]any {
	schema := a.values.Schema()
	schema["readOnly"] = true

	return schema
}

// CSV implements field.Values.
func (a *AutoNumber) CSV(json []byte) string { return a.values.CSV(json) }

// FromCSV implements field.Values.
func (a *AutoNumber) FromCSV(cell string) ([]byte, error) { return a.values.FromCSV(cell) }

// Render makes a value of a number.
func (a *AutoNumber) Render(number string) (field.Value, error) {
	if a.Template != "" {
		return a.Parse(rawjson.Quote(number))
	}

	return a.Parse([]byte(number))
}
