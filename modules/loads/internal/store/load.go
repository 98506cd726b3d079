// Package store keeps loads: a load is one row with its stops, vehicles and money, which change together under one version. Here is what follows from the
// row alone: its life, its totals, and what each party sees of it.
package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Load is a row of loads_loads, with its stops, vehicles and money: they change together, under one version.
type Load struct {
	resource.Row

	Number        string                             `json:"number" field:"number=L-{yyyy}-{seq:5},search,title,sort" seen:"customer carrier offer"`
	ExternalID    string                             `json:"external_id" gorm:"column:external_id" field:"max=50,search,unique" doc:"Your own id of the load, such as that of the system that it comes from." seen:"-"`
	State         loadsapi.State                     `json:"state" field:"sort" seen:"customer carrier offer"`
	Role          string                             `json:"company_role" gorm:"column:company_role" field:"default=broker" enum:"broker,carrier" doc:"Whether the company sells the load to a carrier, or carries it itself." seen:"-"`
	Customer      *uuid.UUID                         `json:"customer_uuid" gorm:"column:customer_id" field:"item=contacts.contact,search" doc:"The contact that orders the transport; required when the load is booked." seen:"-"`
	Shipper       *uuid.UUID                         `json:"shipper_uuid" gorm:"column:shipper_id" field:"item=contacts.contact,on_delete=clear" doc:"The contact that releases the vehicles, if it is not the customer." seen:"-"`
	BillTo        *uuid.UUID                         `json:"bill_to_uuid" gorm:"column:bill_to_id" field:"item=contacts.contact" doc:"The contact that is invoiced, if it is not the customer." seen:"-"`
	Carrier       *uuid.UUID                         `json:"carrier_uuid" gorm:"column:carrier_id" field:"by=POST …/cover,item=carriers.carrier" doc:"The carrier that has the load; cover sets it." seen:"-"`
	Assigned      *uuid.UUID                         `json:"assigned_user_uuid" gorm:"column:assigned_id" field:"user" doc:"The user who sells the load." seen:"-"`
	AssignedAt    *time.Time                         `json:"assigned_at" field:"readonly,sort" doc:"When it was assigned to this user." seen:"-"`
	FirstContact  *time.Time                         `json:"first_contact_at" gorm:"column:first_contact_at" field:"readonly,sort" doc:"When a user first worked on it since it was assigned: changed it, or said something of it." seen:"-"`
	Team          string                             `json:"team" field:"max=50,sort" doc:"Who works on it together, in the words of the company." seen:"-"`
	Dispatcher    *uuid.UUID                         `json:"dispatcher_user_uuid" gorm:"column:dispatcher_id" field:"user" doc:"The user who finds the carrier." seen:"-"`
	Transport     string                             `json:"transport_type" gorm:"column:transport_type" field:"filled,sort" enum:"open,enclosed,driveaway" doc:"By default that of the settings." seen:"customer carrier offer"`
	Inspection    string                             `json:"inspection_type" gorm:"column:inspection_type" field:"filled" enum:"standard,advanced,aiag" doc:"By default that of the settings." seen:"carrier offer"`
	Trailer       field.Equipment                    `json:"trailer_hint" gorm:"column:trailer_hint" field:"sort" doc:"The equipment that suits it, if not any of its transport_type does." seen:"customer carrier offer"`
	Priority      string                             `json:"priority" field:"default=normal,sort" enum:"normal,expedited" seen:"customer carrier offer"`
	AvailableFrom field.Date                         `json:"available_from" field:"sort" doc:"The first day on which the vehicles can be picked up; required when the load is booked." seen:"customer carrier offer"`
	PromisedBy    field.Date                         `json:"pickup_promised_by" gorm:"column:pickup_promised_by" field:"readonly,sort" doc:"The day by which the customer was promised the pickup, by the option of the quote that it accepted." seen:"customer carrier offer"`
	Stops         resource.JSON[[]Stop]              `json:"stops" field:"max=20" called:"origin pickup pick_up from;destination delivery dropoff drop_off to dest" presets:"kind=pickup;kind=delivery" doc:"In the order in which they are driven." seen:"customer carrier offer"`
	Vehicles      resource.JSON[[]Vehicle]           `json:"vehicles" field:"max=50" gather:"external_id" seen:"customer carrier offer"`
	Commodities   resource.JSON[[]Commodity]         `json:"commodities" field:"max=50" doc:"Goods that are no vehicles." seen:"customer carrier offer"`
	Charges       resource.JSON[[]Charge]            `json:"charges" field:"max=100,scope=margins" required:"false" doc:"What is charged beside the transport of the vehicles." seen:"customer"`
	Plan          resource.JSON[[]plan.Line]         `json:"payment_plan" gorm:"column:payment_plan" field:"max=12,scope=margins" required:"false" doc:"Who pays what to whom, and when; it adds up to the totals." seen:"customer carrier offer"`
	PlanTemplate  string                             `json:"plan_template" gorm:"column:plan_template" field:"by=POST …/payment_plan/propose" doc:"The template that the payment plan follows; empty if it was written by hand." seen:"-"`
	Payments      resource.JSON[[]plan.Payment]      `json:"payments" gorm:"column:payments" field:"by=POST …/payments,scope=margins" required:"false" doc:"What was paid of the payment plan." seen:"customer carrier"`
	Billing       plan.Billing                       `json:"billing" field:"by=POST …/payments,default=unbilled,sort" enum:"unbilled,part,paid,overdue" doc:"How the payments of the customer stand. unbilled: nothing was paid, and nothing is overdue." seen:"-"`
	PaymentDue    *time.Time                         `json:"payment_due_at" gorm:"column:payment_due_at" field:"readonly,sort" doc:"Until when the next payment of the customer is to be made by the payment plan: for a day after due_days." seen:"customer"`
	CustomerOwes  money.Amount                       `json:"customer_balance" gorm:"column:customer_balance" field:"by=POST …/payments,sort,scope=margins" required:"false" doc:"What the customer has yet to pay; negative for what it has paid too much." seen:"customer"`
	CarrierGets   money.Amount                       `json:"carrier_balance" gorm:"column:carrier_balance" field:"by=POST …/payments,sort,scope=margins" required:"false" doc:"What the carrier has yet to get; negative for what it has yet to remit." seen:"carrier"`
	References    resource.JSON[[]reference]         `json:"references" gorm:"column:reference_list" field:"max=50" doc:"Numbers of others: purchase orders, gate passes …" seen:"carrier"`
	Currency      money.Currency                     `json:"currency" field:"filled=company" doc:"By default the company's." seen:"customer carrier offer"`
	Private       string                             `json:"instructions_private" gorm:"column:instructions_private" field:"max=5000,nofilter,scope=margins" required:"false" doc:"For the company alone." seen:"-"`
	ForCarrier    string                             `json:"instructions_carrier" gorm:"column:instructions_carrier" field:"max=5000,nofilter" doc:"For the carrier." seen:"carrier"`
	ForBoard      string                             `json:"instructions_board" gorm:"column:instructions_board" field:"max=500,nofilter" doc:"For everybody who sees the load on a board: without phone numbers, e-mail addresses and web addresses." seen:"carrier offer"`
	HoldReason    string                             `json:"hold_reason" field:"by=POST …/hold" doc:"The id of the reason in the settings for which nothing goes on; empty if it is not held." seen:"-"`
	HoldNote      string                             `json:"hold_note" field:"by=POST …/hold,nofilter" seen:"-"`
	HeldBy        *uuid.UUID                         `json:"held_by_user_uuid" gorm:"column:held_by" field:"readonly" seen:"-"`
	HoldUntil     *time.Time                         `json:"hold_until" field:"by=POST …/hold" doc:"When it is released automatically." seen:"-"`
	HeldAt        *time.Time                         `json:"held_at" field:"readonly,sort" doc:"Since when it is held." seen:"-"`
	Miles         *int64                             `json:"miles" field:"readonly,sort" doc:"Over all stops; null if a place is missing, or no road leads there." seen:"customer carrier offer"`
	Minutes       *int64                             `json:"minutes" field:"readonly" seen:"carrier offer"`
	Measured      bool                               `json:"miles_measured" gorm:"column:miles_measured" field:"readonly" doc:"false for an estimate, which is typically within 8 %." seen:"carrier offer"`
	FromDays      *int64                             `json:"transit_from_days" gorm:"column:transit_from_days" field:"readonly" doc:"In how many days such a load is usually delivered." seen:"customer carrier offer"`
	ToDays        *int64                             `json:"transit_to_days" gorm:"column:transit_to_days" field:"readonly" seen:"customer carrier offer"`
	OriginZIP3    string                             `json:"origin_zip3" gorm:"column:origin_zip3" field:"readonly,sort" doc:"The first three digits of the first stop's ZIP code." seen:"-"`
	OriginState   string                             `json:"origin_state" field:"readonly,sort" seen:"customer carrier offer"`
	DestZIP3      string                             `json:"destination_zip3" gorm:"column:destination_zip3" field:"readonly,sort" seen:"-"`
	DestState     string                             `json:"destination_state" gorm:"column:destination_state" field:"readonly,sort" seen:"customer carrier offer"`
	PickupFrom    *time.Time                         `json:"pickup_from" field:"readonly,sort" doc:"When the window of the first stop begins." seen:"customer carrier offer"`
	DeliverBy     *time.Time                         `json:"deliver_by" field:"readonly,sort" doc:"When the window of the last stop ends." seen:"customer carrier offer"`
	DueAt         *time.Time                         `json:"due_at" field:"readonly,sort" doc:"Until when what comes next is to be done, by the windows of the stops: the pickup, then the delivery." seen:"-"`
	Late          string                             `json:"late" field:"readonly,default=none,sort" enum:"none,pickup,delivery" doc:"What should have been done by now. It is found out within 15 minutes." seen:"-"`
	Coverage      loadsapi.Offers                    `json:"coverage" field:"readonly,default=none,sort" enum:"none,offered,countered,declined,accepted" doc:"How the offers to carriers stand. declined: all who were asked have declined, or not answered. accepted: a carrier has the load." seen:"-"`
	VehicleCount  int64                              `json:"vehicle_count" field:"readonly,sort" doc:"Without those that were removed." seen:"customer carrier offer"`
	InopCount     int64                              `json:"inop_count" field:"readonly" doc:"How many of them do not run." seen:"carrier offer"`
	Waiting       int64                              `json:"waiting_count" gorm:"column:waiting_count" field:"readonly" doc:"How many of them were not picked up yet." seen:"customer carrier"`
	OnBoard       int64                              `json:"picked_up_count" gorm:"column:picked_up_count" field:"readonly" doc:"How many of them are on the way." seen:"customer carrier"`
	Dropped       int64                              `json:"delivered_count" gorm:"column:delivered_count" field:"readonly" doc:"How many of them were delivered." seen:"customer carrier"`
	Tariff        money.Amount                       `json:"tariff" field:"by=PUT …/price,sort,scope=margins" required:"false" doc:"All that the customer pays." seen:"customer"`
	CarrierPay    money.Amount                       `json:"carrier_pay" field:"by=PUT …/price,sort,scope=margins" required:"false" doc:"All that the carrier ends up with." seen:"carrier offer"`
	BrokerFee     money.Amount                       `json:"broker_fee" field:"by=PUT …/price,sort,scope=margins" required:"false" doc:"tariff less carrier_pay; negative for a load that is sold at a loss." seen:"-"`
	ReasonID      string                             `json:"end_reason" gorm:"column:end_reason" field:"by=POST …/cancel or …/lose,sort" doc:"The id of the reason in the settings for which the load was lost or canceled." seen:"-"`
	EndedBy       string                             `json:"ended_by" field:"by=POST …/cancel,sort" doc:"Who canceled: customer, carrier or broker." seen:"-"`
	QuotedAt      *time.Time                         `json:"quoted_at" field:"readonly,sort" doc:"When the first quote was sent." seen:"-"`
	BookedAt      *time.Time                         `json:"booked_at" field:"readonly,sort" seen:"customer"`
	ReadyAt       *time.Time                         `json:"ready_at" field:"readonly,sort" seen:"-"`
	DispatchedAt  *time.Time                         `json:"dispatched_at" field:"readonly,sort" seen:"customer carrier"`
	PickedUpAt    *time.Time                         `json:"picked_up_at" field:"by=POST …/pick_up,sort" seen:"customer carrier"`
	DeliveredAt   *time.Time                         `json:"delivered_at" field:"by=POST …/deliver,sort" seen:"customer carrier"`
	CompletedAt   *time.Time                         `json:"completed_at" field:"readonly,sort" seen:"-"`
	EndedAt       *time.Time                         `json:"ended_at" field:"readonly,sort" doc:"When it was lost or canceled." seen:"-"`
	Source        *uuid.UUID                         `json:"source_uuid" gorm:"column:source_id" field:"readonly,sort" doc:"The source that it came from; null if it was entered by hand." seen:"-"`
	SourceKind    string                             `json:"source_kind" gorm:"column:source_kind" field:"readonly,sort" doc:"What the source is, such as lead_vendor; empty if it was entered by hand." seen:"-"`
	ReceivedAt    *time.Time                         `json:"received_at" field:"readonly,sort" seen:"-"`
	CopyOf        *uuid.UUID                         `json:"duplicated_from_uuid" gorm:"column:duplicated_from" field:"by=POST …/duplicate" seen:"-"`
	SplitFrom     *uuid.UUID                         `json:"split_from_uuid" gorm:"column:split_from" field:"by=POST …/split" seen:"-"`
	Signature     signing.Status                     `json:"signature" field:"by=POST …/signatures,default=none,sort" enum:"none,sent,signed,changed" doc:"Whether the customer has signed. changed: the load is another one since." seen:"-"`
	SignedAt      *time.Time                         `json:"signed_at" field:"by=POST …/signatures,sort" seen:"-"`
	SignedBy      string                             `json:"signed_by" field:"by=POST …/signatures,nofilter" doc:"Who has signed last." seen:"-"`
	SignedTerms   resource.JSON[[]signing.Term]      `json:"-" gorm:"column:signed_terms" field:"hidden" seen:"-"`
	ChangeOrder   resource.JSON[signing.ChangeOrder] `json:"change_order" gorm:"column:change_order" field:"readonly" doc:"What the customer has yet to sign." seen:"-"`
	Signing       *signing.Signature                 `json:"-" field:"-" gorm:"-" seen:"-"`
	CreditReason  string                             `json:"-" field:"-" gorm:"-" seen:"-"` // why the payer gets credit despite a hold, by a caller who may override it
	Words         string                             `json:"-" gorm:"column:words" field:"hidden,search" seen:"-"`
	Warnings      []warning                          `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to writes." seen:"-"`
}

// TableName implements GORM's naming.
func (Load) TableName() string { return "loads_loads" }

// MarshalJSON leaves out what the caller may not see.
func (l Load) MarshalJSON() ([]byte, error) {
	type plain Load

	return resource.MarshalRow(&l.Row, plain(l))
}

// warning is something that may be wrong, and is stored all the same.
type warning struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (warning) SchemaName() string { return "LoadWarning" }

// The failures of writes.
var (
	ErrInvalid = errs.New(errs.Invalid, "loads.invalid_load", "The given data was invalid.")
	ErrTaken   = errs.New(errs.Conflict, "loads.external_id_taken", "Another load has this `external_id`. Choose another one.")
)

// Rules are those of the resource of loads.
func Rules() resource.Rules[Load] {
	return resource.Rules[Load]{
		Item: loadsapi.Load, Sort: []string{"-created_at"},
		About: "A transport from the first call to the last cent, with its stops, vehicles and money.",
		Life:  resource.LifeOf(lifecycle, func(l *Load) *loadsapi.State { return &l.State }),
		Own:   []resource.Verb{VerbBook, VerbCover, VerbHandOver, VerbPutBack, VerbComplete, VerbLose, VerbCancel},
		Check: CheckTexts, Revert: revertible, Failures: resource.Failures{NotFound: loadsapi.ErrNotFound, Invalid: ErrInvalid, Taken: ErrTaken},
		Errors: []*errs.Error{
			loadsapi.ErrPart, errDraft, errNoPrice, ErrOnHold, ErrNotReady, ErrNotBookable, plan.ErrUnbalanced, loadsapi.ErrPlanFixed, plan.ErrLinePaid, ErrDuplicateVIN,
			ErrNotDeletable, cargo.ErrLoaded, loadsapi.ErrWaiting, errFixed, errCovered, route.ErrDone, limit.ErrReached,
		},
		Events: eventsOf(),
	}
}

// eventsOf are the events of what is done to a load; steps of its life have theirs from the service.
func eventsOf() resource.Events[Load] {
	return resource.Events[Load]{
		resource.Create: func(l Load) events.Event { return loadsapi.Created{About: l.About()} },
		resource.Update: func(l Load) events.Event { return loadsapi.Updated{About: l.About()} },
		VerbPay:         paymentEvent,
		VerbHold:        func(l Load) events.Event { return loadsapi.Held{About: l.About()} },
		VerbRelease:     func(l Load) events.Event { return loadsapi.Released{About: l.About()} },
		VerbSign:        func(l Load) events.Event { return loadsapi.Signed{About: l.About()} },
		VerbReassign:    func(l Load) events.Event { return loadsapi.Reassigned{About: l.About()} },
	}
}

// About is what events say of a load.
func (l Load) About() loadsapi.About { return loadsapi.About{Load: l.ID.String(), State: l.State} }

// Stepped is the event of a step of a life.
func (l Load) Stepped(before loadsapi.State) events.Event {
	a := l.About()
	switch {
	case before == loadsapi.Lost || before == loadsapi.Cancelled || before == loadsapi.Completed && l.State == loadsapi.Delivered,
		before == loadsapi.Delivered && l.State == loadsapi.PickedUp:
		return loadsapi.Reopened{About: a}
	case before == loadsapi.PickedUp && l.State == loadsapi.Dispatched:
		return loadsapi.Updated{About: a}
	case (before == loadsapi.Dispatched || before == loadsapi.PickedUp) && l.State == loadsapi.Ready:
		return loadsapi.Uncovered{About: a}
	}
	switch l.State {
	case loadsapi.Booked:
		return loadsapi.BookedEvent{About: a}
	case loadsapi.Ready:
		return loadsapi.ReadyEvent{About: a}
	case loadsapi.Dispatched:
		return loadsapi.Covered{About: a}
	case loadsapi.PickedUp:
		return loadsapi.PickedUpEvent{About: a}
	case loadsapi.Delivered:
		return loadsapi.DeliveredEvent{About: a}
	case loadsapi.Completed:
		return loadsapi.CompletedEvent{About: a}
	case loadsapi.Cancelled:
		return loadsapi.CancelledEvent{About: a}
	case loadsapi.Lost:
		return loadsapi.LostEvent{About: a}
	case loadsapi.Quoted:
		return loadsapi.QuotedEvent{About: a}
	case loadsapi.Draft, loadsapi.Lead, loadsapi.Archived:
	}

	return nil
}

// Warn warns of something that is stored all the same.
func (l *Load) Warn(code, at, message string) {
	l.Warnings = append(l.Warnings, warning{code, at, message})
}

// CheckTexts refuses a text for boards by which the company can be reached past them.
func CheckTexts(_ context.Context, l *Load) error {
	if sight.Reachable(l.ForBoard) {
		return ErrInvalid.WithField("instructions_board", "The text is public, and must not have phone numbers, e-mail addresses or web addresses.")
	}
	l.ExternalID = strings.TrimSpace(l.ExternalID)

	return nil
}
