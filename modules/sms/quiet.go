package sms

import (
	"regexp"
	"time"
)

// What happens to a message in the quiet hours of its recipient.
const (
	quietDefer  = "defer"
	quietRefuse = "refuse"
)

// clockTime is a time of day.
var clockTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// quietUntil returns when the quiet hours end in which now is, in any of the zones; the zero time if it is in
// none. Where the zones never agree on a time that is not quiet, the last end counts. From and to are times of
// day, "21:00"; to may be on the next day.
func quietUntil(now time.Time, from, to string, zones []*time.Location) time.Time {
	if from == "" || to == "" || from == to {
		return time.Time{}
	}
	at := now
	for range 2 * len(zones) {
		moved := false
		for _, zone := range zones {
			if end := endOfQuiet(at.In(zone), from, to); end.After(at) {
				at, moved = end, true
			}
		}
		if !moved {
			break
		}
	}
	if at.Equal(now) {
		return time.Time{}
	}

	return at.UTC()
}

// endOfQuiet returns the end of the quiet hours that a local time is in, or that time.
func endOfQuiet(local time.Time, from, to string) time.Time {
	day := local.Format("15:04")
	within := from <= day && day < to
	overnight := from > to
	if overnight {
		within = day >= from || day < to
	}
	if !within {
		return local
	}
	end, err := time.Parse("15:04", to)
	if err != nil {
		return local
	}
	days := 0
	if overnight && day >= from {
		days = 1
	}

	return time.Date(local.Year(), local.Month(), local.Day()+days, end.Hour(), end.Minute(), 0, 0, local.Location())
}
