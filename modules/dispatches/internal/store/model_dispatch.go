package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Dispatch is a row of dispatches_dispatches: a load that a carrier has, and the terms on which it has it.
type Dispatch struct {
	resource.Row

	Number           string         `json:"number" field:"number=D-{yyyy}-{seq:5},search,title,sort"`
	Load             uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load,search"`
	Carrier          uuid.UUID      `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier,search"`
	Offer            *uuid.UUID     `json:"offer_uuid" gorm:"column:offer_id" field:"readonly" doc:"The offer that was accepted; null if the load was given to the carrier by hand."`
	State            DispatchState  `json:"state" field:"sort"`
	CarrierPay       money.Amount   `json:"carrier_pay" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the carrier ends up with."`
	Currency         money.Currency `json:"currency" field:"readonly"`
	PickupDate       field.Date     `json:"pickup_date" field:"sort" doc:"The day that was agreed."`
	DeliveryDate     field.Date     `json:"delivery_date" field:"sort"`
	ETAPickup        *time.Time     `json:"eta_pickup" gorm:"column:eta_pickup" field:"sort" doc:"When the carrier expects to be at the pickup."`
	ETADelivery      *time.Time     `json:"eta_delivery" gorm:"column:eta_delivery" field:"sort"`
	ContactName      string         `json:"contact_name" field:"max=200" doc:"Whom to call at the carrier."`
	ContactPhone     field.Phone    `json:"contact_phone"`
	ContactEmail     field.Email    `json:"contact_email"`
	DriverName       string         `json:"driver_name" field:"max=200,search"`
	DriverPhone      field.Phone    `json:"driver_phone"`
	Truck            string         `json:"truck" field:"max=100" doc:"Its number, and what helps to find it." example:"Unit 12, white Peterbilt"`
	TruckPlate       string         `json:"truck_plate" field:"max=20"`
	Notes            string         `json:"notes" field:"max=2000,nofilter" doc:"For the company alone."`
	Revision         int64          `json:"revision" field:"readonly" doc:"Of the terms, from 1: what the carrier sees of the load, its pay and the agreed days."`
	AcceptedRevision int64          `json:"accepted_revision" field:"readonly,default=1" doc:"Of the terms that the carrier has accepted last."`
	AcceptedPay      money.Amount   `json:"accepted_pay" gorm:"column:accepted_pay" field:"readonly,scope=loads:margins" required:"false" doc:"What the carrier has agreed to get; empty if that is not known."`
	NotifiedRevision int64          `json:"notified_revision" field:"readonly,default=1" doc:"Of the terms about which the carrier was written to last, as far as a channel reaches it."`
	NotifiedAt       *time.Time     `json:"notified_at" field:"readonly" doc:"When the carrier was last written to about terms that it has not accepted; null if no channel reached it."`
	Snapshot         rawjson.Object `json:"snapshot" field:"readonly,nofilter,scope=loads:margins" required:"false" doc:"The load as the carrier saw it when the terms became these."`
	AcceptedAt       *time.Time     `json:"accepted_at" field:"readonly,sort"`
	AcceptedBy       string         `json:"accepted_by" gorm:"column:accepted_by" field:"readonly,personal" doc:"The name entered on acceptance."`
	AcceptedFrom     string         `json:"accepted_from" gorm:"column:accepted_from" field:"readonly,personal" doc:"The IP address of the acceptance by link."`
	Terms            string         `json:"terms" field:"readonly,nofilter" doc:"The terms of the settings when it was accepted."`
	SeenAt           *time.Time     `json:"last_seen_at" gorm:"column:last_seen_at" field:"readonly,sort" doc:"When the carrier last opened its page in a browser."`
	PickedUpAt       *time.Time     `json:"picked_up_at" field:"readonly,sort"`
	DeliveredAt      *time.Time     `json:"delivered_at" field:"readonly,sort"`
	EndedAt          *time.Time     `json:"cancelled_at" gorm:"column:cancelled_at" field:"readonly,sort"`
	EndReason        string         `json:"cancel_reason" gorm:"column:cancel_reason" field:"readonly,sort" doc:"The id of one of cancel_reasons of the settings; empty for none."`
	EndNote          string         `json:"cancel_note" gorm:"column:cancel_note" field:"readonly,nofilter"`
	Responsible      string         `json:"responsible" field:"readonly,sort" doc:"Whose doing the cancellation is: customer, carrier or broker; empty for nobody's."`
	EndPay           money.Amount   `json:"end_pay" gorm:"column:end_pay" field:"readonly,scope=loads:margins" required:"false" doc:"What the carrier gets although it no longer has the load; empty for nothing."`
	EndPayKind       string         `json:"end_pay_kind" gorm:"column:end_pay_kind" field:"readonly" doc:"tonu: for a truck that was ordered and not used. part: for the part of the way that it carried the vehicles. Empty for nothing."`
	EndPaidAt        *time.Time     `json:"end_paid_at" gorm:"column:end_paid_at" field:"readonly,sort" doc:"When that was paid."`
	Overdue          string         `json:"overdue" field:"readonly,default=none,sort" enum:"none,pickup,delivery" doc:"What should have been done by the agreed days. It is found out within 15 minutes."`
	Reminders        int64          `json:"reminders" field:"readonly"`
	RemindedAt       *time.Time     `json:"reminded_at" field:"readonly,sort"`
	Replaces         *uuid.UUID     `json:"bounce_of_uuid" gorm:"column:bounce_of" field:"readonly" doc:"The dispatch that was canceled before."`
	Warnings         []Warning      `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to writes."`
}

// TableName implements GORM's naming.
func (Dispatch) TableName() string { return "dispatches_dispatches" }

// MarshalJSON leaves out what the caller may not see.
func (d Dispatch) MarshalJSON() ([]byte, error) {
	type plain Dispatch

	return resource.MarshalRow(&d.Row, plain(d))
}

// DispatchState is a state of a dispatch.
type DispatchState string

// The states of a dispatch.
const (
	Assigned           DispatchState = "accepted"
	PickedUp           DispatchState = "picked_up"
	Delivered          DispatchState = "delivered"
	Settled            DispatchState = "settled"
	CancelledByCarrier DispatchState = "cancelled_by_carrier"
	CancelledByBroker  DispatchState = "cancelled_by_broker"
)

// What is done to a dispatch, beside what is done to every resource.
const (
	VerbPickUp        resource.Verb = "pick_up"
	VerbPutBack       resource.Verb = "put_back"
	VerbDeliver       resource.Verb = "deliver"
	VerbReopen        resource.Verb = "reopen"
	VerbSettle        resource.Verb = "settle"
	VerbCarrierCancel resource.Verb = "cancel_by_carrier"
	VerbCancel        resource.Verb = "cancel"
	VerbSeen          resource.Verb = "see"
	VerbOverdue       resource.Verb = "find_overdue"
	VerbAbandon       resource.Verb = "abandon"
	VerbTakeBack      resource.Verb = "take_back"
	VerbConfirm       resource.Verb = "confirm"
	VerbNotify        resource.Verb = "notify"
	VerbEndPay        resource.Verb = "end_pay"
)

// dispatchLife is the life of dispatches. A load has one at most that is not canceled.
var dispatchLife = state.Machine[DispatchState]{
	Item: dispatchesapi.Dispatch, Initial: Assigned, Final: []DispatchState{Settled, CancelledByCarrier, CancelledByBroker},
	Steps: []state.Step[DispatchState]{
		{From: []DispatchState{Assigned}, Verb: string(VerbPickUp), To: PickedUp},
		{From: []DispatchState{PickedUp}, Verb: string(VerbPutBack), To: Assigned, Automatic: true},
		{From: []DispatchState{Assigned, PickedUp}, Verb: string(VerbDeliver), To: Delivered},
		{From: []DispatchState{Delivered}, Verb: string(VerbReopen), To: PickedUp, Automatic: true},
		{From: []DispatchState{Delivered}, Verb: string(VerbSettle), To: Settled},
		{From: []DispatchState{Assigned}, Verb: string(VerbCarrierCancel), To: CancelledByCarrier},
		{From: []DispatchState{Assigned}, Verb: string(VerbCancel), To: CancelledByBroker},
		{From: []DispatchState{PickedUp}, Verb: string(VerbAbandon), To: CancelledByBroker, Who: state.Who{Scope: "override"}},
		{From: []DispatchState{Assigned, PickedUp, Delivered}, Verb: string(VerbTakeBack), To: CancelledByBroker, Automatic: true},
	},
	Order: [][]DispatchState{{Assigned}, {PickedUp}, {Delivered}, {Settled}},
}

// About names the dispatch in events.
func (d Dispatch) About() dispatchesapi.About {
	return dispatchesapi.About{Dispatch: d.ID.String(), Load: d.Load.String(), Carrier: d.Carrier.String()}
}

// DispatchRules are the rules of dispatches.
func DispatchRules() resource.Rules[Dispatch] {
	of := func(make func(a dispatchesapi.About) events.Event) func(d Dispatch) events.Event {
		return func(d Dispatch) events.Event { return make(d.About()) }
	}
	updated := func(d Dispatch) events.Event {
		return dispatchesapi.Updated{About: d.About(), Revision: d.Revision}
	}

	return resource.Rules[Dispatch]{
		Item: dispatchesapi.Dispatch, Plural: "dispatches", Sort: []string{"-created_at"}, KeepDeleted: true,
		About:    "A load that a carrier has, and the terms on which it has it.",
		Life:     resource.LifeOf(dispatchLife, func(d *Dispatch) *DispatchState { return &d.State }),
		Own:      []resource.Verb{resource.Create, resource.Delete, resource.Restore, VerbPickUp, VerbPutBack, VerbDeliver, VerbReopen, VerbCarrierCancel, VerbCancel, VerbAbandon, VerbTakeBack},
		Failures: resource.Failures{Invalid: ErrInvalidDispatch},
		Errors:   []*errs.Error{loadsapi.ErrNotReady, ErrOutsideWindow, ErrDayPassed},
		Events: resource.Events[Dispatch]{
			resource.Create: of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Accepted{About: a} }),
			resource.Update: updated,
			VerbConfirm:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Confirmed{About: a} }),
			VerbPickUp:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.PickedUp{About: a} }),
			VerbPutBack:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.PutBack{About: a} }),
			VerbDeliver:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Delivered{About: a} }),
			VerbReopen:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Reopened{About: a} }),
			VerbRemind:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.DispatchReminded{About: a} }),
			VerbOverdue:     func(d Dispatch) events.Event { return dispatchesapi.Overdue{About: d.About(), What: d.Overdue} },
			VerbSettle:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Settled{About: a} }),
		},
	}
}
