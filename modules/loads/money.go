package loads

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The parties of a payment.
const (
	customer = plan.Customer
	broker   = plan.Broker
	carrier  = plan.Carrier
)

// units is an amount in the smallest unit, 0 for none. It is false for one that is negative, too large, or not in whole units.
func (l *load) units(a money.Amount) (int64, bool) { return plan.Owed(a, l.Currency) }

func (l *load) amountOf(units int64) money.Amount { return money.OfUnits(units, l.Currency).Amount }

// checkMoney adds up charges and vehicles, and has the payment plan follow.
func (l *load) checkMoney(wrong *errs.Error) *errs.Error {
	var tariff, pay int64
	priced := false
	for _, v := range l.Vehicles.V {
		if v.Open() {
			t, _ := l.units(v.Tariff) // checked before
			p, _ := l.units(v.CarrierPay)
			tariff, pay, priced = tariff+t, pay+p, priced || v.Tariff != "" || v.CarrierPay != ""
		}
	}
	for i := range l.Charges.V {
		c, at := &l.Charges.V[i], "charges."+strconv.Itoa(i)
		wrong = c.Check(at, l.Currency, wrong)
		if c.Vehicle != uuid.Nil {
			if _, err := l.find(c.Vehicle); err != nil {
				wrong = wrong.WithField(at+".vehicle_uuid", "The load has no such vehicle.")
			}
		}
		t, p := c.Shares(l.Currency)
		tariff, pay, priced = tariff+t, pay+p, true
	}
	l.Tariff, l.CarrierPay, l.BrokerFee = "", "", ""
	if priced {
		l.Tariff, l.CarrierPay, l.BrokerFee = l.amountOf(tariff), l.amountOf(pay), l.amountOf(tariff-pay)
	}
	if tariff < 0 || pay < 0 {
		wrong = wrong.WithField("charges", "The discounts are more than what is charged.")
	}
	if l.PlanTemplate != "" && tariff >= 0 && pay >= 0 {
		l.Plan.V = plan.Propose(l.PlanTemplate, tariff, pay, l.Currency, l.Plan.V)
	}

	return plan.Check(l.Plan.V, l.Currency, wrong)
}
