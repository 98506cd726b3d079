package formula

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/field"
)

// function is a function that formulas have. It is not called where an argument is nothing.
type function struct {
	name  string
	wants []Kind
	// more says that the last argument may come again.
	more  bool
	gives Kind
	run   func(e *Evaluation, v []any) (any, error)
}

func (f function) accepts(parts []Expr) bool {
	if len(parts) < len(f.wants) || len(parts) > len(f.wants) && !f.more {
		return false
	}
	for i, p := range parts {
		if want := f.wants[min(i, len(f.wants)-1)]; p.Kind != want && p.Kind != Nil {
			return false
		}
	}

	return true
}

// usage shows how the function is called: "round(number, number)".
func (f function) usage() string {
	var wants []string
	for _, want := range f.wants {
		wants = append(wants, string(want))
	}
	if f.more {
		wants = append(wants, "…")
	}

	return f.name + "(" + strings.Join(wants, ", ") + ")"
}

// functions are all but coalesce.
func functions() []function {
	number, text, date := []Kind{Number}, []Kind{Text}, []Kind{Date}
	two := []Kind{Number, Number}

	return []function{
		{name: "abs", wants: number, gives: Number, run: onNumber(func(n *apd.Decimal) (any, error) { return new(apd.Decimal).Abs(n), nil })},
		{name: "floor", wants: number, gives: Number, run: onNumber(rounding((*apd.Context).Floor))},
		{name: "ceil", wants: number, gives: Number, run: onNumber(rounding((*apd.Context).Ceil))},
		{name: "round", wants: two, gives: Number, run: roundTo},
		{name: "min", wants: two, more: true, gives: Number, run: extreme(-1)},
		{name: "max", wants: two, more: true, gives: Number, run: extreme(1)},
		{name: "len", wants: text, gives: Number, run: onText(func(s string) any { return apd.New(int64(utf8.RuneCountInString(s)), 0) })},
		{name: "upper", wants: text, gives: Text, run: onText(func(s string) any { return strings.ToUpper(s) })},
		{name: "lower", wants: text, gives: Text, run: onText(func(s string) any { return strings.ToLower(s) })},
		{name: "trim", wants: text, gives: Text, run: onText(func(s string) any { return strings.TrimSpace(s) })},
		{name: "text", wants: number, gives: Text, run: onNumber(func(n *apd.Decimal) (any, error) { return n.Text('f'), nil })},
		{name: "date", wants: []Kind{Moment}, gives: Date, run: dayOf},
		{name: "year", wants: date, gives: Number, run: onDate(time.Time.Year)},
		{name: "month", wants: date, gives: Number, run: onDate(func(d time.Time) int { return int(d.Month()) })},
		{name: "day", wants: date, gives: Number, run: onDate(time.Time.Day)},
	}
}

func onNumber(of func(*apd.Decimal) (any, error)) func(*Evaluation, []any) (any, error) {
	return func(_ *Evaluation, v []any) (any, error) {
		return of(v[0].(*apd.Decimal)) //nolint:forcetypeassert // of its kind
	}
}

func onText(of func(string) any) func(*Evaluation, []any) (any, error) {
	return func(_ *Evaluation, v []any) (any, error) {
		return of(v[0].(string)), nil //nolint:forcetypeassert // of its kind
	}
}

func onDate(of func(time.Time) int) func(*Evaluation, []any) (any, error) {
	return func(_ *Evaluation, v []any) (any, error) {
		return apd.New(int64(of(v[0].(time.Time))), 0), nil //nolint:forcetypeassert // of its kind
	}
}

func rounding(of func(c *apd.Context, made, n *apd.Decimal) (apd.Condition, error)) func(*apd.Decimal) (any, error) {
	return func(n *apd.Decimal) (any, error) {
		var made apd.Decimal
		if _, err := of(Arithmetic(), &made, n); err != nil {
			return nil, Error("a number is too large")
		}

		return &made, nil
	}
}

// roundTo rounds half away from zero to so many fraction digits.
func roundTo(_ *Evaluation, v []any) (any, error) {
	number, to := v[0].(*apd.Decimal), v[1].(*apd.Decimal) //nolint:forcetypeassert // of their kind
	digits, err := to.Int64()
	if err != nil || digits < 0 || digits > field.FractionDigits {
		return nil, Error("the digits to round a number to are not from 0 to 18")
	}
	var made apd.Decimal
	if _, err := Arithmetic().Quantize(&made, number, int32(-digits)); err != nil {
		return nil, Error("a number is too large")
	}

	return &made, nil
}

// extreme returns the least (-1) or the greatest (1) of numbers.
func extreme(sign int) func(*Evaluation, []any) (any, error) {
	return func(_ *Evaluation, v []any) (any, error) {
		best := v[0]
		for _, other := range v[1:] {
			if order(other, best) == sign {
				best = other
			}
		}

		return best, nil
	}
}

// dayOf is the date of a time, in the zone that it is written in.
func dayOf(_ *Evaluation, v []any) (any, error) {
	text := v[0].(string) //nolint:forcetypeassert // of its kind
	day, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	if err != nil {
		return nil, Error("a time has no date")
	}

	return day, nil
}
