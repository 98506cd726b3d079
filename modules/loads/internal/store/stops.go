package store

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
)

// The parts of a load: of its way, what is on it, and what is charged.
type (
	// Stop is a place on the way.
	Stop = route.Stop
	// Venue is where a Stop is.
	Venue = route.Venue
	// Person is who is met at a Stop.
	Person = route.Person
	// Vehicle is one that is carried.
	Vehicle = cargo.Vehicle
	// Custody is where a Vehicle is.
	Custody = cargo.Custody
	// Commodity is what is carried beside vehicles.
	Commodity = cargo.Commodity
	// Charge is a line of the price.
	Charge    = plan.Charge
	reference = cargo.Reference
)

// Kinds of stops, and where vehicles are.
const (
	Pickup   = route.Pickup
	Delivery = route.Delivery
	Transfer = route.Transfer
	Waiting  = cargo.Waiting
	OnBoard  = cargo.OnBoard
	Dropped  = cargo.Dropped
	Removed  = cargo.Removed
)

// RouteStops are the stops as the route engine takes them, nil if a place is missing.
func (l *Load) RouteStops() []routeengineapi.Stop {
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

// PlaceName is what people call the place of a stop.
func (l *Load) PlaceName(id uuid.UUID) string {
	i := l.StopIndex(id)
	if i < 0 {
		return "an unknown place"
	}

	return cmp.Or(l.Stops.V[i].Venue.Title(), l.Stops.V[i].Venue.PostalCode)
}

// StopIndex returns the position of a stop, -1 if there is none.
func (l *Load) StopIndex(id uuid.UUID) int { return route.Place(l.Stops.V, id) }
