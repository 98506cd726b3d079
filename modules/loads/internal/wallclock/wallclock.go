// Package wallclock reads times as clocks at a place show them.
package wallclock

import (
	"errors"
	"time"
)

// ErrNever is for a time that no clock at the place shows.
var ErrNever = errors.New("no clock shows it")

// Moment is the moment at which clocks in a zone show a text. Of two such moments it is the first one. A day is meant from its beginning, or
// for last to its end.
func Moment(text string, zone *time.Location, last bool) (at time.Time, twice bool, err error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		year, month, d := day.Date()
		if last {
			return time.Date(year, month, d+1, 0, 0, 0, 0, zone).Add(-time.Minute).UTC(), false, nil
		}

		return time.Date(year, month, d, 0, 0, 0, 0, zone).UTC(), false, nil
	}
	const layout = "2006-01-02T15:04"
	shown, err := time.Parse(layout, text)
	if err != nil {
		return at, false, err
	}
	year, month, day := shown.Date()
	at = time.Date(year, month, day, shown.Hour(), shown.Minute(), 0, 0, zone)
	if at.Format(layout) != text {
		return at, false, ErrNever
	}
	if earlier := at.Add(-time.Hour); earlier.Format(layout) == text {
		return earlier.UTC(), true, nil
	}

	return at.UTC(), at.Add(time.Hour).Format(layout) == text, nil
}
