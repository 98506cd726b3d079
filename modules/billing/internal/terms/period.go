package terms

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Interval is how often a plan is billed.
type Interval string

// The intervals.
const (
	Month Interval = "month"
	Year  Interval = "year"
)

const monthsOfYear = 12

// Months is the number of months of a period.
func (i Interval) Months() int {
	if i == Year {
		return monthsOfYear
	}

	return 1
}

// Add returns the day on which the n-th period after an anchor begins. The last day of a month stands for a day that the month does not
// have: a month after 31 January is 28 or 29 February, and two months after it is 31 March.
func (i Interval) Add(anchor field.Date, n int) field.Date {
	from := parse(anchor)
	first := time.Date(from.Year(), from.Month()+time.Month(n*i.Months()), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()

	return format(first.AddDate(0, 0, min(from.Day(), last)-1))
}

// Next returns the first day after a day on which a period begins. The anchor is the first day of some period, in the past or the future.
func (i Interval) Next(anchor, after field.Date) field.Date {
	from, to := parse(anchor), parse(after)
	months := monthsOfYear*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	n := months/i.Months() - 1
	for i.Add(anchor, n) <= after {
		n++
	}

	return i.Add(anchor, n)
}

// Days is the number of days from one day until another.
func Days(from, until field.Date) int64 {
	return int64(parse(until).Sub(parse(from)) / (24 * time.Hour))
}

// AddDays returns the day that is a number of days after another one.
func AddDays(day field.Date, n int) field.Date { return format(parse(day).AddDate(0, 0, n)) }

// DayOf returns the day of an instant in its location.
func DayOf(at time.Time) field.Date { return field.Date(at.Format(time.DateOnly)) }

// Begin returns the first instant of a day in a zone, in UTC. Where clocks are put forward at midnight, the day begins later.
func Begin(day field.Date, zone *time.Location) time.Time {
	d := parse(day)

	return calendar.Local(d.Year(), d.Month(), d.Day(), 0, 0, 0, zone).UTC()
}

// parse reads a day that is known to be one.
func parse(day field.Date) time.Time {
	at, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		return time.Time{}
	}

	return at
}

func format(day time.Time) field.Date { return field.Date(day.Format(time.DateOnly)) }
