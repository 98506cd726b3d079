package custommodules

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/numbering"
)

// numberFamily is the family of series of numbers, one a field.
const numberFamily = "custom_modules.field"

// plainSeries is the template of numbers that are integers.
const plainSeries = "{seq:1}"

// autoNumber is a number that a record gets when it is created, greater than all before it.
type autoNumber struct {
	Template string `json:"template"`

	values valueType
}

func autoNumberType() fieldType {
	return fieldType{
		name: "auto_number",
		about: "A number that the service gives to a new record, greater than those before, with gaps: an integer, or with " +
			"template a text such as R-2026-00001 (R-{yyyy}-{seq:5}). It cannot be set.",
		options: func() valueType { return &autoNumber{values: &integer{}} },
	}
}

func (*autoNumber) computed() {}

func (a *autoNumber) shaped(t fieldType) fieldType {
	t.slot, t.filter, t.sortable = numericSlot, list.Integer, true
	if a.Template != "" {
		t.slot, t.filter = textSlot, list.Text
	}

	return t
}

func (a *autoNumber) check() error {
	a.values = &integer{}
	if a.Template != "" {
		a.values = &text{textRules: textRules{MaxLength: mostIndexedText}}
	}
	err := numbering.CheckTemplate(a.series())
	if wrong, ok := errors.AsType[*errs.Error](err); ok {
		return optionError{"template", strings.Join(wrong.Fields["template"], " ")}
	}
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}

	return a.values.check() //nolint:wrapcheck // an optionError
}

// series is the template of the series.
func (a *autoNumber) series() string {
	if a.Template == "" {
		return plainSeries
	}

	return a.Template
}

func (a *autoNumber) parse(raw []byte) (value, error) { return a.values.parse(raw) }

func (a *autoNumber) comparable(text string) (any, error) { return a.values.comparable(text) }

func (a *autoNumber) schema() map[string]any {
	schema := a.values.schema()
	schema["readOnly"] = true

	return schema
}

func (a *autoNumber) csv(json []byte) string { return a.values.csv(json) }

func (a *autoNumber) fromCSV(cell string) ([]byte, error) { return a.values.fromCSV(cell) }

// render makes a value of a number.
func (a *autoNumber) render(number string) (value, error) {
	if a.Template != "" {
		return a.parse(quote(number))
	}

	return a.parse([]byte(number))
}

// number gives a new record its numbers. It goes last: from here on, others who create records of the
// module wait for the transaction.
func (s *service) number(ctx context.Context, w *writing) error {
	given := map[int]value{}
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
