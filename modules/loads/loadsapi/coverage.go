package loadsapi

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrNotReady is for a load that no carrier can be given now.
var ErrNotReady = errs.New(errs.Conflict, "loads.not_for_carriers", "The load cannot be given to a carrier now. It must be ready, and without a carrier.")

// ErrNotOnBoard is for a load of which no vehicle is on the way.
var ErrNotOnBoard = errs.New(errs.Conflict, "loads.not_on_board", "No vehicle of the load is on the way. Before the pickup, cancel the dispatch instead.")

// ErrWaiting is for vehicles that cannot be delivered, as they were not picked up.
var ErrWaiting = errs.New(errs.Conflict, "loads.vehicles_waiting",
	"Vehicles of the load were not picked up yet. Record the pickup first, remove the vehicles, or split the load.")

// ErrNothingToCollect is for a load of which the customer owes its carrier nothing, or nothing more.
var ErrNothingToCollect = errs.New(errs.Conflict, "loads.nothing_to_collect", "The customer has nothing to pay to the carrier, or has paid it already.")

// ErrPlanFixed is for amounts that the payment plan of a load, which people wrote, cannot follow: its details say who pays whom.
var ErrPlanFixed = errs.New(errs.Conflict, "loads.plan_fixed", "The payment plan cannot follow the new amounts without changing what was agreed. See details, and write a plan that adds up.")

// ErrPayBelowCharges is for a pay that is less than the charges of a load that its carrier gets anyway.
var ErrPayBelowCharges = errs.New(errs.Conflict, "loads.pay_below_charges",
	"The carrier gets charges of the load that are more than this pay. Agree on at least details.carrier_charges, or change the charges.")

// Standings is how loads stand. Loads are named by their uuids; an unknown one is ErrNotFound.
type Standings interface {
	// Standing returns how a load stands.
	Standing(ctx context.Context, load string) (Standing, error)
	// Held is Standing of a load that it holds until the transaction ends: for those that follow a load. They hold it before rows of their own.
	Held(ctx context.Context, load string) (Standing, error)
	// ForCarrier returns a load that is ready for a carrier, and holds it until the transaction ends. Errors: ErrNotReady, loads.on_hold.
	ForCarrier(ctx context.Context, load string) (Standing, error)
	// Following returns who comes for a load, and when, for its customer.
	Following(ctx context.Context, load string) (Following, error)
}

// Coverage is how loads are given to carriers. Its methods are called in the transaction of what they follow from. Loads are named by their uuids; an
// unknown one is ErrNotFound.
type Coverage interface {
	// Offered says how the offers for a load stand. Once a carrier has it, and once it is over, that changes nothing.
	Offered(ctx context.Context, load string, o Offers) error
	// Unwanted returns those of some carriers that may not have a load, as its customer wants it, with the refusals.
	Unwanted(ctx context.Context, load string, carriers ...string) (map[string]error, error)
	// Cover gives a load that is ready to a carrier; the company itself carries it if none is named. Errors: ErrNotReady, ErrPayBelowCharges,
	// ErrPlanFixed, loads.on_hold, loads.change_order_unsigned, and the vetoes of the hook loads.load.covering.
	Cover(ctx context.Context, load string, c Cover) error
	// Uncover takes a load from its carrier. Without a carrier, nothing changes. Error: loads.vehicles_loaded.
	Uncover(ctx context.Context, load string, m Moved) error
}

// Carriage is how loads are carried. Its methods are called in the transaction of what they follow from. Loads are named by their uuids; an unknown one
// is ErrNotFound.
type Carriage interface {
	// PickUp says that the vehicles that wait were picked up, Deliver that all of them were delivered. What is known already changes nothing. Error of
	// Deliver: ErrWaiting.
	PickUp(ctx context.Context, load string, m Moved) error
	Deliver(ctx context.Context, load string, m Moved) error
	// HandOver takes a load from its carrier on the way, such as after a breakdown: the vehicles on board wait at another place for the next carrier, and the
	// load is ready for one. Error: ErrNotOnBoard.
	HandOver(ctx context.Context, load string, h HandOver) error
}

// Collections is what carriers collect of customers. Loads are named by their uuids; an unknown one is ErrNotFound.
type Collections interface {
	// ToCollect returns what the customer has yet to pay to the carrier of a load, by the lines of the payment plan.
	ToCollect(ctx context.Context, load string) ([]Collectable, error)
	// Collected says that the carrier has collected an amount of the customer, "" for all that it was to. It is called in the transaction of what it follows
	// from. Errors: ErrNothingToCollect, and loads.invalid_load with the field amount for more than that.
	Collected(ctx context.Context, load string, c Collected) error
}

// Offers is how the offers for a load stand.
type Offers string

// How offers stand: nobody is asked; carriers are, and one of them has named another price or other days; all have declined, or not answered; and one
// has accepted.
const (
	NoOffers        Offers = "none"
	OffersOut       Offers = "offered"
	OffersCountered Offers = "countered"
	OffersDeclined  Offers = "declined"
	OfferAccepted   Offers = "accepted"
)

// Standing is a load as those see it who find a carrier for it.
type Standing struct {
	Load, Number, Currency string
	State                  State
	// Version is that of the load's ETag.
	Version int64
	// Carrier has the load, "" for nobody.
	Carrier string
	// Since is when the load was given to whoever has it, the zero time for nobody: what is older is of somebody who had it before.
	Since time.Time
	// CarrierPay is what the carrier gets, "" if it is not known.
	CarrierPay string
	// Carried says that the company carries the load itself.
	Carried bool
	// Pickup and Delivery are the windows of the first and of the last stop.
	Pickup, Delivery Window
	// Declared is the sum of the declared values in US dollars, "" if none is declared.
	Declared string
	// AvailableFrom is the first day on which the vehicles can be picked up, as YYYY-MM-DD; "" if it is open.
	AvailableFrom string
	// PromisedBy is the day by which the customer was promised the pickup, as YYYY-MM-DD; "" if none was.
	PromisedBy string
	// Unsigned are the fields that changed since the customer signed, and that it has yet to sign; nil for none.
	Unsigned []string
}

// Window has two days as YYYY-MM-DD, each "" if it is open.
type Window struct{ From, To string }

// Cover is to whom a load is given, and for what.
type Cover struct {
	// Carrier is "" for a load that the company carries itself.
	Carrier string
	// CarrierPay is what the carrier gets for all of it, in the currency of the load; "" leaves what the load says. The payment plan follows.
	CarrierPay string
	// Note is kept in the log of the load, Party is who decided: broker or carrier.
	Note, Party string
	// Override is why the caller, who needs the scope loads:override, gives the load away although the customer has not signed its changes; "" if it
	// gives no reason. A carrier never overrides.
	Override string
}

// Moved is what somebody said of a load on its way. At is when it happened; the zero time is now.
type Moved struct {
	At          time.Time
	Note, Party string
	// Vehicles are the uuids of those that were picked up or delivered; nil is all of them.
	Vehicles []string
}

// HandOver is where vehicles wait that their carrier does not carry any further. PostalCode, or City and State, say where.
type HandOver struct {
	Name, Line1, City, State, PostalCode string
	// Contact and Phone are who has them there, "" for nobody.
	Contact, Phone string
	// Note is kept in the log of the load, Party is who decided.
	Note, Party string
}

// Collectable is what is left of a line of the payment plan that the customer pays to the carrier.
type Collectable struct {
	Amount, Currency string
	// Method is one of those of payment plans, Event what makes it due.
	Method, Event string
}

// Collected is what a carrier has collected of a customer.
type Collected struct {
	// Amount is in the currency of the load, Method one of those of payment plans, "" for the one that was agreed.
	Amount, Method string
	// Note is kept with the payment.
	Note string
}
