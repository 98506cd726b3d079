package trips

import (
	"context"
	"math"
	"math/big"
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

// trip is a row of trips_trips: what a truck of the company carries on one run, and where it stops.
type trip struct {
	resource.Row

	Number     string                   `json:"number" field:"number=T-{yyyy}-{seq:5},search,title,sort"`
	State      standing                 `json:"state" field:"sort"`
	Truck      *uuid.UUID               `json:"truck_uuid" gorm:"column:truck_id" field:"item=trucks.truck" doc:"Required when the trip is planned."`
	Driver     *uuid.UUID               `json:"driver_uuid" gorm:"column:driver_id" field:"item=drivers.driver" doc:"Required when the trip is dispatched."`
	CoDriver   *uuid.UUID               `json:"co_driver_uuid" gorm:"column:co_driver_id" field:"item=drivers.driver"`
	From       string                   `json:"starts_from" gorm:"column:starts_from" field:"max=10" doc:"ZIP code of where the truck is before; the miles from there are deadhead miles." example:"75201"`
	Legs       resource.JSON[[]leg]     `json:"legs" field:"readonly" doc:"The stops in the order in which they are driven."`
	Cargo      resource.JSON[[]cargo]   `json:"vehicles" gorm:"column:cargo" field:"readonly"`
	Deadhead   *int64                   `json:"deadhead_miles" gorm:"column:deadhead_miles" field:"readonly,sort" doc:"Miles without a vehicle on the truck; null if a place is not known."`
	Loaded     *int64                   `json:"loaded_miles" gorm:"column:loaded_miles" field:"readonly,sort" doc:"Miles with vehicles on the truck."`
	Basis      *string                  `json:"pay_basis" gorm:"column:pay_basis" enum:"per_mile,percent,flat,per_vehicle" doc:"How the driver is paid: for each loaded mile, a share of the carrier pay of the vehicles, once, or for each vehicle."`
	Rate       money.Amount             `json:"pay_rate" gorm:"column:pay_rate" field:"scope=loads:margins" required:"false" doc:"An amount, or percent." example:"0.65"`
	Pay        money.Amount             `json:"pay_amount" gorm:"column:pay_amount" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the driver gets by basis and rate."`
	Currency   money.Currency           `json:"currency" field:"filled=company" doc:"By default the company's."`
	Expenses   resource.JSON[[]expense] `json:"expenses" field:"max=100"`
	Advances   resource.JSON[[]advance] `json:"advances" field:"max=50,scope=loads:margins" required:"false" doc:"What the driver got before."`
	Notes      string                   `json:"notes" field:"max=2000,nofilter"`
	StartedAt  *time.Time               `json:"started_at" field:"readonly,sort"`
	FinishedAt *time.Time               `json:"completed_at" gorm:"column:completed_at" field:"readonly,sort"`
	Warnings   []warning                `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What the truck may not hold; only in responses of the area's own operations."`
}

// TableName implements GORM's naming.
func (trip) TableName() string { return "trips_trips" }

// MarshalJSON leaves out what the caller may not see.
func (t trip) MarshalJSON() ([]byte, error) {
	type plain trip

	return resource.MarshalRow(&t.Row, plain(t))
}

// leg is a stop of a load on a trip.
type leg struct {
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
func (leg) SchemaName() string { return "TripLeg" }

// cargo is a vehicle on a trip.
type cargo struct {
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
func (cargo) SchemaName() string { return "TripVehicle" }

// expense is what was paid on a trip.
type expense struct {
	Category     string       `json:"category" enum:"fuel,toll,scale,lumper,repair,parking,lodging,fine,other"`
	Amount       money.Amount `json:"amount"`
	Note         string       `json:"note,omitempty" maxLength:"200"`
	Attachment   uuid.UUID    `json:"attachment_uuid,omitzero" doc:"The receipt."`
	Reimbursable bool         `json:"reimbursable,omitempty" doc:"Whether the driver gets it back."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (expense) SchemaName() string { return "TripExpense" }

// advance is what a driver got before the trip was done.
type advance struct {
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty" maxLength:"200"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (advance) SchemaName() string { return "TripAdvance" }

// standing is a state of a trip.
type standing string

const (
	draft      standing = "draft"
	planned    standing = "planned"
	dispatched standing = "dispatched"
	inTransit  standing = "in_transit"
	completed  standing = "completed"
	cancelled  standing = "cancelled"
)

// The kinds of legs.
const (
	pickup   = "pickup"
	delivery = "delivery"
)

// What is done to a trip, beside what is done to every resource.
const (
	verbPlan     resource.Verb = "plan"
	verbDispatch resource.Verb = "dispatch"
	verbStart    resource.Verb = "start"
	verbComplete resource.Verb = "complete"
	verbCancel   resource.Verb = "cancel"
	verbLoad     resource.Verb = "load"
	verbVisit    resource.Verb = "visit"
	verbFollow   resource.Verb = "follow_load"
)

var (
	errInvalid     = errs.New(errs.Invalid, "trips.invalid_trip", "The given data was invalid.")
	errIncomplete  = errs.New(errs.Conflict, "trips.incomplete", "The trip lacks something. See details.missing.")
	errTaken       = errs.New(errs.Conflict, "trips.vehicle_taken", "A vehicle is on another trip. Take it off that one first.")
	errNotCarried  = errs.New(errs.Conflict, "trips.load_not_carried", "The company does not carry this load itself. Set its company_role to carrier first.")
	errNotReady    = errs.New(errs.Conflict, "trips.load_not_ready", "A load of the trip cannot be carried now. See details.load_uuid.")
	errBusy        = errs.New(errs.Conflict, "trips.busy", "The truck or a driver is on another trip. See details.warnings.")
	errExpiring    = errs.New(errs.Conflict, "trips.document_expires", "A document expires before the trip ends. See details.warnings; renew it, or send `acknowledge_warnings`.")
	errOver        = errs.New(errs.Conflict, "trips.over_capacity", "The truck does not hold what is on the trip. See details.warnings.")
	errUnfit       = errs.New(errs.Conflict, "trips.not_fit", "The driver or the truck may not drive. See details.problems.")
	errUnderWay    = errs.New(errs.Conflict, "trips.under_way", "The trip was dispatched. Only loads, expenses, advances and notes can be added to it.")
	errEnded       = errs.New(errs.Conflict, "trips.over", "The trip is completed or canceled, and cannot be changed. Plan a new one.")
	errNotPickedUp = errs.New(errs.Conflict, "trips.not_picked_up", "The vehicles of this stop were not picked up yet. Depart from their pickup first.")
	errUnsigned    = errs.New(errs.Conflict, "loads.change_order_unsigned", "The customer has yet to sign what has changed of a load. See details.fields. Have it sign, or cover the load with a note and the scope loads:override.")
	errNoCarrier   = errs.New(errs.Conflict, "trips.own_carrier_unknown", "The own_carrier_uuid of the settings is no carrier of the company. Change the settings.")
	errNoLeg       = errs.New(errs.NotFound, "trips.leg_not_found", "The trip has no such leg.")
	errNoLoad      = errs.New(errs.NotFound, "trips.load_not_found", "The trip has no such load.")
	errLoaded      = errs.New(errs.Conflict, "trips.vehicles_loaded", "A vehicle was picked up already. Deliver it, or put it back first.")
)

// life is the life of trips.
var life = state.Machine[standing]{
	Item: tripsapi.Trip, Initial: draft, Final: []standing{completed, cancelled},
	Steps: []state.Step[standing]{
		{From: []standing{draft}, Verb: string(verbPlan), To: planned, Guard: state.NewGuard("it has a truck and loads", plannable)},
		{From: []standing{planned}, Verb: string(verbDispatch), To: dispatched},
		{From: []standing{dispatched}, Verb: string(verbStart), To: inTransit, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []standing{inTransit}, Verb: string(verbComplete), To: completed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []standing{draft, planned, dispatched, inTransit}, Verb: string(verbCancel), To: cancelled},
	},
}

// plannable reports what a trip lacks to be planned.
func plannable(_ context.Context, t trip) error {
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

	return errIncomplete.WithDetail("missing", missing)
}

func rules() resource.Rules[trip] {
	of := func(make func(a tripsapi.About) events.Event) func(t trip) events.Event {
		return func(t trip) events.Event { return make(t.about()) }
	}

	return resource.Rules[trip]{
		Item: tripsapi.Trip, Sort: []string{"-created_at"}, KeepDeleted: true, Check: checkTrip,
		About:    "What a truck of the company carries on one run, where it stops, and what the driver gets.",
		Life:     resource.LifeOf(life, func(t *trip) *standing { return &t.State }),
		Own:      []resource.Verb{verbDispatch, verbStart, verbComplete, verbCancel},
		Failures: resource.Failures{Invalid: errInvalid}, Errors: []*errs.Error{errIncomplete, errUnderWay, errEnded},
		Events: resource.Events[trip]{
			verbPlan:     of(func(a tripsapi.About) events.Event { return tripsapi.Planned{About: a} }),
			verbDispatch: of(func(a tripsapi.About) events.Event { return tripsapi.Dispatched{About: a} }),
			verbCancel:   of(func(a tripsapi.About) events.Event { return tripsapi.Cancelled{About: a} }),
		},
	}
}

func (t trip) about() tripsapi.About {
	a := tripsapi.About{Trip: t.ID.String()}
	if t.Truck != nil {
		a.Truck = t.Truck.String()
	}
	if t.Driver != nil {
		a.Driver = t.Driver.String()
	}

	return a
}

// over reports whether nothing becomes of a trip any more.
func (t trip) over() bool { return t.State == completed || t.State == cancelled }

// underWay reports whether its driver drives by what the trip says.
func (t trip) underWay() bool { return t.State == dispatched || t.State == inTransit }

// checkTrip refuses amounts that are none, and computes the pay.
func checkTrip(_ context.Context, t *trip) error {
	wrong := errInvalid
	for i, e := range t.Expenses.V {
		wrong = t.checkAmount(e.Amount, "expenses."+strconv.Itoa(i)+".amount", wrong)
	}
	for i, a := range t.Advances.V {
		wrong = t.checkAmount(a.Amount, "advances."+strconv.Itoa(i)+".amount", wrong)
	}
	if t.CoDriver != nil && sameID(t.Driver, t.CoDriver) {
		wrong = wrong.WithField("co_driver_uuid", "`co_driver_uuid` must be another driver's than the `driver_uuid`.")
	}
	const all = 100
	if rate, ok := new(big.Rat).SetString(string(t.Rate)); t.Rate != "" && (!ok || rate.Sign() < 0 || t.Basis != nil && *t.Basis == "percent" && rate.Cmp(big.NewRat(all, 1)) > 0) {
		wrong = wrong.WithField("pay_rate", "`pay_rate` must be an amount of at least 0; a percent is at most 100.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	t.Pay = t.pay()

	return nil
}

func (t trip) checkAmount(a money.Amount, at string, wrong *errs.Error) *errs.Error {
	if m, err := money.Of(a, t.Currency); err == nil {
		if units, ok := m.Units(); ok && units >= 0 {
			return wrong
		}
	}

	return wrong.WithField(at, t.Currency.AmountRule("amount", math.MaxInt64))
}

// pay is what the driver gets, "" if it is not known.
func (t trip) pay() money.Amount {
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
