// Package kind has the kinds of values that fields have: how the text of a request or cursor becomes a value of the database,
// and what people and JSON see of one.
package kind

// Kind is a kind of values.
type Kind string

// The kinds, each with the text that a request, a cursor and JSON have for a value.
const (
	Text      Kind = "text"           // compared byte by byte: COLLATE "C" is added on PostgreSQL
	Integer   Kind = "integer"        // 64 bits; in JSON a number without a fraction
	Decimal   Kind = "decimal"        // exact: "12.50"
	Boolean   Kind = "boolean"        // true, false; false sorts first
	Date      Kind = "date"           // "2026-09-22"
	Time      Kind = "time"           // RFC 3339, to the microsecond: "2026-09-22T10:00:00Z"
	LocalTime Kind = "local_datetime" // "2026-09-22 10:00:00"
	UUID      Kind = "uuid"           // in lower case
	Reference Kind = "reference"      // an object that names an item; not compared
	Object    Kind = "object"         // any other object or array; not compared
)

// described names the values of the kinds that are compared in a message: "The value must be …".
var described = map[Kind]string{
	Text:      "text",
	Integer:   "a whole number",
	Decimal:   "a decimal number such as 12.50",
	Boolean:   "true or false",
	Date:      "a date such as 2026-09-22",
	Time:      "a time such as 2026-09-22T10:00:00Z",
	LocalTime: "a local date-time such as 2026-09-22 10:00:00",
	UUID:      "a UUID",
}

// Describe names a value in a message: "The value must be …".
func (k Kind) Describe() string { return described[k] }

// Comparable reports whether a database can compare the values.
func (k Kind) Comparable() bool { return described[k] != "" }

// Numeric reports whether the values are numbers.
func (k Kind) Numeric() bool { return k == Integer || k == Decimal }

// Dated reports whether the values are dates or times, which may be counted from the present.
func (k Kind) Dated() bool { return k == Date || k == Time || k == LocalTime }

// JSON returns the kind of the values where they are JSON, which has ids as texts.
func (k Kind) JSON() Kind {
	if k == UUID || k == "" {
		return Text
	}

	return k
}
