// Package wallclock reads times as clocks at a place show them.
package wallclock

import (
	"errors"
	"time"
)

// errNever is for a time that no clock at the place shows.
var errNever = errors.New("no clock shows it")

// Problem is what is wrong with an end of a window, which is from or to; or that it comes twice, where the first time is meant.
type Problem struct {
	End, Text string
	Twice     bool
}

// Window is between which moments clocks in a zone show two texts, each nil for none.
func Window(from, to string, zone *time.Location) (fromAt, toAt *time.Time, found []Problem) {
	for _, end := range []struct {
		name, text string
		last       bool
		into       **time.Time
	}{{"from", from, false, &fromAt}, {"to", to, true, &toAt}} {
		if end.text == "" {
			continue
		}
		at, twice, err := moment(end.text, zone, end.last)
		switch {
		case errors.Is(err, errNever):
			found = append(found, Problem{end.name, "The time " + end.text + " does not exist in " + zone.String() + ": clocks go forward over it.", false})
		case err != nil:
			found = append(found, Problem{end.name, "The " + end.name + " must be a day or a time, such as 2026-12-01 or 2026-12-01T08:00.", false})
		case twice:
			found = append(found, Problem{end.name, "The time " + end.text + " comes twice in " + zone.String() + "; the first one is meant.", true})
		}
		if err == nil {
			*end.into = &at
		}
	}
	if fromAt != nil && toAt != nil && toAt.Before(*fromAt) {
		found = append(found, Problem{"to", "The window ends before it begins.", false})
	}

	return fromAt, toAt, found
}

// moment is the moment at which clocks in a zone show a text. Of two such moments it is the first one. A day is meant from its beginning, or
// for last to its end.
func moment(text string, zone *time.Location, last bool) (at time.Time, twice bool, err error) {
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
		return at, false, errNever
	}
	if earlier := at.Add(-time.Hour); earlier.Format(layout) == text {
		return earlier.UTC(), true, nil
	}

	return at.UTC(), at.Add(time.Hour).Format(layout) == text, nil
}
