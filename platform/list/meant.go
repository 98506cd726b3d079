package list

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// caller is who asks and when, for values that depend on it. What it is asked for is found out once.
type caller struct {
	ctx context.Context // it lives as long as Parse, which has it

	// began is the present that relative dates are counted from, zero until there is one: that of the cursor, or the clock's.
	began time.Time
	now   time.Time // began in the time zone of the company, zero until it is asked for
	me    *uuid.UUID
	err   error
}

// filterValue returns the value that a filter means by a text: a relative date as the date that it is, me as the user, and
// everything else as it is. Or it says what is wrong with it.
func (by *caller) filterValue(f Field, op Operator, text string) (value, problem string) {
	switch {
	case f.NamesUser && text == "me":
		return by.user()
	case f.Kind.Dated() && calendar.LooksRelative(text):
		return by.date(f, op, text)
	}

	return text, ""
}

func (by *caller) user() (value, problem string) {
	by.me = principal.UserOf(by.ctx)
	if by.me == nil {
		return "", "me is the calling user, but a service token has none: name a user by UUID."
	}

	return by.me.String(), ""
}

// date returns the value of the field's kind that a relative date is.
func (by *caller) date(f Field, op Operator, text string) (value, problem string) {
	moment, ok := calendar.Parse(text)
	switch {
	case !ok:
		return "", fmt.Sprintf("%q is neither %s nor one of: %s.", shorten(text), f.Kind.Describe(), calendar.Grammar)
	case f.Kind != kind.Date && moment.WholeDay() && slices.Contains([]Operator{Equal, NotEqual, In, NotIn}, op):
		return "", fmt.Sprintf("%s has a time of day, and %s is the start of a day. For a whole day use "+
			"filter[%s][gte]=%s with filter[%s][lt]=%s%%2B1d.", f.Name, moment, f.Name, moment, f.Name, moment)
	}
	now, err := by.currentTime()
	if err != nil {
		by.err = err

		return "", ""
	}
	at, ok := moment.At(now)
	if !ok {
		return "", fmt.Sprintf("%q is not in the years 1 to 9999.", shorten(text))
	}

	return f.Kind.FormatTime(at), ""
}

// currentTime returns the present that relative dates are counted from, in the time zone of the company.
func (by *caller) currentTime() (time.Time, error) {
	if !by.now.IsZero() {
		return by.now, nil
	}
	c, err := calendar.Of(by.ctx)
	if err != nil {
		return time.Time{}, err
	}
	now, err := c.Now(by.ctx)
	if err != nil {
		return time.Time{}, err
	}
	if by.began.IsZero() {
		by.began = now.UTC()
	}
	by.now = by.began.In(now.Location())

	return by.now, nil
}
