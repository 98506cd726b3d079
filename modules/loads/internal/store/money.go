package store

import (
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The parties of a payment.
const (
	Customer = plan.Customer
	Broker   = plan.Broker
	Carrier  = plan.Carrier
)

// Units is an amount in the smallest unit, 0 for none. It is false for one that is negative, too large, or not in whole units.
func (l *Load) Units(a money.Amount) (int64, bool) { return plan.Owed(a, l.Currency) }

// AmountOf is an amount of so many units.
func (l *Load) AmountOf(units int64) money.Amount { return money.OfUnits(units, l.Currency).Amount }

// CheckMoney adds up charges and vehicles, and has the payment plan follow. was is the load as it was before the change, nil for a new one.
func (l *Load) CheckMoney(was *Load, wrong *errs.Error) *errs.Error {
	var to plan.Totals
	priced := false
	for _, v := range l.Vehicles.V {
		if v.Open() {
			t, _ := l.Units(v.Tariff) // checked before
			p, _ := l.Units(v.CarrierPay)
			to.Tariff, to.Pay, priced = to.Tariff+t, to.Pay+p, priced || v.Tariff != "" || v.CarrierPay != ""
		}
	}
	for i := range l.Charges.V {
		c, at := &l.Charges.V[i], "charges."+strconv.Itoa(i)
		wrong = c.Check(at, l.Currency, wrong)
		if c.Vehicle != uuid.Nil {
			if _, err := l.FindVehicle(c.Vehicle); err != nil {
				wrong = wrong.WithField(at+".vehicle_uuid", "The load has no such vehicle.")
			}
		}
		t, p := c.Shares(l.Currency)
		to.Tariff, to.Pay, priced = to.Tariff+t, to.Pay+p, true
	}
	l.Tariff, l.CarrierPay, l.BrokerFee = "", "", ""
	if priced {
		l.Tariff, l.CarrierPay, l.BrokerFee = l.AmountOf(to.Tariff), l.AmountOf(to.Pay), l.AmountOf(to.Tariff-to.Pay)
	}
	if to.Tariff < 0 || to.Pay < 0 {
		wrong = wrong.WithField("charges", "The discounts are more than what is charged.")
	}
	if len(wrong.Fields) == 0 && l.PlanTemplate != "" {
		now := plan.Standing{Lines: l.Plan.V, Paid: l.Payments.V, Own: l.CarriedByCompany()}
		if was != nil && was.PlanTemplate == l.PlanTemplate {
			now.Agreed = was.SignedAt != nil
		} else {
			now.Restart = true
		}
		l.Plan.V = plan.Propose(l.PlanTemplate, to, l.Currency, now)
	}

	wrong = plan.Check(l.Plan.V, l.Currency, wrong)
	if l.CarriedByCompany() && was != nil && (!was.CarriedByCompany() || slices.Equal(l.Plan.V, was.Plan.V)) {
		l.Plan.V = plan.OfCustomer(l.Plan.V)
	}
	for i, p := range l.Plan.V {
		if l.CarriedByCompany() && p.Between() {
			wrong = wrong.WithField("payment_plan."+strconv.Itoa(i)+".from", "The company carries this load itself: nothing is paid between broker and carrier. Leave the payment out.")
		}
	}

	return wrong
}

// CarriedByCompany reports whether the company carries a load itself. Its payment plan has what the customer pays alone; the carrier_pay is a sum to calculate with.
func (l *Load) CarriedByCompany() bool { return l.Role == Carrier }

// payByPlan is what the carrier ends up with by the payment plan, in units.
func (l *Load) payByPlan() int64 {
	if l.CarriedByCompany() {
		return plan.TotalsOf(l.Plan.V, l.Currency).Pay
	}
	units, _ := l.Units(l.CarrierPay) // checked before

	return units
}

// FollowTotals has a payment plan that people wrote, and that added up before the change, follow the carrier pay, and what is charged beside the transport.
// Another price for the customer needs another plan: what the customer agreed on is not made up. Errors: loads.plan_fixed, loads.plan_unbalanced.
func (l *Load) FollowTotals(was *Load) error {
	kept := was != nil && (slices.Equal(l.Plan.V, was.Plan.V) || l.CarriedByCompany() && !was.CarriedByCompany())
	if l.PlanTemplate == "" && kept && len(l.Plan.V) > 0 && l.transports() == was.transports() {
		if err := l.FollowAll(); err != nil {
			return err
		}
	}

	return plan.Adds(l.Plan.V, l.Tariff, l.AmountOf(l.payByPlan()), l.Currency)
}

// FollowAll is followTotals whatever made the totals other ones.
func (l *Load) FollowAll() error {
	to := plan.Totals{Pay: l.payByPlan()}
	to.Tariff, _ = l.Units(l.Tariff) // checked before
	if l.PlanTemplate != "" || len(l.Plan.V) == 0 || plan.TotalsOf(l.Plan.V, l.Currency) == to {
		return nil
	}
	lines, err := plan.Follow(l.Plan.V, l.Payments.V, to, l.Currency)
	l.Plan.V = lines

	return err
}

// transports is what the customer pays for the vehicles, in units.
func (l *Load) transports() (sum int64) {
	for _, v := range l.Vehicles.V {
		if v.Open() {
			n, _ := l.Units(v.Tariff) // checked before
			sum += n
		}
	}

	return sum
}

// Sums are the totals of a load by its vehicles and charges, which were checked before.
func (l *Load) Sums() (all plan.Totals) {
	for _, v := range l.Vehicles.V {
		if v.Open() {
			tariff, _ := l.Units(v.Tariff)
			pay, _ := l.Units(v.CarrierPay)
			all.Tariff, all.Pay = all.Tariff+tariff, all.Pay+pay
		}
	}
	for _, c := range l.Charges.V {
		tariff, pay := c.Shares(l.Currency)
		all.Tariff, all.Pay = all.Tariff+tariff, all.Pay+pay
	}

	return all
}
