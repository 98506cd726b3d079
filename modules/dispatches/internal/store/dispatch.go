package store

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// FailedByCarrier reports whether the carrier gave the load back, or lost it by its own doing, such as by not showing up.
func (d Dispatch) FailedByCarrier() bool {
	return !d.IsLive() && (d.State == CancelledByCarrier || d.Responsible == Carrier)
}

// IsLive reports whether a carrier has the load.
func (d Dispatch) IsLive() bool { return d.State != CancelledByCarrier && d.State != CancelledByBroker }

// LoadNumber is the number by which the carrier knows its load.
func (d Dispatch) LoadNumber() string {
	var l struct {
		Number string `json:"number"`
	}
	if json.Unmarshal(d.Snapshot, &l) != nil {
		return d.Number
	}

	return cmp.Or(l.Number, d.Number)
}

// Matches reports whether the carrier of a load has it by this dispatch, and not by a later one.
func (d Dispatch) Matches(load loadsapi.Standing) bool {
	return load.Carrier == d.Carrier.String() && (d.AcceptedAt == nil || !d.AcceptedAt.Before(load.Since))
}

// WasTakenBack reports whether the carrier of a dispatch that is not canceled no longer has the load. The dispatch of an archived load stays.
func (d Dispatch) WasTakenBack(load loadsapi.Standing) bool {
	if IsCarried(load) {
		return !d.Matches(load)
	}

	return load.State != loadsapi.Archived
}

// IsCarried reports whether a carrier has a load, or has carried it.
func IsCarried(load loadsapi.Standing) bool {
	switch load.State {
	case loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed:
		return true
	default:
		return false
	}
}

// LagsBehind reports whether the load was picked up, delivered or reopened, and its event has yet to reach the dispatch.
func (d Dispatch) LagsBehind(load loadsapi.Standing) bool {
	switch load.State {
	case loadsapi.PickedUp:
		return d.State == Assigned || d.State == Delivered
	case loadsapi.Delivered, loadsapi.Completed:
		return d.State == Assigned || d.State == PickedUp
	default:
		return false
	}
}

// HasPassed reports whether a dispatch in a state was picked up or delivered already, as a verb says.
func HasPassed(now DispatchState, verb resource.Verb) bool {
	return now == Settled || now == Delivered || now == PickedUp && verb == VerbPickUp
}

// CheckEndedBy refuses to end a dispatch again by another verb than the one that has ended it. By the same, that changes nothing.
func (d Dispatch) CheckEndedBy(verb resource.Verb) error {
	ended := map[resource.Verb]DispatchState{VerbCarrierCancel: CancelledByCarrier, VerbCancel: CancelledByBroker, VerbAbandon: CancelledByBroker}[verb]
	if d.State == ended && (verb == VerbAbandon) == (d.PickedUpAt != nil) {
		return nil
	}
	who := "by the company"
	if d.State == CancelledByCarrier {
		who = "by the carrier"
	}

	return ErrCancelled.WithMessage("The dispatch was canceled %s already, and stays so.", who).WithDetail("state", d.State)
}

// HasOtherTerms reports whether the load of a dispatch has other terms than the dispatch.
func (d Dispatch) HasOtherTerms(load loadsapi.Standing, seen []byte) bool {
	return d.CarrierPay != money.Amount(load.CarrierPay) || loadview.AgreedTerms(seen) != loadview.AgreedTerms(d.Snapshot)
}

// TakeTerms gives a dispatch the terms of its load, as its carrier sees it.
func (d *Dispatch) TakeTerms(load loadsapi.Standing, seen []byte) {
	d.CarrierPay, d.Snapshot = money.Amount(load.CarrierPay), rawjson.Object(seen)
}

// IsPayCut reports whether a carrier gets less for a load than it has agreed to. A load that the company carries itself has no agreement.
func (d Dispatch) IsPayCut(load loadsapi.Standing) bool {
	if load.Carried || d.AcceptedPay == "" || !d.Matches(load) {
		return false
	}
	agreed, err := money.Of(d.AcceptedPay, d.Currency)
	now, failed := money.Of(money.Amount(load.CarrierPay), d.Currency)
	a, _ := agreed.Units()
	n, _ := now.Units()

	return err == nil && failed == nil && n < a
}

// Unconfirmed is the refusal to go on before the carrier has confirmed.
func (d Dispatch) Unconfirmed() error {
	return ErrTermsUnconfirmed.WithDetail("dispatch_uuid", d.ID).WithDetail("revision", d.Revision).WithDetail("accepted_revision", d.AcceptedRevision)
}

// NeedsNotice reports whether a carrier is to be written to about its terms.
func (d Dispatch) NeedsNotice() bool {
	return d.IsLive() && d.State != Settled && d.Revision > d.AcceptedRevision && d.Revision > d.NotifiedRevision
}

// NotOverdue says that a carrier is in time.
const NotOverdue = "none"

// OverdueOn is what a carrier has not done by the day before one.
func (d Dispatch) OverdueOn(today field.Date) string {
	switch {
	case d.State == Assigned && d.PickupDate != "" && d.PickupDate < today:
		return "pickup"
	case (d.State == Assigned || d.State == PickedUp) && d.DeliveryDate != "" && d.DeliveryDate < today:
		return "delivery"
	}

	return NotOverdue
}

// CatchesUp reports whether a carrier that was overdue has done what it was to do, or other days were agreed.
func (d Dispatch) CatchesUp(was Dispatch) bool {
	return d.State != was.State || d.PickupDate != was.PickupDate || d.DeliveryDate != was.DeliveryDate
}

// mostLate is how long ago a carrier may be expected: it may be late.
const mostLate = time.Hour

// CheckETAs refuses times at which the carrier is expected that are over, or in the wrong order. Those that stand already stay.
func (d Dispatch) CheckETAs(was Dispatch, now time.Time, wrong *errs.Error) *errs.Error {
	earliest, changed := now.Add(-mostLate), false
	for _, one := range []struct {
		name    string
		at, was *time.Time
	}{{"eta_pickup", d.ETAPickup, was.ETAPickup}, {"eta_delivery", d.ETADelivery, was.ETADelivery}} {
		if one.at == nil || one.was != nil && one.at.Equal(*one.was) {
			continue
		}
		if changed = true; one.at.Before(earliest) {
			wrong = wrong.WithField(one.name, "`"+one.name+"` must not be more than an hour ago.")
		}
	}
	if changed && d.ETAPickup != nil && d.ETADelivery != nil && d.ETADelivery.Before(*d.ETAPickup) {
		wrong = wrong.WithField("eta_delivery", "The delivery must not be before the pickup.")
	}

	return wrong
}

// ReminderText is what the carrier is reminded of.
func (d Dispatch) ReminderText() string {
	what, day, eta := "pickup", d.PickupDate, d.ETAPickup
	if d.State == PickedUp {
		what, day, eta = "delivery", d.DeliveryDate, d.ETADelivery
	}
	text := "The " + what + " of the load " + d.LoadNumber()
	if day == "" {
		text += " is next"
	} else {
		text += " was agreed for " + page.Day(string(day))
	}
	if eta == nil {
		text += ". Please tell us when you will be there"
	}

	return text + "."
}

// CheckPassedDays refuses another day for a pickup or a delivery that is done, nil for none. The load may be further than the dispatch.
func (d Dispatch) CheckPassedDays(was Dispatch, load loadsapi.Standing) *errs.Error {
	lags := was.LagsBehind(load)
	switch {
	case was.PickupDate != d.PickupDate && (was.PickedUpAt != nil && d.PickedUpAt != nil || lags):
		return ErrDayPassed.WithDetail("field", "pickup_date")
	case was.DeliveryDate != d.DeliveryDate && (was.DeliveredAt != nil && d.DeliveredAt != nil || lags && load.State != loadsapi.PickedUp):
		return ErrDayPassed.WithMessage("The vehicles were delivered: the agreed day of the delivery stays.").WithDetail("field", "delivery_date")
	}

	return nil
}

// CheckDays refuses days on which the load cannot be carried, and to take back days that were agreed.
func (d Dispatch) CheckDays(was Dispatch, allowed AllowedDays) *errs.Error {
	wrong := allowed.Check(d.Days(), was.Days(), false)
	if was.PickupDate != "" && d.PickupDate == "" {
		wrong = wrong.WithField("pickup_date", "The pickup_date was agreed. Name another day.")
	}
	if was.DeliveryDate != "" && d.DeliveryDate == "" {
		wrong = wrong.WithField("delivery_date", "The delivery_date was agreed. Name another day.")
	}

	return wrong
}

// CheckMove refuses to move the vehicles of a carrier that no longer has the load, to pick them up without a note after a pay cut that the carrier has
// not confirmed, and to deliver them before they were picked up. A move that is known already is not refused.
func (d Dispatch) CheckMove(verb resource.Verb, at time.Time, note string, load loadsapi.Standing) error {
	if HasPassed(d.State, VerbDeliver) || !d.IsLive() {
		return nil
	}
	switch {
	case !IsCarried(load) || !d.Matches(load):
		return ErrTakenBack
	case d.State == Assigned && note == "" && d.IsPayCut(load):
		return d.Unconfirmed()
	case verb == VerbDeliver && d.PickedUpAt != nil && at.Before(*d.PickedUpAt):
		return ErrInvalidDispatch.WithField("at", "`at` must not be before the pickup.")
	}

	return nil
}
