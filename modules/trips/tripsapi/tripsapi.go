// Package tripsapi is the contract of the trips area: its id, the type of its items, and its events.
package tripsapi

// Area is the id of the area, Trip the type of its items.
const (
	Area = "trips"
	Trip = "trips.trip"
)

// About names the trip that an event is about.
type About struct {
	Trip string `json:"trip_uuid"`
	// Truck and Driver are "" until they are known.
	Truck  string `json:"truck_uuid,omitempty"`
	Driver string `json:"driver_uuid,omitempty"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return Trip, a.Trip }

// Planned tells of a trip that has all that it takes.
type Planned struct{ About }

// EventName implements events.Event.
func (Planned) EventName() string { return "trips.trip.planned" }

// Dispatched tells of a trip that the driver is to drive.
type Dispatched struct{ About }

// EventName implements events.Event.
func (Dispatched) EventName() string { return "trips.trip.dispatched" }

// Started tells of a truck that has left its first stop.
type Started struct{ About }

// EventName implements events.Event.
func (Started) EventName() string { return "trips.trip.started" }

// Completed tells of a truck that has left its last stop.
type Completed struct{ About }

// EventName implements events.Event.
func (Completed) EventName() string { return "trips.trip.completed" }

// Cancelled tells of a trip that is not driven.
type Cancelled struct{ About }

// EventName implements events.Event.
func (Cancelled) EventName() string { return "trips.trip.cancelled" }
