// Package store has the rows of the trips_* tables with what they decide by themselves, the life of trips, the driver's pay, the settings, and the failures
// of the area.
package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Trip is a row of trips_trips: what a truck of the company carries on one run, and where it stops.
type Trip struct {
	resource.Row

	Number     string                   `json:"number" field:"number=T-{yyyy}-{seq:5},search,title,sort"`
	State      State                    `json:"state" field:"sort"`
	Truck      *uuid.UUID               `json:"truck_uuid" gorm:"column:truck_id" field:"item=trucks.truck" doc:"Required when the trip is planned."`
	Driver     *uuid.UUID               `json:"driver_uuid" gorm:"column:driver_id" field:"item=drivers.driver" doc:"Required when the trip is dispatched."`
	CoDriver   *uuid.UUID               `json:"co_driver_uuid" gorm:"column:co_driver_id" field:"item=drivers.driver"`
	From       string                   `json:"starts_from" gorm:"column:starts_from" field:"max=10" doc:"ZIP code of where the truck is before; the miles from there are deadhead miles." example:"75201"`
	Legs       resource.JSON[[]Leg]     `json:"legs" field:"readonly" doc:"The stops in the order in which they are driven."`
	Cargo      resource.JSON[[]Cargo]   `json:"vehicles" gorm:"column:cargo" field:"readonly"`
	Deadhead   *int64                   `json:"deadhead_miles" gorm:"column:deadhead_miles" field:"readonly,sort" doc:"Miles without a vehicle on the truck; null if a place is not known."`
	Loaded     *int64                   `json:"loaded_miles" gorm:"column:loaded_miles" field:"readonly,sort" doc:"Miles with vehicles on the truck."`
	Basis      *string                  `json:"pay_basis" gorm:"column:pay_basis" enum:"per_mile,percent,flat,per_vehicle" doc:"How the driver is paid: for each loaded mile, a share of the carrier pay of the vehicles, once, or for each vehicle."`
	Rate       money.Amount             `json:"pay_rate" gorm:"column:pay_rate" field:"scope=loads:margins" required:"false" doc:"An amount, or percent." example:"0.65"`
	Pay        money.Amount             `json:"pay_amount" gorm:"column:pay_amount" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the driver gets by basis and rate."`
	Currency   money.Currency           `json:"currency" field:"filled=company" doc:"By default the company's."`
	Expenses   resource.JSON[[]Expense] `json:"expenses" field:"max=100"`
	Advances   resource.JSON[[]Advance] `json:"advances" field:"max=50,scope=loads:margins" required:"false" doc:"What the driver got before."`
	Notes      string                   `json:"notes" field:"max=2000,nofilter"`
	StartedAt  *time.Time               `json:"started_at" field:"readonly,sort"`
	FinishedAt *time.Time               `json:"completed_at" gorm:"column:completed_at" field:"readonly,sort"`
	Warnings   []Warning                `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What the truck may not hold; only in responses of the area's own operations."`
}

// TableName implements GORM's naming.
func (Trip) TableName() string { return "trips_trips" }

// MarshalJSON leaves out what the caller may not see.
func (t Trip) MarshalJSON() ([]byte, error) {
	type plain Trip

	return resource.MarshalRow(&t.Row, plain(t))
}

// Leg is a stop of a load on a trip.
type Leg struct {
	UUID       uuid.UUID  `json:"uuid"`
	Load       uuid.UUID  `json:"load_uuid"`
	Stop       uuid.UUID  `json:"stop_uuid"`
	Kind       string     `json:"kind" enum:"pickup,delivery"`
	Place      string     `json:"place" example:"Dallas, TX"`
	PostalCode string     `json:"postal_code"`
	Vehicles   int        `json:"vehicle_count" doc:"How many get on or off."`
	Miles      *int64     `json:"miles" doc:"From the stop before, or from where the trip starts; null if a place is not known."`
	Due        string     `json:"due,omitempty" doc:"The last day of the stop's window." example:"2026-12-01"`
	ETA        *time.Time `json:"eta,omitempty"`
	ArrivedAt  *time.Time `json:"arrived_at,omitempty"`
	DepartedAt *time.Time `json:"departed_at,omitempty"`
	Odometer   int64      `json:"odometer,omitempty" doc:"In miles, at the arrival or the departure."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Leg) SchemaName() string { return "TripLeg" }

// Cargo is a vehicle on a trip.
type Cargo struct {
	Vehicle  uuid.UUID    `json:"vehicle_uuid"`
	Load     uuid.UUID    `json:"load_uuid"`
	Pickup   uuid.UUID    `json:"pickup_stop_uuid"`
	Delivery uuid.UUID    `json:"delivery_stop_uuid"`
	Name     string       `json:"name" example:"2003 Honda Accord"`
	Type     string       `json:"type"`
	WeightLb int64        `json:"weight_lb" doc:"Its own, or what is usual for the type."`
	Operable bool         `json:"operable"`
	Enclosed bool         `json:"enclosed" doc:"Whether it is to be carried in an enclosed trailer."`
	Pay      money.Amount `json:"carrier_pay" field:"scope=loads:margins"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Cargo) SchemaName() string { return "TripVehicle" }

// Warning is something that a truck may not hold, that a truck or a driver is on another trip, too, that a document expires on
// the way, or an odometer that runs back.
type Warning struct {
	Code    string    `json:"code" enum:"slots,weight,winch,enclosed,truck_busy,driver_busy,document_expires,odometer_back"`
	Leg     uuid.UUID `json:"leg_uuid,omitzero" doc:"From which stop on; absent for all of the trip."`
	Message string    `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Warning) SchemaName() string { return "TripWarning" }

// Expense is what was paid on a trip.
type Expense struct {
	Category     string       `json:"category" enum:"fuel,toll,scale,lumper,repair,parking,lodging,fine,other"`
	Amount       money.Amount `json:"amount"`
	Note         string       `json:"note,omitempty" maxLength:"200"`
	Attachment   uuid.UUID    `json:"attachment_uuid,omitzero" doc:"The receipt."`
	Reimbursable bool         `json:"reimbursable,omitempty" doc:"Whether the driver gets it back."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Expense) SchemaName() string { return "TripExpense" }

// Advance is what a driver got before the trip was done.
type Advance struct {
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty" maxLength:"200"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Advance) SchemaName() string { return "TripAdvance" }

// State is a state of a trip.
type State string

// The states of a trip.
const (
	Draft      State = "draft"
	Planned    State = "planned"
	Dispatched State = "dispatched"
	InTransit  State = "in_transit"
	Completed  State = "completed"
	Cancelled  State = "cancelled"
)

// The kinds of legs.
const (
	Pickup   = "pickup"
	Delivery = "delivery"
)

// What is done to a trip, beside what is done to every resource.
const (
	verbPlan     resource.Verb = "plan"
	VerbDispatch resource.Verb = "dispatch"
	VerbStart    resource.Verb = "start"
	VerbComplete resource.Verb = "complete"
	VerbCancel   resource.Verb = "cancel"
	VerbLoad     resource.Verb = "load"
	VerbVisit    resource.Verb = "visit"
	VerbFollow   resource.Verb = "follow_load"
)

// The failures of trips.
var (
	ErrInvalid             = errs.New(errs.Invalid, "trips.invalid_trip", "The given data was invalid.")
	ErrIncomplete          = errs.New(errs.Conflict, "trips.incomplete", "The trip lacks something. See details.missing.")
	ErrVehicleTaken        = errs.New(errs.Conflict, "trips.vehicle_taken", "A vehicle is on another trip. Take it off that one first.")
	ErrLoadNotCarried      = errs.New(errs.Conflict, "trips.load_not_carried", "The company does not carry this load itself. Set its company_role to carrier first.")
	ErrLoadNotReady        = errs.New(errs.Conflict, "trips.load_not_ready", "A load of the trip cannot be carried now. See details.load_uuid.")
	ErrBusy                = errs.New(errs.Conflict, "trips.busy", "The truck or a driver is on another trip. See details.warnings.")
	ErrDocumentExpires     = errs.New(errs.Conflict, "trips.document_expires", "A document expires before the trip ends. See details.warnings; renew it, or send `acknowledge_warnings`.")
	ErrOverCapacity        = errs.New(errs.Conflict, "trips.over_capacity", "The truck does not hold what is on the trip. See details.warnings.")
	ErrNotFit              = errs.New(errs.Conflict, "trips.not_fit", "The driver or the truck may not drive. See details.problems.")
	ErrUnderWay            = errs.New(errs.Conflict, "trips.under_way", "The trip was dispatched. Only loads, expenses, advances and notes can be added to it.")
	ErrOver                = errs.New(errs.Conflict, "trips.over", "The trip is completed or canceled, and cannot be changed. Plan a new one.")
	ErrNotPickedUp         = errs.New(errs.Conflict, "trips.not_picked_up", "The vehicles of this stop were not picked up yet. Depart from their pickup first.")
	ErrChangeOrderUnsigned = errs.New(errs.Conflict, "loads.change_order_unsigned", "The customer has yet to sign what has changed of a load. See details.fields. Have it sign, or cover the load with a note and the scope loads:override.")
	ErrOwnCarrierUnknown   = errs.New(errs.Conflict, "trips.own_carrier_unknown", "The own_carrier_uuid of the settings is no carrier of the company. Change the settings.")
	ErrLegNotFound         = errs.New(errs.NotFound, "trips.leg_not_found", "The trip has no such leg.")
	ErrLoadNotFound        = errs.New(errs.NotFound, "trips.load_not_found", "The trip has no such load.")
	ErrVehiclesLoaded      = errs.New(errs.Conflict, "trips.vehicles_loaded", "A vehicle was picked up already. Deliver it, or put it back first.")
)

// life is the life of trips.
var life = state.Machine[State]{
	Item: tripsapi.Trip, Initial: Draft, Final: []State{Completed, Cancelled},
	Steps: []state.Step[State]{
		{From: []State{Draft}, Verb: string(verbPlan), To: Planned, Guard: state.NewGuard("it has a truck and loads", plannable)},
		{From: []State{Planned}, Verb: string(VerbDispatch), To: Dispatched},
		{From: []State{Dispatched}, Verb: string(VerbStart), To: InTransit, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []State{InTransit}, Verb: string(VerbComplete), To: Completed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []State{Draft, Planned, Dispatched, InTransit}, Verb: string(VerbCancel), To: Cancelled},
	},
}

// plannable reports what a trip lacks to be planned.
func plannable(_ context.Context, t Trip) error {
	var missing []string
	if t.Truck == nil {
		missing = append(missing, "truck_uuid")
	}
	if len(t.Legs.V) == 0 {
		missing = append(missing, "loads")
	}
	if len(missing) == 0 {
		return nil
	}

	return ErrIncomplete.WithDetail("missing", missing)
}

// Rules are the rules of trips.
func Rules() resource.Rules[Trip] {
	of := func(make func(a tripsapi.About) events.Event) func(t Trip) events.Event {
		return func(t Trip) events.Event { return make(t.About()) }
	}

	return resource.Rules[Trip]{
		Item: tripsapi.Trip, Sort: []string{"-created_at"}, KeepDeleted: true, Check: checkTrip,
		About:    "What a truck of the company carries on one run, where it stops, and what the driver gets.",
		Life:     resource.LifeOf(life, func(t *Trip) *State { return &t.State }),
		Own:      []resource.Verb{VerbDispatch, VerbStart, VerbComplete, VerbCancel},
		Failures: resource.Failures{Invalid: ErrInvalid}, Errors: []*errs.Error{ErrIncomplete, ErrUnderWay, ErrOver},
		Events: resource.Events[Trip]{
			verbPlan:     of(func(a tripsapi.About) events.Event { return tripsapi.Planned{About: a} }),
			VerbDispatch: of(func(a tripsapi.About) events.Event { return tripsapi.Dispatched{About: a} }),
			VerbCancel:   of(func(a tripsapi.About) events.Event { return tripsapi.Cancelled{About: a} }),
		},
	}
}

// About names the trip in events.
func (t Trip) About() tripsapi.About {
	a := tripsapi.About{Trip: t.ID.String()}
	if t.Truck != nil {
		a.Truck = t.Truck.String()
	}
	if t.Driver != nil {
		a.Driver = t.Driver.String()
	}

	return a
}

// Over reports whether a trip has ended.
func (t Trip) Over() bool { return t.State == Completed || t.State == Cancelled }

// UnderWay reports whether its driver drives by what the trip says.
func (t Trip) UnderWay() bool { return t.State == Dispatched || t.State == InTransit }

// Departed are the legs that the truck has left.
func (t Trip) Departed() []Leg {
	return slices.DeleteFunc(slices.Clone(t.Legs.V), func(l Leg) bool { return l.DepartedAt == nil })
}

// Changeable refuses a change of the stops of a trip that is under way, or over.
func (t Trip) Changeable() error {
	switch {
	case t.Over():
		return ErrOver
	case t.UnderWay():
		return ErrUnderWay
	}

	return nil
}

// Loads are those of a trip, in an order in which all hold them.
func (t Trip) Loads() []uuid.UUID {
	all := map[uuid.UUID]bool{}
	for _, c := range t.Cargo.V {
		all[c.Load] = true
	}

	return slices.SortedFunc(maps.Keys(all), func(a, b uuid.UUID) int { return cmp.Compare(a.String(), b.String()) })
}

// Crew are the drivers of a trip.
func (t Trip) Crew() (all []uuid.UUID) {
	for _, id := range []*uuid.UUID{t.Driver, t.CoDriver} {
		if id != nil {
			all = append(all, *id)
		}
	}

	return all
}

// SameID reports whether two references are equal.
func SameID(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

// checkTrip refuses amounts that are none, and computes the pay.
func checkTrip(_ context.Context, t *Trip) error {
	wrong := ErrInvalid
	for i, e := range t.Expenses.V {
		wrong = t.checkAmount(e.Amount, "expenses."+strconv.Itoa(i)+".amount", wrong)
	}
	for i, a := range t.Advances.V {
		wrong = t.checkAmount(a.Amount, "advances."+strconv.Itoa(i)+".amount", wrong)
	}
	if t.CoDriver != nil && SameID(t.Driver, t.CoDriver) {
		wrong = wrong.WithField("co_driver_uuid", "`co_driver_uuid` must be another driver's than the `driver_uuid`.")
	}
	const all = 100
	rate, ok := new(big.Rat).SetString(string(t.Rate))
	if t.Rate != "" && (!ok || rate.Sign() < 0 || t.Basis != nil && *t.Basis == "percent" && rate.Cmp(big.NewRat(all, 1)) > 0) {
		wrong = wrong.WithField("pay_rate", "`pay_rate` must be an amount of at least 0; a percent is at most 100.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	t.Pay = t.DriverPay()

	return nil
}

func (t Trip) checkAmount(a money.Amount, at string, wrong *errs.Error) *errs.Error {
	if m, err := money.Of(a, t.Currency); err == nil {
		if units, ok := m.Units(); ok && units >= 0 {
			return wrong
		}
	}

	return wrong.WithField(at, t.Currency.AmountRule("amount", math.MaxInt64))
}

// DriverPay is what the driver gets, "" if it is not known.
func (t Trip) DriverPay() money.Amount {
	rate, ok := new(big.Rat).SetString(string(t.Rate))
	if t.Basis == nil || t.Rate == "" || !ok {
		return ""
	}
	times := big.NewRat(1, 1)
	switch *t.Basis {
	case "per_mile":
		if t.Loaded == nil {
			return ""
		}
		times.SetInt64(*t.Loaded)
	case "per_vehicle":
		times.SetInt64(int64(len(t.Cargo.V)))
	case "percent":
		times.SetInt64(0)
		for _, c := range t.Cargo.V {
			if amount, ok := new(big.Rat).SetString(string(c.Pay)); ok {
				times.Add(times, amount)
			}
		}
		times.Quo(times, big.NewRat(100, 1)) //nolint:mnd // percent
	}

	return money.Amount(rate.Mul(rate, times).FloatString(t.Currency.Digits()))
}
