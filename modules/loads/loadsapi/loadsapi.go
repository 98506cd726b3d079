// Package loadsapi is the contract of the loads area: its id, its events, and what becomes of a load and its vehicles.
package loadsapi

// Area is the id of the area, Load the type of its items.
const (
	Area = "loads"
	Load = "loads.load"
)

// State is a state of a load.
type State string

// The states.
const (
	Draft      State = "draft"
	Lead       State = "lead"
	Quoted     State = "quoted"
	Booked     State = "booked"
	Ready      State = "ready"
	Dispatched State = "dispatched"
	PickedUp   State = "picked_up"
	Delivered  State = "delivered"
	Completed  State = "completed"
	Lost       State = "lost"
	Cancelled  State = "cancelled"
	Archived   State = "archived"
)

// Covering is the hook loads.load.covering: a load is about to be given to a carrier. Areas veto a carrier that may not have it, or set the one
// that is meant.
type Covering struct {
	Load, Carrier string
	// Declared is the sum of the declared values of the vehicles in US dollars, "" if none is declared.
	Declared string
	// Delivery is the day of the delivery, as YYYY-MM-DD; "" if it is not planned.
	Delivery string
}
