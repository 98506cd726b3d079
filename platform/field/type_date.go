package field

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

const errDate = Error("must be a date: YYYY-MM-DD.")

// dateOptions is a day of the calendar, without a time or a zone.
type dateOptions struct {
	stringCells
	bounds
}

// DateType is the type of days of the calendar.
func DateType() Type {
	return Type{
		Name:     "date",
		About:    "A day, as YYYY-MM-DD, from min to max.",
		Index:    TimeIndex,
		Filter:   kind.Date,
		Sortable: true,
		New:      func() Values { return &dateOptions{} },
	}
}

// Check implements Values.
func (d *dateOptions) Check() error { return d.checkTimes(time.DateOnly, errDate) }

// Parse implements Values.
func (d *dateOptions) Parse(raw []byte) (Value, error) {
	return d.parseTime(raw, time.DateOnly, errDate)
}

// Comparable implements Values.
func (*dateOptions) Comparable(text string) (any, error) {
	return text, checkTime(text, time.DateOnly, errDate)
}

// Schema implements Values.
func (*dateOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "format": "date"}
}

// checkTimes checks bounds in a layout.
func (b *bounds) checkTimes(layout string, problem Error) error {
	return b.check(func(text string) (string, string, error) {
		return text, text, checkTime(text, layout, problem)
	})
}

// parseTime reads a JSON string in a layout without a zone, which is its normal form.
func (b *bounds) parseTime(raw []byte, layout string, problem Error) (Value, error) {
	if raw[0] != '"' {
		return Value{}, problem
	}
	text := string(raw[1 : len(raw)-1])
	if err := checkTime(text, layout, problem); err != nil {
		return Value{}, err
	}

	return Value{JSON: raw, Key: text}, b.refuseTime(text)
}

// checkTime returns problem unless text is a time in the layout.
func checkTime(text, layout string, problem Error) error {
	// The length is checked because time.Parse takes one digit where a layout has two, and
	// fractions of a second.
	at, err := time.Parse(layout, text)
	if err == nil && len(text) == len(layout) && (at.Year() >= 1 || layout == time.TimeOnly) {
		return nil
	}
	if why := notOnCalendar(text); why != "" && len(text) == len(layout) {
		return Error(why)
	}

	return problem
}

// timePattern is what is written like a date, a time of the day, or both.
var timePattern = regexp.MustCompile(`^(?:([0-9]{4})-([0-9]{2})-([0-9]{2}))?[ T]?(?:([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.Z+-].*)?)?$`)

// notOnCalendar says why something that is written like a time is none, "" if it is one, or not written so.
func notOnCalendar(text string) string {
	parts := timePattern.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	var n [7]int
	for i := range n {
		n[i], _ = strconv.Atoi(parts[i]) //nolint:errcheck // digits, or nothing: 0
	}
	year, month, day := n[1], n[2], n[3]
	if parts[1] != "" {
		last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		switch {
		case year < 1:
			return "must have a year from 0001 to 9999."
		case month < 1 || month > 12:
			return "must have a month from 01 to 12."
		case day < 1 || day > last:
			return fmt.Sprintf("must be a day that exists: %s-%s has the days 01 to %d.", parts[1], parts[2], last)
		}
	}
	if n[4] > 23 || n[5] > 59 || n[6] > 59 {
		return "must have a time from 00:00:00 to 23:59:59."
	}

	return ""
}

const errLocalDatetime = Error("must be a date and time: YYYY-MM-DD HH:MM:SS.")

// localDatetimeOptions is a date and a time as the clock on the wall there shows it, without a zone.
type localDatetimeOptions struct {
	stringCells
	bounds
}

// LocalDatetimeType is the type of dates and times without a zone.
func LocalDatetimeType() Type {
	return Type{
		Name:     "local_datetime",
		About:    "A date and time without a zone, as YYYY-MM-DD HH:MM:SS, from min to max.",
		Index:    TimeIndex,
		Filter:   kind.LocalTime,
		Sortable: true,
		New:      func() Values { return &localDatetimeOptions{} },
	}
}

// Check implements Values.
func (l *localDatetimeOptions) Check() error { return l.checkTimes(time.DateTime, errLocalDatetime) }

// Parse implements Values.
func (l *localDatetimeOptions) Parse(raw []byte) (Value, error) {
	return l.parseTime(raw, time.DateTime, errLocalDatetime)
}

// Comparable implements Values.
func (*localDatetimeOptions) Comparable(text string) (any, error) {
	return text, checkTime(text, time.DateTime, errLocalDatetime)
}

// Schema implements Values.
func (*localDatetimeOptions) Schema() map[string]any {
	return map[string]any{
		"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`,
	}
}

const errTimeOfDay = Error("must be a time: HH:MM:SS.")

// timeOptions is a time as the clock on the wall shows it, on no particular day. No column of times
// holds one without a day, and as text it sorts right.
type timeOptions struct {
	stringCells
	bounds
}

var timeType = Type{
	Name:      "time",
	About:     "A time of the day, as HH:MM:SS, from min to max.",
	Index:     TextIndex,
	Filter:    kind.Text,
	Operators: list.Ordered,
	Sortable:  true,
	New:       func() Values { return &timeOptions{} },
}

// Check implements Values.
func (t *timeOptions) Check() error { return t.checkTimes(time.TimeOnly, errTimeOfDay) }

// Parse implements Values.
func (t *timeOptions) Parse(raw []byte) (Value, error) {
	return t.parseTime(raw, time.TimeOnly, errTimeOfDay)
}

// Comparable implements Values.
func (*timeOptions) Comparable(text string) (any, error) {
	return text, checkTime(text, time.TimeOnly, errTimeOfDay)
}

// Schema implements Values.
func (*timeOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$`}
}
