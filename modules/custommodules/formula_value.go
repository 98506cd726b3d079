package custommodules

import (
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/list"
)

// formulaKind is what a part of a formula is. Its values are, in this order, string, *apd.Decimal, bool,
// time.Time (of a date, at midnight UTC), string, and nil; nil is also the value that is not there of any
// other kind.
type formulaKind string

const (
	textKind    formulaKind = "text"
	numberKind  formulaKind = "number"
	booleanKind formulaKind = "boolean"
	dateKind    formulaKind = "date"
	// momentKind is a date with a time. It is compared, and made a date.
	momentKind formulaKind = "date and time"
	nilKind    formulaKind = "nil"
)

const (
	// workPerRecord is how many bytes of text and how many steps the formulas of a record may take.
	workPerRecord = 4 << 20
	// longestMade is how long a text may become that a formula puts together, in bytes.
	longestMade = 10_000
	// wholeDigits is how many digits before the point a number in a formula may come to have.
	wholeDigits = 36
	// formulaDigits is how many digits a formula reckons with. Sums and products are exact within them.
	formulaDigits = 100
	// quotientDigits are the fraction digits of a quotient.
	quotientDigits = 36
)

// evaluation is the computing of the formulas of one record.
type evaluation struct {
	// values are those of the definition's fields, as formulas have them.
	values []any
	work   int
}

// spend counts work, and refuses what is too much.
func (e *evaluation) spend(work int) error {
	if e.work += work + 1; e.work > workPerRecord {
		return formulaError("the formulas of the record are too much work")
	}

	return nil
}

// formulaKindOf returns what the values of a type of field are in a formula, "" for those that do not
// stand in one.
func formulaKindOf(t fieldType) formulaKind {
	switch t.filter {
	case list.Integer, list.Decimal:
		return numberKind
	case list.Boolean:
		return booleanKind
	case list.Date:
		return dateKind
	case list.Time, list.LocalTime:
		return momentKind
	case list.Text:
		if t.slot == textSlot || t.name == "long_text" || t.name == "url" {
			return textKind
		}
	case list.UUID:
	}

	return ""
}

// formulaValue reads a stored value of a field for formulas, nil for none.
func (f *field) formulaValue(raw []byte) any {
	text, ok := f.inner(orNothing(raw))
	if !ok {
		return nil
	}
	switch formulaKindOf(f.typ) {
	case textKind, momentKind:
		return text
	case numberKind:
		if number, _, err := apd.NewFromString(text); err == nil {
			return number
		}
	case booleanKind:
		return text == "true"
	case dateKind:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return day
		}
	case nilKind:
	}

	return nil
}

// fixed writes a number with so many fraction digits.
func fixed(number *apd.Decimal, scale int) (string, error) {
	var rounded apd.Decimal
	context := reckoning()
	if _, err := context.Quantize(&rounded, number, int32(-scale)); err != nil { //nolint:gosec // at most 18
		return "", formulaError("the number is too large")
	}
	if rounded.IsZero() {
		rounded.Negative = false
	}

	return rounded.Text('f'), nil
}

// reckoning is how formulas reckon.
func reckoning() *apd.Context {
	return &apd.Context{
		Precision: formulaDigits, MaxExponent: 1_000, MinExponent: -1_000, Rounding: apd.RoundHalfUp,
		Traps: apd.DefaultTraps,
	}
}
