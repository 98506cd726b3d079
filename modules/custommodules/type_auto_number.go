package custommodules

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// numberFamily is the family of series of numbers, one a field.
const numberFamily = "custom_modules.field"

// plainSeries is the template of numbers that are integers.
const plainSeries = "{seq:1}"

// autoNumber is a number that a record gets when it is created, greater than all before it.
type autoNumber struct {
	Template string `json:"template"`

	values field.Values
}

func autoNumberType() field.Type {
	return field.Type{
		Name: "auto_number",
		About: "A number that the service gives to a new record, greater than those before, with gaps: an integer, or with " +
			"template a text such as R-2026-00001 (R-{yyyy}-{seq:5}). It cannot be set.",
		New: func() field.Values { return &autoNumber{values: &field.IntegerOptions{}} },
	}
}

func (*autoNumber) Computed() {}

func (a *autoNumber) Shaped(t field.Type) field.Type {
	t.Index, t.Filter, t.Sortable = field.NumericIndex, list.Integer, true
	if a.Template != "" {
		t.Index, t.Filter = field.TextIndex, list.Text
	}

	return t
}

func (a *autoNumber) Check() error {
	a.values = &field.IntegerOptions{}
	if a.Template != "" {
		a.values = &field.TextOptions{TextRules: field.TextRules{MaxLength: field.MaxIndexedText}}
	}
	err := numbering.CheckTemplate(a.series())
	if wrong, ok := errors.AsType[*errs.Error](err); ok {
		return field.OptionError{Option: "template", Problem: strings.Join(wrong.Fields["template"], " ")}
	}
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}

	return a.values.Check() //nolint:wrapcheck // an field.OptionError
}

// series is the template of the series.
func (a *autoNumber) series() string {
	if a.Template == "" {
		return plainSeries
	}

	return a.Template
}

func (a *autoNumber) Parse(raw []byte) (field.Value, error) { return a.values.Parse(raw) }

func (a *autoNumber) Comparable(text string) (any, error) { return a.values.Comparable(text) }

func (a *autoNumber) Schema() map[string]any {
	schema := a.values.Schema()
	schema["readOnly"] = true

	return schema
}

func (a *autoNumber) CSV(json []byte) string { return a.values.CSV(json) }

func (a *autoNumber) FromCSV(cell string) ([]byte, error) { return a.values.FromCSV(cell) }

// render makes a value of a number.
func (a *autoNumber) render(number string) (field.Value, error) {
	if a.Template != "" {
		return a.Parse(rawjson.Quote(number))
	}

	return a.Parse([]byte(number))
}

// number gives a new record its numbers. It goes last: from here on, others who create records of the
// module wait for the transaction.
func (s *service) number(ctx context.Context, w *writing) error {
	given := map[int]field.Value{}
	for i, f := range w.definition.fields {
		auto, ok := f.values.(*autoNumber)
		if !ok {
			continue
		}
		number, err := s.others.numbers.Next(ctx, numbering.Member(numberFamily, f.id), numbering.From(auto.series()))
		if err != nil {
			return err
		}
		if given[i], err = auto.render(number); err != nil {
			return fmt.Errorf("number %s of field %s: %w", number, f.id, err)
		}
	}
	if len(given) > 0 {
		w.made = w.definition.withValues(w.made, given)
	}

	return nil
}

// renumber changes the template of a field's series. Its errors are those of numbering.
func (s *service) renumber(ctx context.Context, before, after fieldRow) error {
	old, err := s.definitions.types.values(before.Type, before.Options)
	if err != nil {
		return err
	}
	now, err := s.definitions.types.values(after.Type, after.Options)
	if err != nil {
		return err
	}
	a, numbers := old.(*autoNumber)
	b, still := now.(*autoNumber)
	if !numbers || !still || a.Template == b.Template {
		return nil
	}

	return s.others.numbers.SetTemplate(ctx, numbering.Member(numberFamily, after.ID), b.series())
}
