package loads

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
	customer = plan.Customer
	broker   = plan.Broker
	carrier  = plan.Carrier
)

// units is an amount in the smallest unit, 0 for none. It is false for one that is negative, too large, or not in whole units.
func (l *load) units(a money.Amount) (int64, bool) { return plan.Owed(a, l.Currency) }

func (l *load) amountOf(units int64) money.Amount { return money.OfUnits(units, l.Currency).Amount }

// checkMoney adds up charges and vehicles, and has the payment plan follow. was is the load as it was before the change, nil for a new one.
func (l *load) checkMoney(was *load, wrong *errs.Error) *errs.Error {
	var to plan.Totals
	priced := false
	for _, v := range l.Vehicles.V {
		if v.Open() {
			t, _ := l.units(v.Tariff) // checked before
			p, _ := l.units(v.CarrierPay)
			to.Tariff, to.Pay, priced = to.Tariff+t, to.Pay+p, priced || v.Tariff != "" || v.CarrierPay != ""
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
		to.Tariff, to.Pay, priced = to.Tariff+t, to.Pay+p, true
	}
	l.Tariff, l.CarrierPay, l.BrokerFee = "", "", ""
	if priced {
		l.Tariff, l.CarrierPay, l.BrokerFee = l.amountOf(to.Tariff), l.amountOf(to.Pay), l.amountOf(to.Tariff-to.Pay)
	}
	if to.Tariff < 0 || to.Pay < 0 {
		wrong = wrong.WithField("charges", "The discounts are more than what is charged.")
	}
	if len(wrong.Fields) == 0 && l.PlanTemplate != "" {
		now := plan.Standing{Lines: l.Plan.V, Paid: l.Payments.V, Own: l.own()}
		if was != nil && was.PlanTemplate == l.PlanTemplate {
			now.Agreed = was.SignedAt != nil
		} else {
			now.Restart = true
		}
		l.Plan.V = plan.Propose(l.PlanTemplate, to, l.Currency, now)
	}

	wrong = plan.Check(l.Plan.V, l.Currency, wrong)
	if l.own() && was != nil && (!was.own() || slices.Equal(l.Plan.V, was.Plan.V)) {
		l.Plan.V = plan.OfCustomer(l.Plan.V)
	}
	for i, p := range l.Plan.V {
		if l.own() && p.Between() {
			wrong = wrong.WithField("payment_plan."+strconv.Itoa(i)+".from", "The company carries this load itself: nothing is paid between broker and carrier. Leave the payment out.")
		}
	}

	return wrong
}

// own reports whether the company carries a load itself. Its payment plan has what the customer pays alone; the carrier_pay is a sum to calculate with.
func (l *load) own() bool { return l.Role == carrier }

// payByPlan is what the carrier ends up with by the payment plan, in units.
func (l *load) payByPlan() int64 {
	if l.own() {
		return plan.TotalsOf(l.Plan.V, l.Currency).Pay
	}
	units, _ := l.units(l.CarrierPay) // checked before

	return units
}

// followTotals has a payment plan that people wrote, and that added up before the change, follow the carrier pay, and what is charged beside the transport.
// Another price for the customer needs another plan: what the customer agreed on is not made up. Errors: loads.plan_fixed, loads.plan_unbalanced.
func (l *load) followTotals(was *load) error {
	kept := was != nil && (slices.Equal(l.Plan.V, was.Plan.V) || l.own() && !was.own())
	if l.PlanTemplate == "" && kept && len(l.Plan.V) > 0 && l.transports() == was.transports() {
		if err := l.followAll(); err != nil {
			return err
		}
	}

	return plan.Adds(l.Plan.V, l.Tariff, l.amountOf(l.payByPlan()), l.Currency)
}

// followAll is followTotals whatever made the totals other ones.
func (l *load) followAll() error {
	to := plan.Totals{Pay: l.payByPlan()}
	to.Tariff, _ = l.units(l.Tariff) // checked before
	if l.PlanTemplate != "" || len(l.Plan.V) == 0 || plan.TotalsOf(l.Plan.V, l.Currency) == to {
		return nil
	}
	lines, err := plan.Follow(l.Plan.V, l.Payments.V, to, l.Currency)
	l.Plan.V = lines

	return err
}

// transports is what the customer pays for the vehicles, in units.
func (l *load) transports() (sum int64) {
	for _, v := range l.Vehicles.V {
		if v.Open() {
			n, _ := l.units(v.Tariff) // checked before
			sum += n
		}
	}

	return sum
}
