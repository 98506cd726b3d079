// Package routing measures the ways of trips, and orders their stops.
package routing

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// Meter measures the ways of trips.
type Meter struct{ routes routeengineapi.Routes }

// NewMeter returns a Meter.
func NewMeter(r routeengineapi.Routes) *Meter { return &Meter{r} }

// Measure counts the vehicles of the legs, and measures the way over them.
func (k *Meter) Measure(ctx context.Context, t *store.Trip) error {
	stops := make([]routeengineapi.Stop, 0, len(t.Legs.V)+1)
	if t.From != "" {
		stops = append(stops, routeengineapi.Stop{ZIP: t.From})
	}
	t.Legs.V = slices.Clone(t.Legs.V)
	for i := range t.Legs.V {
		l := &t.Legs.V[i]
		l.Miles, l.Vehicles = nil, 0
		for _, c := range t.Cargo.V {
			if c.Load == l.Load && (c.Pickup == l.Stop || c.Delivery == l.Stop) {
				l.Vehicles++
			}
		}
		stops = append(stops, stopOf(*l))
	}
	t.Deadhead, t.Loaded = nil, nil
	if len(stops) < 2 { //nolint:mnd // a way has two ends
		return nil
	}
	way, err := k.routes.Route(ctx, stops...)
	if errs.IsRefusal(err) {
		return nil // a place is not known, or no road leads there
	}
	if err != nil {
		return err
	}
	var loaded, empty float64
	for i, one := range way.Legs {
		at := i + 1 - (len(stops) - len(t.Legs.V)) // the leg that this way leads to
		if at < 0 {
			continue
		}
		miles := int64(math.Round(one.Miles))
		if t.Legs.V[at].Miles = &miles; len(capacity.Aboard(t.Legs.V[:at], t.Cargo.V)) > 0 {
			loaded += one.Miles
		} else {
			empty += one.Miles
		}
	}
	full, bare := int64(math.Round(loaded)), int64(math.Round(empty))
	t.Loaded, t.Deadhead = &full, &bare

	return nil
}

// stopOf is the place of a leg as the route engine takes it.
func stopOf(l store.Leg) routeengineapi.Stop {
	if l.PostalCode != "" {
		return routeengineapi.Stop{ZIP: l.PostalCode}
	}
	city, state, _ := strings.Cut(l.Place, ", ")

	return routeengineapi.Stop{City: city, State: state}
}
