package custommodules

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errDate = valueError("must be a date: YYYY-MM-DD.")

// date is a day of the calendar, without a time or a zone.
type date struct {
	stringCells
	bounds
}

func dateType() fieldType {
	return fieldType{
		name:     "date",
		about:    "A day, as YYYY-MM-DD, from min to max.",
		slot:     timeSlot,
		filter:   list.Date,
		sortable: true,
		options:  func() valueType { return &date{} },
	}
}

func (d *date) check() error { return d.checkTimes(time.DateOnly, errDate) }

func (d *date) parse(raw []byte) (value, error) { return d.parseTime(raw, time.DateOnly, errDate) }

func (*date) comparable(text string) (any, error) {
	return text, checkTime(text, time.DateOnly, errDate)
}

func (*date) schema() map[string]any { return map[string]any{"type": "string", "format": "date"} }

// checkTimes checks bounds in a layout.
func (b *bounds) checkTimes(layout string, problem valueError) error {
	return b.check(func(text string) (string, string, error) {
		return text, text, checkTime(text, layout, problem)
	})
}

// parseTime reads a JSON string in a layout without a zone, which is its normal form.
func (b *bounds) parseTime(raw []byte, layout string, problem valueError) (value, error) {
	if raw[0] != '"' {
		return value{}, problem
	}
	text := string(raw[1 : len(raw)-1])
	if err := checkTime(text, layout, problem); err != nil {
		return value{}, err
	}

	return value{json: raw, key: text}, b.refuseTime(text)
}

// checkTime returns problem unless text is a time in the layout.
func checkTime(text, layout string, problem valueError) error {
	// The length is checked because time.Parse takes one digit where a layout has two, and
	// fractions of a second.
	at, err := time.Parse(layout, text)
	if err != nil || len(text) != len(layout) || (at.Year() < 1 && layout != time.TimeOnly) {
		return problem
	}

	return nil
}
