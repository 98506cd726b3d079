package loads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// charge is something that is paid beside the transport of the vehicles.
type charge struct {
	UUID        uuid.UUID    `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer"`
	Kind        string       `json:"kind" enum:"fuel,inop,enclosed,expedite,storage,dry_run,detention,cancellation,discount,tax,other" seen:"customer"`
	Description string       `json:"description,omitempty" maxLength:"200" seen:"customer"`
	Vehicle     uuid.UUID    `json:"vehicle_uuid,omitzero" seen:"customer"`
	Amount      money.Amount `json:"amount" doc:"At least 0; a discount is taken off the tariff." example:"150.00" seen:"customer"`
	Payer       string       `json:"payer,omitempty" enum:"customer,broker" default:"customer" doc:"customer: it is part of the tariff." seen:"customer"`
	Payee       string       `json:"payee,omitempty" enum:"broker,carrier" default:"broker" doc:"carrier: it is part of the carrier pay." seen:"-"`
	Taxable     bool         `json:"taxable,omitempty" seen:"customer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (charge) SchemaName() string { return "LoadCharge" }

// planLine is a payment of the plan.
type planLine struct {
	UUID   uuid.UUID    `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier"`
	From   string       `json:"from" enum:"customer,carrier,broker" seen:"customer carrier"`
	To     string       `json:"to" enum:"broker,carrier" seen:"customer carrier"`
	Kind   string       `json:"kind" enum:"deposit,cod,cop,balance,fee_remittance,topup" seen:"customer carrier"`
	Amount money.Amount `json:"amount" example:"900.00" seen:"customer carrier"`
	Method string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" default:"other" seen:"customer carrier"`
	Event  string       `json:"due_event" enum:"booking,dispatch,pickup,delivery,signed_bol,invoice" doc:"What makes it due." seen:"customer carrier"`
	Days   int64        `json:"due_days,omitempty" minimum:"0" maximum:"90" doc:"How many days after that." seen:"customer carrier"`
	// BusinessDays says that days are those on which banks are open.
	BusinessDays bool `json:"business_days,omitempty" seen:"customer carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (planLine) SchemaName() string { return "PaymentPlanLine" }

// The parties of a payment.
const (
	customer = "customer"
	broker   = "broker"
	carrier  = "carrier"
	discount = "discount"
)

var errUnbalanced = errs.New(errs.Invalid, "loads.plan_unbalanced", "The payment plan does not add up to the totals of the load.")

// units is an amount in the smallest unit, 0 for none. It is false for one that is negative, too large, or not in whole units.
func (l *load) units(a money.Amount) (int64, bool) {
	n, ok := l.signedUnits(a)

	return n, ok && n >= 0
}

func (l *load) signedUnits(a money.Amount) (int64, bool) {
	if a == "" {
		return 0, true
	}
	made, err := money.Of(a, l.Currency)
	if err != nil {
		return 0, false
	}
	n, ok := made.Units()

	return n, ok && n <= mostUnits && n >= -mostUnits
}

func (l *load) amountOf(units int64) money.Amount { return money.OfUnits(units, l.Currency).Amount }

func (l *load) amountRule(name string) string {
	return "The " + strings.ReplaceAll(name, "_", " ") + " must be an amount of at least 0 with " + strconv.Itoa(l.Currency.Digits()) + " decimals, at most 100,000,000."
}

// checkMoney adds up charges and vehicles, and has the payment plan follow.
func (l *load) checkMoney(wrong *errs.Error) *errs.Error {
	var tariff, pay int64
	priced := false
	for _, v := range l.Vehicles.V {
		if v.open() {
			t, _ := l.units(v.Tariff) // checked before
			p, _ := l.units(v.CarrierPay)
			tariff, pay, priced = tariff+t, pay+p, priced || v.Tariff != "" || v.CarrierPay != ""
		}
	}
	for i := range l.Charges.V {
		c, at := &l.Charges.V[i], "charges."+strconv.Itoa(i)
		c.Payer, c.Payee = cmp.Or(c.Payer, customer), cmp.Or(c.Payee, broker)
		amount, ok := l.units(c.Amount)
		if !ok || c.Amount == "" {
			wrong = wrong.WithField(at+".amount", l.amountRule("amount"))
		}
		if c.Vehicle != uuid.Nil {
			if _, err := l.find(c.Vehicle); err != nil {
				wrong = wrong.WithField(at+".vehicle_uuid", "The load has no such vehicle.")
			}
		}
		if c.Payer == broker && c.Payee == broker {
			wrong = wrong.WithField(at+".payee", "A charge that the broker pays is the carrier's.")
		}
		priced = true
		if c.Kind == discount {
			amount = -amount
		}
		if c.Payer == customer {
			tariff += amount
		}
		if c.Payee == carrier {
			pay += amount
		}
	}
	l.Tariff, l.CarrierPay, l.BrokerFee = "", "", ""
	if priced {
		l.Tariff, l.CarrierPay, l.BrokerFee = l.amountOf(tariff), l.amountOf(pay), l.amountOf(tariff-pay)
	}
	if tariff < 0 || pay < 0 {
		wrong = wrong.WithField("charges", "The discounts are more than what is charged.")
	}
	if l.PlanTemplate != "" && tariff >= 0 && pay >= 0 {
		l.Plan.V = proposals[l.PlanTemplate](l, tariff, pay)
	}

	return l.checkLines(wrong)
}

// checkLines checks the lines of the plan by themselves.
func (l *load) checkLines(wrong *errs.Error) *errs.Error {
	for i := range l.Plan.V {
		p, at := &l.Plan.V[i], "payment_plan."+strconv.Itoa(i)
		p.Method = cmp.Or(p.Method, "other")
		if n, ok := l.units(p.Amount); !ok || n == 0 {
			wrong = wrong.WithField(at+".amount", l.amountRule("amount"))
		}
		if p.From == p.To || p.From == carrier && p.To != broker || p.From == broker && p.To != carrier {
			wrong = wrong.WithField(at+".to", "The payment must be from one party to another one.")
		}
		if days := terms.DaysOf(p.Method); days != "" && !terms.Allows(p.Method, p.Days) {
			wrong = wrong.WithField(at+".due_days", "With the method "+p.Method+", due_days is one of "+days+".")
		}
	}

	return wrong
}

// checkTotals reports a plan that does not add up to the totals. A load without prices has no plan yet.
func (l *load) checkTotals() error {
	if len(l.Plan.V) == 0 {
		return nil
	}
	var toBroker, toCarrier, paid, remitted int64
	for _, p := range l.Plan.V {
		n, _ := l.units(p.Amount) // checked before
		switch {
		case p.From == customer && p.To == broker:
			toBroker += n
		case p.From == customer:
			toCarrier += n
		case p.From == broker:
			paid += n
		default:
			remitted += n
		}
	}
	tariff, _ := l.units(l.Tariff)
	pay, _ := l.units(l.CarrierPay)
	refusal := errUnbalanced
	if sum := toBroker + toCarrier; sum != tariff {
		refusal = refusal.WithField("payment_plan", "The customer pays "+string(l.amountOf(sum))+", and the tariff is "+string(l.amountOf(tariff))+".")
	}
	if sum := toCarrier + paid - remitted; sum != pay {
		refusal = refusal.WithField("payment_plan", "The carrier ends up with "+string(l.amountOf(sum))+", and the carrier_pay is "+string(l.amountOf(pay))+".")
	}
	if len(refusal.Fields) == 0 {
		return nil
	}

	return refusal.WithDetail("customer", l.amountOf(toBroker+toCarrier)).WithDetail("tariff", l.amountOf(tariff)).
		WithDetail("carrier", l.amountOf(toCarrier+paid-remitted)).WithDetail("carrier_pay", l.amountOf(pay))
}

// The templates of payment plans.
const (
	depositCOD  = "deposit_cod"
	fullPay     = "full_pay"
	carrierPays = "carrier_pays_broker"
	account     = "account"
)

// proposals make the lines of a plan from the totals, in units. Lines of nothing are left out.
var proposals = map[string]func(l *load, tariff, pay int64) []planLine{
	// The customer pays the fee as a deposit, and the carrier the rest in cash. What is missing to the carrier pay, the broker adds.
	depositCOD: func(l *load, tariff, pay int64) []planLine {
		return l.lines(
			planLine{From: customer, To: broker, Kind: "deposit", Amount: l.amountOf(max(0, tariff-pay)), Method: "credit_card", Event: "booking"},
			planLine{From: customer, To: carrier, Kind: "cod", Amount: l.amountOf(min(tariff, pay)), Method: "cash", Event: "delivery"},
			planLine{From: broker, To: carrier, Kind: "topup", Amount: l.amountOf(max(0, pay-tariff)), Method: "ach", Event: "signed_bol", Days: 5, BusinessDays: true},
		)
	},
	// The customer pays the broker, and the broker the carrier.
	fullPay: func(l *load, tariff, pay int64) []planLine {
		return l.lines(
			planLine{From: customer, To: broker, Kind: "balance", Amount: l.amountOf(tariff), Method: "credit_card", Event: "booking"},
			planLine{From: broker, To: carrier, Kind: "balance", Amount: l.amountOf(pay), Method: "ach", Event: "signed_bol", Days: 5, BusinessDays: true},
		)
	},
	// The customer pays the carrier, who sends the broker its fee.
	carrierPays: func(l *load, tariff, pay int64) []planLine {
		return l.lines(
			planLine{From: customer, To: carrier, Kind: "cod", Amount: l.amountOf(tariff), Method: "cash", Event: "delivery"},
			planLine{From: carrier, To: broker, Kind: "fee_remittance", Amount: l.amountOf(max(0, tariff-pay)), Method: "ach", Event: "delivery", Days: 5},
			planLine{From: broker, To: carrier, Kind: "topup", Amount: l.amountOf(max(0, pay-tariff)), Method: "ach", Event: "signed_bol", Days: 5, BusinessDays: true},
		)
	},
	// The customer is invoiced.
	account: func(l *load, tariff, pay int64) []planLine {
		return l.lines(
			planLine{From: customer, To: broker, Kind: "balance", Amount: l.amountOf(tariff), Method: "ach", Event: "invoice", Days: 30},
			planLine{From: broker, To: carrier, Kind: "balance", Amount: l.amountOf(pay), Method: "ach", Event: "invoice", Days: 15},
		)
	},
}

// lines are those with an amount. They keep the ids of the plan that they take the place of.
func (l *load) lines(all ...planLine) []planLine {
	all = slices.DeleteFunc(all, func(p planLine) bool { n, _ := l.units(p.Amount); return n == 0 })
	for i := range min(len(all), len(l.Plan.V)) {
		all[i].UUID = l.Plan.V[i].UUID
	}

	return all
}

// spreadOf is how an amount is spread over loads, nil for fewer than three that have one. A quantile is the amount of a load.
func (l *load) spreadOf(rows []rate, amount func(rate) money.Amount) *spread {
	const least, quarter = 3, 4
	var all []int64
	for _, row := range rows {
		if a := amount(row); a != "" {
			n, _ := l.units(a)
			all = append(all, n)
		}
	}
	if len(all) < least {
		return nil
	}
	slices.Sort(all)
	at := func(quarters int) money.Amount { return l.amountOf(all[(len(all)-1)*quarters/quarter]) }

	return &spread{at(1), at(2), at(3)} //nolint:mnd // quarters
}
