package store

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
)

// ErrUnpaid is for a load that cannot be completed yet.
var ErrUnpaid = errs.New(errs.Conflict, "loads.unpaid", "Something is left to pay. See details.")

// Balance is what is left to pay of a load.
func (l *Load) Balance() plan.Balance {
	tariff, _ := plan.Units(l.Tariff, l.Currency) // checked before
	pay, _ := plan.Units(l.CarrierPay, l.Currency)
	if l.EndedAt != nil { // it is not carried, so that what was paid is to be given back
		tariff, pay = 0, 0
	}

	b := plan.BalanceOf(tariff, pay, l.Payments.V, l.Currency)
	if l.CarriedByCompany() { // who collects it at the truck is the company
		b.Carrier = 0
	}

	return b
}

// Settled reports whether something was paid of a load, and nothing is left to pay.
func (l *Load) Settled() bool { return len(l.Payments.V) > 0 && l.Balance().Settled() }

// keepPayments has what is said of the payments of a load follow from them.
func (l *Load) keepPayments(now time.Time) {
	b := l.Balance()
	l.CustomerOwes, l.CarrierGets, l.PaymentDue = "", "", nil
	if l.Tariff != "" || len(l.Payments.V) > 0 {
		l.CustomerOwes, l.CarrierGets = l.AmountOf(b.Customer), l.AmountOf(b.Carrier)
	}
	if b.Customer > 0 {
		l.PaymentDue = plan.Due(l.Plan.V, l.Payments.V, l.Currency, happened(l))
	}
	l.Billing = plan.BillingOf(b, l.PaymentDue, now)
}

// happened says of a load when something happened that makes payments due. A bill of lading is signed at the delivery; nothing invoices a load yet.
func happened(l *Load) func(event string) *time.Time {
	return func(event string) *time.Time {
		return map[string]*time.Time{
			"booking": l.BookedAt, "dispatch": l.DispatchedAt, "pickup": l.PickedUpAt, "delivery": l.DeliveredAt, "signed_bol": l.DeliveredAt,
		}[event]
	}
}

// paymentEvent is the event of the last payment of a load.
func paymentEvent(l Load) events.Event {
	e := loadsapi.PaymentRecorded{About: l.About(), Billing: string(l.Billing)}
	if n := len(l.Payments.V); n > 0 {
		e.Payment = l.Payments.V[n-1].UUID.String()
	}

	return e
}
