package store

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// What an end pay is refused with.
var (
	ErrNotEnded   = errs.New(errs.Conflict, "dispatches.not_ended", "The carrier has the load: what it gets is the carrier_pay. Add a charge to the load instead.")
	ErrEndPayPaid = errs.New(errs.Conflict, "dispatches.end_pay_paid", "This was paid, and can no longer be changed.")
)

// The kinds of end pay: for a truck that was ordered and not used, and for a part of the way.
const (
	TONU    = "tonu"
	PartPay = "part"
)

// mostEndPay is the highest end pay, in the smallest unit of a currency.
const mostEndPay = 10_000_000_000

// EndPay is what a carrier gets that no longer has its load, and whether it was paid. The kind is "" for what it is.
type EndPay struct {
	Amount money.Amount
	Kind   string
	Paid   bool
}

// SetEndPay gives a dispatch that was canceled an end pay, in the place of the one before; 0 takes it away. One that was paid stays.
func (d *Dispatch) SetEndPay(p EndPay, now time.Time) error {
	kind := TONU
	if d.PickedUpAt != nil {
		kind = PartPay
	}
	units, ok := endPayUnits(p.Amount, d.Currency)
	switch {
	case d.IsLive():
		return ErrNotEnded
	case d.EndPaidAt != nil && d.EndPay == p.Amount && (p.Kind == "" || p.Kind == d.EndPayKind) && p.Paid:
		return nil
	case d.EndPaidAt != nil:
		return ErrEndPayPaid
	case !ok:
		return ErrInvalidDispatch.WithField("amount", d.Currency.AmountRule("amount", mostEndPay))
	case p.Kind != "" && p.Kind != kind:
		return ErrInvalidDispatch.WithField("kind", "The kind of this dispatch is "+kind+".")
	case units == 0 && p.Paid:
		return ErrInvalidDispatch.WithField("amount", "An amount that was paid is more than 0.")
	}
	if d.EndPay, d.EndPayKind = p.Amount, kind; units == 0 {
		d.EndPay, d.EndPayKind = "", ""
	}
	if p.Paid {
		d.EndPaidAt = &now
	}

	return nil
}

// endPayUnits is an amount in the smallest unit of its currency. It is false for one that is negative, too large, or not in whole units.
func endPayUnits(a money.Amount, in money.Currency) (int64, bool) {
	made, err := money.Of(a, in)
	if err != nil {
		return 0, false
	}
	n, whole := made.Units()

	return n, whole && n >= 0 && n <= mostEndPay
}
