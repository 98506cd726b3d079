// Package cell reads the cells of tables as people write them: dates in the order of their country, amounts with
// signs and separators, words for yes and no. What it returns is the text that a field of the platform reads.
//
// What can be read in one way alone is read whatever the format says. A Format decides the rest: whether 4/5/2026 is
// in April or in May, and whether 1,250 is more than a thousand.
package cell

import (
	"slices"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"
)

// Format is how the cells of a column write their values, shown by an example.
type Format string

// The formats. Any takes what can be read in one way alone, and a number's point for that of its decimals.
const (
	Any          Format = ""
	ISO          Format = "YYYY-MM-DD"
	MonthFirst   Format = "MM/DD/YYYY"
	DayFirst     Format = "DD/MM/YYYY"
	MonthDots    Format = "MM.DD.YYYY"
	Point        Format = "1,234.56"
	Comma        Format = "1.234,56"
	PointPercent Format = "1,234.56%"
	CommaPercent Format = "1.234,56%"
)

// Locale is where the people are who wrote a file.
type Locale struct {
	// Country is a code of ISO 3166 in two letters, "" for unknown.
	Country string
	// Zone is that of times that name none; nil is UTC.
	Zone *time.Location
}

func (l Locale) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}

	return l.Zone
}

// Error says what is wrong with a cell, to stand behind it: "is not a date; such as 05/01/2026".
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// Reader reads the cells of a column.
type Reader struct {
	kind   string
	format Format
	locale Locale
	unit   string
}

// In is the reader of numbers that are in a unit, by its short name (naming.Heading), "" for none: it may stand behind them.
func (r Reader) In(unit string) Reader {
	r.unit = unit

	return r
}

// NewReader returns a reader of cells for values of a type of field. False means that the type has no such format.
func NewReader(kind string, f Format, l Locale) (Reader, bool) {
	known := f == Any || slices.Contains(Formats(kind), f)
	if kind == "phone" {
		known = known || phonenumbers.GetSupportedRegions()[string(f)]
	}

	return Reader{kind: kind, format: f, locale: l}, known
}

// Formats are those among which columns of a type may choose, nil for a type whose cells are written in one way. Those
// of phone numbers are all countries, and are not listed.
func Formats(kind string) []Format {
	switch kind {
	case "date", "local_datetime", "datetime":
		return []Format{ISO, MonthFirst, DayFirst, MonthDots}
	case "decimal":
		return []Format{Point, Comma, PointPercent, CommaPercent}
	case "integer", "weight", "length":
		return []Format{Point, Comma}
	}

	return nil
}

// Read returns the text that a field of the type reads. A cell of a type that is written in one way is returned as it
// is. Its error is an Error.
func (r Reader) Read(cell string) (string, error) {
	text := strings.TrimSpace(cell)
	if text == "" {
		return cell, nil
	}
	switch r.kind {
	case "date":
		return r.date(text)
	case "local_datetime", "datetime":
		return r.moment(text)
	case "time":
		return timeOfDay(text)
	case "decimal":
		return r.amount(text)
	case "integer":
		return r.whole(text)
	case "weight", "length":
		return r.measure(text)
	case "boolean":
		return parseBool(text)
	case "address":
		return parseAddress(text)
	case "email":
		return Mailbox(text), nil
	case "phone":
		return r.phone(text), nil
	}

	return cell, nil
}

// Example is a cell that a reader takes.
func (r Reader) Example() string {
	switch r.kind {
	case "date":
		return exampleDates[r.format]
	case "local_datetime", "datetime":
		return exampleDates[r.format] + " 14:30"
	case "decimal", "weight", "length":
		return exampleNumbers[r.format]
	case "integer":
		whole := exampleNumbers[r.format]

		return whole[:len(whole)-len(".00")]
	}

	return ""
}

var exampleDates = map[Format]string{
	Any: "2026-05-01", ISO: "2026-05-01", MonthFirst: "05/01/2026", DayFirst: "01/05/2026", MonthDots: "05.01.2026",
}

var exampleNumbers = map[Format]string{
	Any: "1,250.00", Point: "1,250.00", Comma: "1.250,00", PointPercent: "12.5%", CommaPercent: "12,5%",
}
