package saving

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// way is what the route engine says of stops.
type way struct {
	route routeengineapi.Route
	err   error
}

// Surveyor knows places, and the ways between them.
type Surveyor struct {
	places routeengineapi.Places
	routes routeengineapi.Routes
}

// NewSurveyor returns a Surveyor.
func NewSurveyor(p routeengineapi.Places, r routeengineapi.Routes) *Surveyor { return &Surveyor{p, r} }

// check brings stops into their normal form, and names what is wrong with them.
func (s *Surveyor) check(ctx context.Context, before, stops []store.Stop, warn func(code, at, message string), wrong *errs.Error) *errs.Error {
	return route.Check(ctx, s.places, before, stops, warn, wrong)
}

// measure asks the route engine for the way if the stops are others than before.
func (s *Surveyor) measure(ctx context.Context, known map[string]way, c *resource.Change[store.Load]) error {
	stops := c.After.RouteStops()
	if c.Before != nil && slices.Equal(stops, c.Before.RouteStops()) {
		return nil
	}
	l := c.After
	l.Miles, l.Minutes, l.Measured, l.FromDays, l.ToDays = nil, nil, false, nil, nil
	if stops == nil {
		return nil
	}
	key := fmt.Sprint(stops)
	found, asked := known[key]
	if !asked {
		found.route, found.err = s.routes.Route(ctx, stops...)
		known[key] = found
	}
	switch {
	case errors.Is(found.err, routeengineapi.ErrNoRoad):
		l.Warn("loads.no_road", "stops", "No road leads from stop to stop.")

		return nil
	case errors.Is(found.err, routeengineapi.ErrUnknownPlace):
		l.Warn("loads.unknown_place", "stops", "A place is not known, so there are no miles. Give its postal_code.")

		return nil
	case found.err != nil:
		return found.err
	}
	r := found.route
	miles, minutes, from, to := int64(math.Round(r.Miles)), int64(r.Minutes), int64(r.FromDays), int64(r.ToDays)
	l.Miles, l.Minutes, l.Measured, l.FromDays, l.ToDays = &miles, &minutes, r.Measured, &from, &to

	return nil
}
