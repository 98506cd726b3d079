package loadsapi

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of Sales. ErrPart is for a vehicle, a stop or a charge that the load does not have.
var (
	ErrNotFound   = errs.New(errs.NotFound, "loads.load_not_found", "There is no such load.")
	ErrPart       = errs.New(errs.NotFound, "loads.part_not_found", "The load has no such part.")
	ErrNotForSale = errs.New(errs.Conflict, "loads.not_for_sale", "The load was booked already, or was lost or canceled. There is nothing to book.")
)

// Sales is how loads are sold. Its methods are called in the transaction of what they follow from. Loads are named by their uuids; an
// unknown one is ErrNotFound.
type Sales interface {
	// ForSale returns a load that was not sold yet, and holds it until the transaction ends. Error: ErrNotForSale.
	ForSale(ctx context.Context, load string) (Snapshot, error)
	// Quote says that the customer was told prices, which the load has from then on. Errors: ErrNotForSale, loads.on_hold, loads.no_price.
	Quote(ctx context.Context, load string, p Prices) error
	// Sell books a load. Errors: ErrNotForSale, loads.on_hold, loads.not_bookable with what is missing.
	Sell(ctx context.Context, load string, s Sale) error
	// Written returns, for each of some prices, what the customer of a load pays by a payment plan that people wrote; nil for a load without one, which pays by
	// the template of the prices. The first are the prices that the load is quoted at: the plans of the others follow from there. It changes nothing. Quote and
	// Sell keep such a plan too. Errors of the three: ErrPlanFixed, and loads.line_paid for a template that has no line on which something was paid.
	Written(ctx context.Context, load string, all []Prices) ([][]Payment, error)
}

// Payment is what a customer pays by a payment plan.
type Payment struct {
	// To is broker or carrier, Amount in the currency of the load, Method and Event are those of payment plans.
	To, Amount, Method, Event string
	// Days is within how many days after the event.
	Days         int64
	BusinessDays bool
}

// Snapshot is a load as it was at a time, for those who keep what was said of it. Its JSON is kept with them.
type Snapshot struct {
	Load   string `json:"load_uuid"`
	Number string `json:"number"`
	State  State  `json:"state"`
	// Customer is a contact, "" for none.
	Customer      string            `json:"customer_uuid,omitempty"`
	Currency      string            `json:"currency"`
	TransportType string            `json:"transport_type"`
	Expedited     bool              `json:"expedited,omitempty"`
	AvailableFrom string            `json:"available_from,omitempty"`
	Stops         []SnapshotStop    `json:"stops"`
	Vehicles      []SnapshotVehicle `json:"vehicles"`
	Charges       []Charge          `json:"charges,omitempty"`
	PlanTemplate  string            `json:"plan_template,omitempty"`
	// Miles are 0 if they are not known.
	Miles    int64 `json:"miles,omitempty"`
	FromDays int64 `json:"transit_from_days,omitempty"`
	ToDays   int64 `json:"transit_to_days,omitempty"`
}

// SnapshotStop is a stop of a snapshot.
type SnapshotStop struct {
	UUID       string `json:"uuid"`
	Kind       string `json:"kind"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	TimeZone   string `json:"time_zone,omitempty"`
}

// SnapshotVehicle is a vehicle of a snapshot. Those that were removed are not there.
type SnapshotVehicle struct {
	UUID       string `json:"uuid"`
	Name       string `json:"name"`
	VIN        string `json:"vin,omitempty"`
	Type       string `json:"type"`
	Operable   bool   `json:"operable"`
	Modified   bool   `json:"modified,omitempty"`
	Tariff     string `json:"tariff,omitempty"`
	CarrierPay string `json:"carrier_pay,omitempty"`
}

// Charge is what a customer pays beside the transport of the vehicles. Payee is broker or carrier.
type Charge struct {
	UUID        string `json:"uuid,omitempty"`
	Kind        string `json:"kind"`
	Description string `json:"description,omitempty"`
	Vehicle     string `json:"vehicle_uuid,omitempty"`
	Amount      string `json:"amount"`
	Payee       string `json:"payee,omitempty"`
	Taxable     bool   `json:"taxable,omitempty"`
}

// Prices are all that a customer pays for a load, in its currency, and what a carrier gets for it. Vehicles that are not named keep their
// prices.
type Prices struct {
	Vehicles map[string]VehiclePrice
	// Charges take the place of those that the customer pays.
	Charges []Charge
	// PlanTemplate is that of the payment plan, "" to leave the plan.
	PlanTemplate string
}

// VehiclePrice is the price of a vehicle. CarrierPay is "" if it is not known.
type VehiclePrice struct{ Tariff, CarrierPay string }

// Sale is what a load is booked for.
type Sale struct {
	Prices

	// AvailableFrom is the first day on which the vehicles can be picked up, YYYY-MM-DD; "" leaves that of the load.
	AvailableFrom string
	// Expedited is for a customer that bought an earlier pickup, and Within is in how many days from AvailableFrom on it was promised; 0 if no day was.
	Expedited bool
	Within    int
	// Note is kept in the log of the load, Party is who books: customer or broker.
	Note, Party string
	// SignedBy is who has signed by a link, from the IP address SignedFrom; "" if nobody has.
	SignedBy, SignedFrom string
}

// Booking is the hook loads.load.booking: a load is about to be booked, by whomever. Areas veto it, or take note.
type Booking struct {
	Load, Number string
	// Tariff is all that the customer pays, in the currency.
	Tariff, Currency string
	// Expedited and Within are set by the area that knows that the customer bought an earlier pickup: see Sale.
	Expedited bool
	Within    int
}
