package store

import (
	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

// PayCarrier has the carrier get an amount for the load; "" leaves what it gets. The payment plan follows. Error: loadsapi.ErrPayBelowCharges.
func (l *Load) PayCarrier(pay money.Amount) error {
	wanted, ok := l.Units(pay)
	if pay == "" || pay == l.CarrierPay {
		return nil
	}
	if !ok {
		return ErrInvalid.WithField("carrier_pay", plan.AmountRule("carrier_pay", l.Currency))
	}
	if _, charged := l.charged(); wanted < charged {
		return loadsapi.ErrPayBelowCharges.WithDetail("carrier_pay", l.AmountOf(wanted)).WithDetail("carrier_charges", l.AmountOf(charged))
	}

	return l.PriceWhole("", pay)
}

// PriceWhole sets the totals of a load; "" leaves one. The vehicles share what the charges leave of it.
func (l *Load) PriceWhole(tariff, pay money.Amount) error {
	wrong := ErrInvalid
	charged, chargedPay := l.charged()
	for _, one := range []struct {
		name  string
		whole *money.Amount
		less  int64
	}{{"tariff", &tariff, charged}, {"carrier_pay", &pay, chargedPay}} {
		n, ok := l.Units(*one.whole)
		switch {
		case *one.whole == "" || !ok: // share refuses it
		case n < one.less:
			wrong = wrong.WithField(one.name, "The charges of the load are "+string(l.AmountOf(one.less))+" of it already. Give at least that, or change the charges.")
		default:
			*one.whole = l.AmountOf(n - one.less)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return l.Share(tariff, pay)
}

// charged is what the charges add to what the customer pays, and to what the carrier gets, in units.
func (l *Load) charged() (tariff, pay int64) {
	for _, c := range l.Charges.V {
		t, p := c.Shares(l.Currency)
		tariff, pay = tariff+t, pay+p
	}

	return tariff, pay
}

// Share shares amounts among the vehicles that are on the load; "" leaves what they have.
func (l *Load) Share(tariff, pay money.Amount) error {
	wrong := cargo.Share(l.Vehicles.V, tariff, pay, l.Currency, ErrInvalid)
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
