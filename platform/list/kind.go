package list

// Kind says what a field's values are: how the text of a request or cursor becomes a value of the
// database, and which operators make sense.
type Kind string

// The kinds, each with the text that a request and a cursor have for a value.
const (
	Text      Kind = "text"            // compared byte by byte: COLLATE "C" is added on PostgreSQL
	Integer   Kind = "integer"         // 64 bits
	Decimal   Kind = "decimal"         // exact: "12.50"
	Boolean   Kind = "boolean"         // "true", "false"; false sorts first
	Date      Kind = "date"            // "2026-09-22"
	Time      Kind = "time"            // RFC 3339, to the microsecond: "2026-09-22T10:00:00Z"
	LocalTime Kind = "local date-time" // "2026-09-22 10:00:00"
	UUID      Kind = "uuid"            // in lower case
)

// operators returns what the kind can be compared by, without Null.
func (k Kind) operators() []Operator {
	switch k {
	case Text:
		return []Operator{
			Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, In, NotIn, Like, Starts,
		}
	case Integer, Decimal, Date, Time, LocalTime:
		return []Operator{Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, In, NotIn}
	case UUID:
		return []Operator{Equal, NotEqual, In, NotIn}
	case Boolean:
		return []Operator{Equal, NotEqual}
	}

	return nil
}

// wanted names the kind's values in a message: "The value must be …".
func (k Kind) wanted() string {
	switch k {
	case Text:
		return "text"
	case Integer:
		return "a whole number"
	case Decimal:
		return "a decimal number such as 12.50"
	case Boolean:
		return "true or false"
	case Date:
		return "a date such as 2026-09-22"
	case Time:
		return "a time such as 2026-09-22T10:00:00Z"
	case LocalTime:
		return "a local date-time such as 2026-09-22 10:00:00"
	case UUID:
		return "a UUID"
	}

	return string(k)
}
