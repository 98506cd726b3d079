package formula

import (
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// Kind is what a part of a formula is. Its values are, in this order, string, *apd.Decimal, bool,
// time.Time (of a date, at midnight UTC), string, and nil; nil is also the value that is not there of any
// other kind.
type Kind string

// The kinds.
const (
	Text    Kind = "text"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Date    Kind = "date"
	// Moment is a date with a time. It is compared, and made a date.
	Moment Kind = "date and time"
	Nil    Kind = "nil"
)

const (
	// workPerRecord is how many bytes of text and how many steps the formulas of a record may take.
	workPerRecord = 4 << 20
	// longestMade is how long a text may become that a formula puts together, in bytes.
	longestMade = 10_000
	// wholeDigits is how many digits before the point a number in a formula may come to have.
	wholeDigits = 36
	// digits is how many digits a formula reckons with. Sums and products are exact within them.
	digits = 100
	// quotientDigits are the fraction digits of a quotient.
	quotientDigits = 36
)

// Evaluation is the computing of the formulas of one record.
type Evaluation struct {
	// Values are those of the definition's fields, as formulas have them.
	Values []any
	work   int
}

// addWork counts work, and refuses what is too much.
func (e *Evaluation) addWork(work int) error {
	if e.work += work + 1; e.work > workPerRecord {
		return Error("the formulas of the record take too long to compute")
	}

	return nil
}

// KindOf returns what the values of a type of field are in a formula, "" for those that do not
// stand in one.
func KindOf(t field.Type) Kind {
	switch t.Filter {
	case kind.Integer, kind.Decimal:
		return Number
	case kind.Boolean:
		return Boolean
	case kind.Date:
		return Date
	case kind.Time, kind.LocalTime:
		return Moment
	case kind.Text:
		if t.Index == field.TextIndex || t.Name == "long_text" || t.Name == "url" {
			return Text
		}
	default:
	}

	return ""
}

// ValueOf reads what a value of a type is compared by ("12.50", "true") for formulas, nil for what cannot be read.
func ValueOf(t field.Type, text string) any {
	switch KindOf(t) {
	case Text, Moment:
		return text
	case Number:
		if number, _, err := apd.NewFromString(text); err == nil {
			return number
		}
	case Boolean:
		return text == "true"
	case Date:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return day
		}
	case Nil:
	}

	return nil
}

// formatFixed writes a number with so many fraction digits.
func formatFixed(number *apd.Decimal, scale int) (string, error) {
	var rounded apd.Decimal
	context := Arithmetic()
	if _, err := context.Quantize(&rounded, number, int32(-scale)); err != nil { //nolint:gosec // at most 18
		return "", Error("the number is too large")
	}
	if rounded.IsZero() {
		rounded.Negative = false
	}

	return rounded.Text('f'), nil
}

// Arithmetic is how formulas reckon.
func Arithmetic() *apd.Context {
	return &apd.Context{
		Precision: digits, MaxExponent: 1_000, MinExponent: -1_000, Rounding: apd.RoundHalfUp,
		Traps: apd.DefaultTraps,
	}
}
