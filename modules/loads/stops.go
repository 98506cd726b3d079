package loads

import (
	"cmp"
	"context"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// The parts of a load: of its way, what is on it, and what is charged.
type (
	stop      = route.Stop
	venue     = route.Venue
	person    = route.Person
	vehicle   = cargo.Vehicle
	custody   = cargo.Custody
	commodity = cargo.Commodity
	charge    = plan.Charge
	reference = cargo.Reference
)

const (
	pickup   = route.Pickup
	delivery = route.Delivery
	transfer = route.Transfer
	waiting  = cargo.Waiting
	onBoard  = cargo.OnBoard
	dropped  = cargo.Dropped
	removed  = cargo.Removed
)

// saveVenues has the venues be kept of which the stops of a load say so. What cannot be kept is warned of.
func (s *service) saveVenues(ctx context.Context, l *load) error {
	for i := range l.Stops.V {
		one := &l.Stops.V[i]
		if !one.SaveVenue {
			continue
		}
		one.SaveVenue = false
		v, whose := one.Venue, &one.Venue.Contact
		if *whose == uuid.Nil {
			whose = cmp.Or(l.Shipper, l.Customer, whose)
		}
		about := loadsapi.SavingVenue{
			Contact: whose.String(), Name: cmp.Or(v.Name, v.Line1, v.Title()), Type: v.Type, TimeZone: v.TimeZone, Appointment: v.Appointment,
			Line1: v.Line1, Line2: v.Line2, City: v.City, State: v.State, PostalCode: v.PostalCode, Country: v.Country,
			Lat: v.Position.Lat.String(), Lng: v.Position.Lng.String(),
			Problem: "No area that keeps locations is switched on.",
		}
		if err := hook.Run(ctx, s.hooks, &about); err != nil {
			return err
		}
		if about.Problem != "" {
			l.warn("loads.venue_not_saved", "stops."+strconv.Itoa(i)+".save_venue", "The venue was not kept. "+about.Problem)
		}
	}

	return nil
}

// routeStops are the stops as the route engine takes them, nil if a place is missing.
func (l *load) routeStops() []routeengineapi.Stop {
	if len(l.Stops.V) < 2 { //nolint:mnd // a way has two ends
		return nil
	}
	all := make([]routeengineapi.Stop, len(l.Stops.V))
	for i, s := range l.Stops.V {
		if s.Venue.Country != routeengineapi.UnitedStates { // by where it is
			lat, lng := s.Venue.Position.Millionths()
			if lat == 0 && lng == 0 {
				return nil
			}
			const micro = 1_000_000
			latitude, longitude := float64(lat)/micro, float64(lng)/micro
			all[i] = routeengineapi.Stop{Lat: &latitude, Lng: &longitude}

			continue
		}
		all[i] = routeengineapi.Stop{ZIP: s.Venue.PostalCode}
		if all[i].ZIP == "" {
			all[i].City, all[i].State = s.Venue.City, s.Venue.State
		}
	}

	return all
}

// placeName is what people call the place of a stop.
func (l *load) placeName(id uuid.UUID) string {
	i := l.place(id)
	if i < 0 {
		return "an unknown place"
	}

	return cmp.Or(l.Stops.V[i].Venue.Title(), l.Stops.V[i].Venue.PostalCode)
}

// place returns the position of a stop, -1 if there is none.
func (l *load) place(id uuid.UUID) int { return route.Place(l.Stops.V, id) }
