package store

import (
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
)

// PromisePickup expedites a load, and has the windows of its pickups end within some days from the first on which it is available; 0 promises no day.
func (l *Load) PromisePickup(days int) {
	l.Priority = "expedited"
	first, err := time.Parse(time.DateOnly, string(l.AvailableFrom))
	if days == 0 || err != nil {
		return
	}
	by := first.AddDate(0, 0, days).Format(time.DateOnly)
	l.PromisedBy = field.Date(by)
	l.Stops.V = slices.Clone(l.Stops.V)
	for i := range l.Stops.V {
		s := &l.Stops.V[i]
		is := s.Days()
		if s.Kind != Pickup || s.Venue.TimeZone == "" || is.From > by || is.To != "" && is.To <= by {
			continue
		}
		w := route.Window{Kind: "not_after"}
		if s.Window != nil {
			w = *s.Window
		}
		w.To = by
		s.Window = &w
	}
}

// WarnOfPromise warns of a pickup that is planned for later than the customer was promised.
func (l *Load) WarnOfPromise() {
	by := string(l.PromisedBy)
	if by == "" || !slices.Contains(States(loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched), l.State) {
		return
	}
	const code, promised = "loads.pickup_after_promise", "The customer was promised the pickup by "
	if string(l.AvailableFrom) > by {
		l.Warn(code, "available_from", promised+page.Day(by)+", and the vehicles are available from "+page.Day(string(l.AvailableFrom))+" on.")
	}
	for i, s := range l.Stops.V {
		switch days := s.Days(); {
		case s.Kind != Pickup:
		case days.To == "" && days.From <= by:
			l.Warn(code, windowOf(i), promised+page.Day(by)+", and the window for the pickup has no end. End it by then.")
		case max(days.From, days.To) > by:
			l.Warn(code, windowOf(i), promised+page.Day(by)+", and the window for the pickup ends later.")
		}
	}
}

func windowOf(i int) string { return "stops." + strconv.Itoa(i) + ".window" }

// WarnOfAvailability warns of a window for the pickup that ends before the vehicles are available.
func (l *Load) WarnOfAvailability() {
	if len(l.Stops.V) == 0 || l.AvailableFrom == "" {
		return
	}
	if to := l.Stops.V[0].Days().To; to != "" && to < string(l.AvailableFrom) {
		l.Warn("loads.window_before_available", "stops.0.window", "The window for the pickup ends on "+to+", before the vehicles are available, on "+string(l.AvailableFrom)+".")
	}
}
