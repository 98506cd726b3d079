// Package loadsapi is the contract of the loads area: its id, its events, and what becomes of a load and its vehicles.
package loadsapi

import (
	"context"
	"time"
)

// Area is the id of the area, Load the type of its items.
const (
	Area = "loads"
	Load = "loads.load"
)

// Margins is the scope to see and set prices, pay, margins and private notes, of loads and of what is made of them.
const Margins = "loads:margins"

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

// SavingVenue is the hook loads.venue.saving: a venue is to be kept as a location of a contact. Whoever keeps locations sets Problem, to "" where it has
// kept it.
type SavingVenue struct {
	Contact, Name, Type, TimeZone                  string
	Line1, Line2, City, State, PostalCode, Country string
	// Lat and Lng are in degrees, "" if they are not known.
	Lat, Lng    string
	Appointment bool
	Problem     string
}

// Recording is the hook loads.load.recording: the record of a transaction is read. Areas add the bills of lading of the load, and who has carried it.
type Recording struct {
	Load  string
	Bills []Bill
	// Carriers have carried the load, or are to, in their order: after a hand-over there is more than one.
	Carriers []Hauler
}

// Hauler is a carrier of a load. Address is "" if it is not known. EndPay is what it gets although it no longer has the load, "" for
// nothing, and EndPaidAt when it got that, zero if it has not.
type Hauler struct {
	Carrier, Address string
	EndPay           string
	EndPaidAt        time.Time
}

// Following is the hook loads.load.following: a customer follows a load. Areas add who comes for it, and when. All may be "" or zero.
type Following struct {
	Load string
	// Carrier is its name, Driver the first name of the driver, Phone whom the customer calls at the company.
	Carrier, Driver, Phone string
	// PickupDate and DeliveryDate are the agreed days, ETAPickup and ETADelivery when the driver is expected.
	PickupDate, DeliveryDate string
	ETAPickup, ETADelivery   time.Time
}

// Bill is a bill of lading of a load. Delivered says that its carrier has done with it: it is signed at the
// delivery, or another carrier carries the vehicles on.
type Bill struct {
	Number    string
	Delivered bool
}

// PickingUp is the hook loads.load.picking_up: somebody says that vehicles of a load, which waited, are picked up or delivered. Areas veto it.
type PickingUp struct {
	Load     string
	Vehicles []string
	// VINs are those of the vehicles, by their uuids; "" for one that the load does not have.
	VINs map[string]string
}

// VINs has loads know the VINs that are found on their vehicles.
type VINs interface {
	// TakeOver gives a vehicle without a VIN the one that was found on it. If that is of another vehicle by its make or year, or is on another vehicle
	// already, nothing changes, and why says so in a sentence; one that was accepted is taken over all the same. It is called in a transaction that holds
	// the load (Coverage.Held). Errors: ErrNotFound, ErrPart.
	TakeOver(ctx context.Context, load, vehicle, vin string, accepted bool) (why string, err error)
}

// Repricing is the hook loads.load.repricing: what the carrier that has a load gets for it is about to be another amount. Areas veto it.
type Repricing struct {
	Load, Carrier string
	// CarrierPay is what it is to get, in the currency of the load.
	CarrierPay string
}

// Covering is the hook loads.load.covering: a load is about to be given to a carrier. Areas veto a carrier that may not have it, or set the one
// that is meant.
type Covering struct {
	Load, Carrier string
	// Declared is the sum of the declared values of the vehicles in US dollars, "" if none is declared.
	Declared string
	// Delivery is the day of the delivery, as YYYY-MM-DD; "" if it is not planned.
	Delivery string
}
