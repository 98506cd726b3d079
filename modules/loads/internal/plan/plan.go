// Package plan has who pays what to whom for a load, and when.
package plan

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The parties of a payment.
const (
	Customer = "customer"
	Broker   = "broker"
	Carrier  = "carrier"
)

// The templates.
const (
	DepositCOD  = "deposit_cod"
	FullPay     = "full_pay"
	CarrierPays = "carrier_pays_broker"
	Account     = "account"
)

// ErrUnbalanced is for a plan that does not add up.
var ErrUnbalanced = errs.New(errs.Invalid, "loads.plan_unbalanced", "The payment plan does not add up to the totals of the load.")

const mostUnits = int64(10_000_000_000) // in the smallest unit: a hundred million dollars

// Line is a payment of the plan.
type Line struct {
	UUID   uuid.UUID    `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	From   string       `json:"from" enum:"customer,carrier,broker" seen:"customer carrier offer"`
	To     string       `json:"to" enum:"broker,carrier" seen:"customer carrier offer"`
	Kind   string       `json:"kind" enum:"deposit,cod,cop,balance,fee_remittance,topup" seen:"customer carrier offer"`
	Amount money.Amount `json:"amount" example:"900.00" seen:"customer carrier offer"`
	Method string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" default:"other" seen:"customer carrier offer"`
	Event  string       `json:"due_event" enum:"booking,dispatch,pickup,delivery,signed_bol,invoice" doc:"What makes it due." seen:"customer carrier offer"`
	Days   int64        `json:"due_days,omitempty" minimum:"0" maximum:"365" doc:"How many days after that." seen:"customer carrier offer"`
	// BusinessDays says that days are those on which banks are open.
	BusinessDays bool `json:"business_days,omitempty" seen:"customer carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Line) SchemaName() string { return "PaymentPlanLine" }

// Concerns reports whether a payment is one of a party's. Those of a carrier that may be going to have the load, which is "offer", are the
// carrier's.
func (p Line) Concerns(party string) bool {
	if party == "offer" {
		party = Carrier
	}

	return p.From == party || p.To == party
}

// Units is an amount in the smallest unit of a currency, 0 for none. It is false for one that is too large, or not in whole units.
func Units(a money.Amount, in money.Currency) (int64, bool) {
	if a == "" {
		return 0, true
	}
	made, err := money.Of(a, in)
	if err != nil {
		return 0, false
	}
	n, ok := made.Units()

	return n, ok && n <= mostUnits && n >= -mostUnits
}

// Owed is an amount in the smallest unit of a currency, 0 for none. It is false for one that is negative, too large, or not in whole units.
func Owed(a money.Amount, in money.Currency) (int64, bool) {
	n, ok := Units(a, in)

	return n, ok && n >= 0
}

// AmountRule says what an amount must be.
func AmountRule(name string, in money.Currency) string {
	return in.AmountRule(strings.ReplaceAll(name, "_", " "), mostUnits)
}

// Check brings lines into their normal form, and names what is wrong with each by itself.
func Check(lines []Line, in money.Currency, wrong *errs.Error) *errs.Error {
	for i := range lines {
		p, at := &lines[i], "payment_plan."+strconv.Itoa(i)
		p.Method = cmp.Or(p.Method, "other")
		if n, ok := Units(p.Amount, in); !ok || n <= 0 {
			wrong = wrong.WithField(at+".amount", in.AmountBetween("amount", 1, mostUnits))
		}
		if p.From == p.To || p.From == Carrier && p.To != Broker || p.From == Broker && p.To != Carrier {
			wrong = wrong.WithField(at+".to", "The payment must be from one party to another one.")
		}
		direct := p.From == Customer && p.To == Carrier || p.Method == "cash" // by what carriers and boards take; other days are what two parties agree on
		if days := terms.DaysOf(p.Method); direct && days != "" && !terms.Allows(p.Method, p.Days) {
			wrong = wrong.WithField(at+".due_days", "With the method "+p.Method+", due_days is one of "+days+".")
		}
	}

	return wrong
}

// Adds reports lines that do not add up to what the customer pays, and what the carrier ends up with. No plan is not made yet.
func Adds(lines []Line, tariff, pay money.Amount, in money.Currency) error {
	if len(lines) == 0 {
		return nil
	}
	of := sumsOf(lines, in)
	amount := func(units int64) money.Amount { return money.OfUnits(units, in).Amount }
	wants, _ := Units(tariff, in)
	gets, _ := Units(pay, in)
	refusal := ErrUnbalanced
	if sum := of.totals().Tariff; sum != wants {
		refusal = refusal.WithField("payment_plan", "The customer pays "+string(amount(sum))+", and the tariff is "+string(amount(wants))+".")
	}
	if sum := of.totals().Pay; sum != gets {
		refusal = refusal.WithField("payment_plan", "The carrier ends up with "+string(amount(sum))+", and the carrier_pay is "+string(amount(gets))+".")
	}
	if len(refusal.Fields) == 0 {
		return nil
	}

	return refusal.WithDetail("customer", amount(of.totals().Tariff)).WithDetail("tariff", amount(wants)).
		WithDetail("carrier", amount(of.totals().Pay)).WithDetail("carrier_pay", amount(gets))
}

// like reports whether another line is for the same.
func (p Line) like(other Line) bool {
	return p.From == other.From && p.To == other.To && collected(p.Kind) == collected(other.Kind)
}

// collected is the kind of a line; what is collected at the pickup is for the same as what is collected at the delivery.
func collected(kind string) string {
	if kind == onPickup {
		return onDelivery
	}

	return kind
}

// part is a line of so many units.
type part struct {
	units int64
	line  Line
}

// templates share out what the customer pays and the carrier gets.
var templates = map[string]func(tariff, pay int64) []part{
	// The customer pays the fee as a deposit, and the carrier the rest in cash. What is missing to the carrier pay, the broker adds.
	DepositCOD: func(tariff, pay int64) []part {
		return []part{
			{tariff - pay, Line{From: Customer, To: Broker, Kind: "deposit", Method: "credit_card", Event: "booking"}},
			{min(tariff, pay), Line{From: Customer, To: Carrier, Kind: "cod", Method: "cash", Event: "delivery"}},
			topUp(tariff, pay),
		}
	},
	// The customer pays the broker, and the broker the carrier.
	FullPay: func(tariff, pay int64) []part {
		return []part{
			{tariff, Line{From: Customer, To: Broker, Kind: "balance", Method: "credit_card", Event: "booking"}},
			{pay, Line{From: Broker, To: Carrier, Kind: "balance", Method: "ach", Event: "signed_bol", Days: 5, BusinessDays: true}},
		}
	},
	// The customer pays the carrier, who sends the broker its fee.
	CarrierPays: func(tariff, pay int64) []part {
		return []part{
			{tariff, Line{From: Customer, To: Carrier, Kind: "cod", Method: "cash", Event: "delivery"}},
			{tariff - pay, Line{From: Carrier, To: Broker, Kind: "fee_remittance", Method: "ach", Event: "delivery", Days: 5}},
			topUp(tariff, pay),
		}
	},
	// The customer is invoiced.
	Account: func(tariff, pay int64) []part {
		return []part{
			{tariff, Line{From: Customer, To: Broker, Kind: "balance", Method: "ach", Event: "invoice", Days: 30}},
			{pay, Line{From: Broker, To: Carrier, Kind: "balance", Method: "ach", Event: "invoice", Days: 15}},
		}
	},
}

// topUp is what the broker adds where the carrier gets more than the customer pays.
func topUp(tariff, pay int64) part {
	return part{pay - tariff, Line{From: Broker, To: Carrier, Kind: "topup", Method: "ach", Event: "signed_bol", Days: 5, BusinessDays: true}}
}
