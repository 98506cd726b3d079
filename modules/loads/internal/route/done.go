package route

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrDone is for a change of a stop at which vehicles were picked up or delivered.
var ErrDone = errs.New(errs.Conflict, "loads.stop_done", "The stop is done: its kind, place, window and order stay unchanged.")

// CheckDone refuses changes of stops that are done: of their kind, place and window, and of their order. What was left out of a place may be added.
func CheckDone(before, now []Stop, done []uuid.UUID) error {
	after := 0 // where the next of them may be at the earliest
	for _, was := range before {
		if !slices.Contains(done, was.UUID) {
			continue
		}
		at := Place(now, was.UUID)
		if at < 0 {
			return was.done("It cannot be removed.")
		}
		if at < after {
			return was.done("The order of the stops that are done stays unchanged.")
		}
		after = at + 1
		if changed := was.moved(now[at]); len(changed) > 0 {
			return was.done("These stay unchanged: "+strings.Join(changed, ", ")+".").WithDetail("fields", changed)
		}
	}

	return nil
}

func (s Stop) done(what string) *errs.Error {
	place := s.Venue.Title()
	if place == "" {
		place = s.Venue.PostalCode
	}

	return ErrDone.WithMessage("The stop in %s is done. %s", place, what).WithDetail("stop_uuid", s.UUID)
}

// moved are the fields of a stop by which it would be another one.
func (s Stop) moved(now Stop) (fields []string) {
	add := func(name string, other bool) {
		if other {
			fields = append(fields, name)
		}
	}
	add("kind", s.Kind != now.Kind)
	for _, one := range []struct{ name, was, now string }{
		{"venue.line1", s.Venue.Line1, now.Venue.Line1},
		{"venue.line2", s.Venue.Line2, now.Venue.Line2},
		{"venue.city", s.Venue.City, now.Venue.City},
		{"venue.state", s.Venue.State, now.Venue.State},
		{"venue.postal_code", s.Venue.PostalCode, now.Venue.PostalCode},
		{"venue.country", s.Venue.Country, now.Venue.Country},
		{"venue.time_zone", s.Venue.TimeZone, now.Venue.TimeZone},
	} {
		add(one.name, one.was != "" && !strings.EqualFold(one.was, one.now))
	}
	add("venue.position", len(fields) == 0 && s.Venue.placed() && !samePoint(s.Venue.Position, now.Venue.Position))
	add("window", s.Window.text() != now.Window.text())

	return fields
}

// placed reports whether a place has a position.
func (v Venue) placed() bool {
	lat, lng := v.Position.Millionths()

	return lat != 0 || lng != 0
}

// text is what people wrote of a window.
func (w *Window) text() string {
	if w == nil || w.From+w.To == "" {
		return ""
	}

	return w.Kind + " " + w.From + " " + w.To
}
