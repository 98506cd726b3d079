package dispatches

import (
	"cmp"
	"encoding/json"
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

// dispatch is a row of dispatches_dispatches: a load that a carrier has, and the terms on which it has it.
type dispatch struct {
	resource.Row

	Number           string         `json:"number" field:"number=D-{yyyy}-{seq:5},search,title,sort"`
	Load             uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load,search"`
	Carrier          uuid.UUID      `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier,search"`
	Offer            *uuid.UUID     `json:"offer_uuid" gorm:"column:offer_id" field:"readonly" doc:"The offer that was accepted; null if the load was given to the carrier by hand."`
	State            course         `json:"state" field:"sort"`
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
	Warnings         []offerWarning `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to writes."`
}

// TableName implements GORM's naming.
func (dispatch) TableName() string { return "dispatches_dispatches" }

// MarshalJSON leaves out what the caller may not see.
func (d dispatch) MarshalJSON() ([]byte, error) {
	type plain dispatch

	return resource.MarshalRow(&d.Row, plain(d))
}

// course is a state of a dispatch.
type course string

const (
	assigned           course = "accepted"
	pickedUp           course = "picked_up"
	delivered          course = "delivered"
	settled            course = "settled"
	cancelledByCarrier course = "cancelled_by_carrier"
	cancelledByBroker  course = "cancelled_by_broker"
)

// What is done to a dispatch, beside what is done to every resource.
const (
	verbPickUp        resource.Verb = "pick_up"
	verbPutBack       resource.Verb = "put_back"
	verbDeliver       resource.Verb = "deliver"
	verbReopen        resource.Verb = "reopen"
	verbSettle        resource.Verb = "settle"
	verbCarrierCancel resource.Verb = "cancel_by_carrier"
	verbCancel        resource.Verb = "cancel"
	verbSeen          resource.Verb = "see"
	verbOverdue       resource.Verb = "find_overdue"
	verbAbandon       resource.Verb = "abandon"
	verbTakeBack      resource.Verb = "take_back"
	verbConfirm       resource.Verb = "confirm"
	verbNotify        resource.Verb = "notify"
	verbEndPay        resource.Verb = "end_pay"
)

// run is the life of dispatches. A load has one at most that is not canceled.
var run = state.Machine[course]{
	Item: dispatchesapi.Dispatch, Initial: assigned, Final: []course{settled, cancelledByCarrier, cancelledByBroker},
	Steps: []state.Step[course]{
		{From: []course{assigned}, Verb: string(verbPickUp), To: pickedUp},
		{From: []course{pickedUp}, Verb: string(verbPutBack), To: assigned, Automatic: true},
		{From: []course{assigned, pickedUp}, Verb: string(verbDeliver), To: delivered},
		{From: []course{delivered}, Verb: string(verbReopen), To: pickedUp, Automatic: true},
		{From: []course{delivered}, Verb: string(verbSettle), To: settled},
		{From: []course{assigned}, Verb: string(verbCarrierCancel), To: cancelledByCarrier},
		{From: []course{assigned}, Verb: string(verbCancel), To: cancelledByBroker},
		{From: []course{pickedUp}, Verb: string(verbAbandon), To: cancelledByBroker, Who: state.Who{Scope: "override"}},
		{From: []course{assigned, pickedUp, delivered}, Verb: string(verbTakeBack), To: cancelledByBroker, Automatic: true},
	},
	Order: [][]course{{assigned}, {pickedUp}, {delivered}, {settled}},
}

// live reports whether a carrier has the load.
func (d dispatch) live() bool { return d.State != cancelledByCarrier && d.State != cancelledByBroker }

func (d dispatch) about() dispatchesapi.About {
	return dispatchesapi.About{Dispatch: d.ID.String(), Load: d.Load.String(), Carrier: d.Carrier.String()}
}

var (
	errDispatch  = errs.New(errs.Invalid, "dispatches.invalid_dispatch", "The given data was invalid.")
	errLoaded    = errs.New(errs.Conflict, "dispatches.loaded", "The vehicles were picked up already. If the carrier cannot go on, abandon the dispatch.")
	errDated     = errs.New(errs.Conflict, "dispatches.day_passed", "The vehicles were picked up: the day of that stays as it was agreed.")
	errVIN       = errs.New(errs.Conflict, "bills_of_lading.vin_differs", "The VIN of a vehicle is another one than that of the load. It stays until the company accepts that.")
	errTakenBack = errs.New(errs.Conflict, "dispatches.taken_back", "The carrier no longer has the load. Open its current dispatch.")
	errSettled   = errs.New(errs.Conflict, "dispatches.settled", "The carrier was paid: what it gets can no longer be changed.")
	errRevision  = errs.New(errs.Conflict, "dispatches.terms_unconfirmed", "The carrier has not confirmed the lower pay yet. It does so by its link; the office can go on with a note.")
	errEnded     = errs.New(errs.Conflict, "dispatches.cancelled", "The dispatch was canceled already. Dispatch the load again.")
	errCovered   = errs.New(errs.Conflict, "dispatches.load_taken", "A carrier has the load. Cancel its dispatch first.")
)

// loadNumber is the number by which the carrier knows its load.
func (d dispatch) loadNumber() string {
	var l struct {
		Number string `json:"number"`
	}
	if json.Unmarshal(d.Snapshot, &l) != nil {
		return d.Number
	}

	return cmp.Or(l.Number, d.Number)
}

func dispatchRules() resource.Rules[dispatch] {
	of := func(make func(a dispatchesapi.About) events.Event) func(d dispatch) events.Event {
		return func(d dispatch) events.Event { return make(d.about()) }
	}
	updated := func(d dispatch) events.Event {
		return dispatchesapi.Updated{About: d.about(), Revision: d.Revision}
	}

	return resource.Rules[dispatch]{
		Item: dispatchesapi.Dispatch, Plural: "dispatches", Sort: []string{"-created_at"}, KeepDeleted: true,
		About:    "A load that a carrier has, and the terms on which it has it.",
		Life:     resource.LifeOf(run, func(d *dispatch) *course { return &d.State }),
		Own:      []resource.Verb{resource.Create, resource.Delete, resource.Restore, verbPickUp, verbPutBack, verbDeliver, verbReopen, verbCarrierCancel, verbCancel, verbAbandon, verbTakeBack},
		Failures: resource.Failures{Invalid: errDispatch, Taken: errCovered},
		Errors:   []*errs.Error{loadsapi.ErrNotReady, errWindow, errDated},
		Events: resource.Events[dispatch]{
			resource.Create: of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Accepted{About: a} }),
			resource.Update: updated,
			verbConfirm:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Confirmed{About: a} }),
			verbPickUp:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.PickedUp{About: a} }),
			verbPutBack:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.PutBack{About: a} }),
			verbDeliver:     of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Delivered{About: a} }),
			verbReopen:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Reopened{About: a} }),
			verbRemind:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.DispatchReminded{About: a} }),
			verbOverdue:     func(d dispatch) events.Event { return dispatchesapi.Overdue{About: d.about(), What: d.Overdue} },
			verbSettle:      of(func(a dispatchesapi.About) events.Event { return dispatchesapi.Settled{About: a} }),
		},
	}
}
