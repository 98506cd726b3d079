package quotes

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
)

// line is a part of a price.
type line struct {
	Kind        string       `json:"kind" enum:"transport,fuel,inop,enclosed,expedite,storage,dry_run,detention,cancellation,discount,tax,other" doc:"transport: of a vehicle. The others are the charges of loads; a discount is taken off."`
	Vehicle     uuid.UUID    `json:"vehicle_uuid,omitzero" doc:"Required for a transport."`
	Description string       `json:"description,omitempty" maxLength:"200" doc:"By default the name of the vehicle, or of the kind."`
	Amount      money.Amount `json:"amount" doc:"What the customer pays." example:"1100.00"`
	CarrierPay  money.Amount `json:"carrier_pay,omitempty" doc:"What a carrier is expected to get for a transport." example:"900.00"`
	Payee       string       `json:"payee,omitempty" enum:"broker,carrier" doc:"Of a charge: carrier if the carrier gets its amount. By default broker."`
	Taxable     bool         `json:"taxable,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (line) SchemaName() string { return "QuoteLine" }

// option is a way in which the transport can be done.
type option struct {
	Key       string       `json:"key" enum:"standard,priority,guaranteed"`
	Label     string       `json:"label,omitempty" maxLength:"60" doc:"What the customer reads; by default the key." example:"Priority pickup"`
	Note      string       `json:"note,omitempty" maxLength:"200" example:"Picked up within two days"`
	Within    int64        `json:"pickup_within_days,omitempty" minimum:"1" maximum:"30" doc:"In how many days from the first day for the pickup the option promises it; the load then has pickup_promised_by. Of standard, none." example:"2"`
	Surcharge money.Amount `json:"surcharge,omitempty" doc:"What it costs more than the lines; of standard, nothing." example:"150.00"`
	Tariff    money.Amount `json:"tariff,omitempty" doc:"What the customer pays with it; set by the service."`
	Deposit   money.Amount `json:"deposit,omitempty" doc:"What of it is due at booking, by the plan_template; set by the service."`
	ToCarrier money.Amount `json:"to_carrier,omitempty" doc:"What of it the customer pays the carrier at the delivery; set by the service."`
	Payments  []payment    `json:"payments,omitempty" nullable:"false" maxItems:"12" doc:"What the customer pays, to whom and when, by a payment plan of the load that was written by hand; set by the service. Absent for the plan_template."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (option) SchemaName() string { return "QuoteOption" }

// payment is what the customer pays by a payment plan of the load that people wrote.
type payment struct {
	To           string `json:"to" enum:"broker,carrier"`
	Amount       string `json:"amount" example:"900.00"`
	Method       string `json:"method" doc:"One of those of payment plans."`
	Event        string `json:"due_event" enum:"booking,dispatch,pickup,delivery,signed_bol,invoice"`
	Days         int64  `json:"due_days,omitempty"`
	BusinessDays bool   `json:"business_days,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (payment) SchemaName() string { return "QuotePayment" }

// pricing is how the prices were found.
type pricing struct {
	By          string          `json:"by" enum:"hand,formula"`
	Formula     string          `json:"formula_uuid,omitempty" doc:"Absent for the formula that is shipped."`
	Version     int64           `json:"formula_version,omitempty"`
	Hash        string          `json:"context_hash,omitempty" doc:"Of all that the formula looked at: equal for equal prices."`
	Warnings    []string        `json:"warnings,omitempty" nullable:"false"`
	Explanation json.RawMessage `json:"explanation,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (pricing) SchemaName() string { return "QuotePricing" }

const (
	transport = "transport"
	discount  = "discount"
	toCarrier = "carrier"
	toBroker  = "broker"
	byHand    = "hand"
	standard  = "standard"
)

// mostUnits is the most that a line costs, in the smallest unit of a currency: a hundred million dollars.
const mostUnits = 10_000_000_000

// units is an amount in the smallest unit, 0 for none. It is false for one that is negative, too large, or not in whole units.
func (q *quote) units(a money.Amount) (int64, bool) {
	if a == "" {
		return 0, true
	}
	made, err := money.Of(a, q.Currency)
	if err != nil {
		return 0, false
	}
	n, ok := made.Units()

	return n, ok && n >= 0 && n <= mostUnits
}

func (q *quote) amount(units int64) money.Amount { return money.OfUnits(units, q.Currency).Amount }

func (q *quote) amountRule(name string) string {
	return q.Currency.AmountRule(name, mostUnits)
}

// addUp brings lines and options into their normal form, and adds them up.
func (q *quote) addUp() error {
	wrong := errInvalid
	var tariff, pay int64
	vehicles := map[string]string{}
	for _, v := range q.Offered.V.Vehicles {
		vehicles[v.UUID] = v.Name
	}
	for i := range q.Lines.V {
		l, at := &q.Lines.V[i], "lines."+strconv.Itoa(i)
		amount, ok := q.units(l.Amount)
		if !ok || l.Amount == "" {
			wrong = wrong.WithField(at+".amount", q.amountRule("amount"))
		}
		expected, ok := q.units(l.CarrierPay)
		if !ok {
			wrong = wrong.WithField(at+".carrier_pay", q.amountRule("carrier pay"))
		}
		if l.Kind == transport {
			name, there := vehicles[l.Vehicle.String()]
			if !there {
				wrong = wrong.WithField(at+".vehicle_uuid", "The load has no such vehicle, or another line has its transport.")
			}
			delete(vehicles, l.Vehicle.String())
			l.Description, l.Payee = cmp.Or(l.Description, name), ""
			pay += expected
		} else {
			wrong = l.asCharge(at, wrong)
			if l.Payee == toCarrier && l.Kind != discount {
				pay += amount
			}
		}
		if l.Kind == discount {
			amount = -amount
		}
		tariff += amount
	}
	for id, name := range vehicles {
		if len(q.Lines.V) > 0 {
			wrong = wrong.WithField("lines", "The "+name+" ("+id+") has no transport.")
		}
	}
	if tariff < 0 {
		wrong = wrong.WithField("lines", "The discounts are more than what is charged.")
	}
	wrong = q.checkOptions(tariff, pay, wrong)
	if len(wrong.Fields) > 0 {
		return wrong
	}
	q.Tariff, q.CarrierPay, q.BrokerFee = q.amount(tariff), q.amount(pay), q.amount(tariff-pay)
	q.Deposit = q.Options.V[0].Deposit

	return nil
}

// asCharge brings a line that is no transport into its normal form.
func (l *line) asCharge(at string, wrong *errs.Error) *errs.Error {
	l.Description, l.Payee = cmp.Or(l.Description, l.Kind), cmp.Or(l.Payee, toBroker)
	if l.CarrierPay != "" {
		wrong = wrong.WithField(at+".carrier_pay", "Only a transport has a carrier_pay. Set the payee to carrier if the carrier gets the amount.")
	}
	if l.Kind == discount && l.Payee == toCarrier {
		wrong = wrong.WithField(at+".payee", "The broker gives the discount.")
	}

	return wrong
}

// checkOptions has each option once, and the first be standard.
func (q *quote) checkOptions(tariff, pay int64, wrong *errs.Error) *errs.Error {
	if len(q.Options.V) == 0 {
		q.Options.V = []option{{Key: standard}}
	}
	seen := map[string]bool{}
	for i := range q.Options.V {
		o, at := &q.Options.V[i], "options."+strconv.Itoa(i)
		more, ok := q.units(o.Surcharge)
		switch {
		case seen[o.Key]:
			wrong = wrong.WithField(at+".key", "Another option has this key.")
		case (i == 0) != (o.Key == standard):
			wrong = wrong.WithField(at+".key", "The first option, and no other, must be standard.")
		case !ok || i == 0 && more > 0:
			wrong = wrong.WithField(at+".surcharge", q.amountRule("surcharge")+" The option standard has none.")
		}
		if i == 0 && o.Within > 0 {
			wrong = wrong.WithField(at+".pickup_within_days", "The option standard promises no day for the pickup. Leave it out, or give it to priority or guaranteed.")
		}
		seen[o.Key] = true
		if o.Note == "" && o.Within > 0 {
			o.Note = o.promise()
		}
		o.Label, o.Surcharge, o.Tariff = cmp.Or(o.Label, optionNames[o.Key]), q.amount(more), q.amount(tariff+more)
		deposit, toCarrier := sharesOf(q.PlanTemplate, tariff+more, pay)
		o.Deposit, o.ToCarrier, o.Payments = q.amount(deposit), q.amount(toCarrier), nil
	}

	return wrong
}

func (o option) promise() string {
	if o.Within == 1 {
		return "Picked up within one day"
	}

	return "Picked up within " + strconv.FormatInt(o.Within, 10) + " days"
}

// mostDescription is how long the description of a charge of a load is at most.
const mostDescription = 200

// bought is an option as a charge of the load describes it: what the customer has read of it, as far as there is room.
func (o option) bought() string {
	text := o.Label
	if o.Note != "" {
		text += ": " + o.Note
	}
	if letters := []rune(text); len(letters) > mostDescription {
		text = string(letters[:mostDescription])
	}

	return text
}

// optionNames are what the options are called by default.
var optionNames = map[string]string{standard: "Standard", "priority": "Priority", "guaranteed": "Guaranteed"}

// sharesOf is what the customer pays at booking by a plan, and what it pays the carrier. The rest is invoiced.
func sharesOf(template string, tariff, pay int64) (deposit, toCarrier int64) {
	switch template {
	case "deposit_cod":
		return max(0, tariff-pay), min(tariff, pay)
	case "full_pay":
		return tariff, 0
	case "carrier_pays_broker":
		return 0, tariff
	}

	return 0, 0
}

// option returns an option by its key; "" is standard.
func (q quote) option(key string) (option, bool) {
	i := slices.IndexFunc(q.Options.V, func(o option) bool { return o.Key == cmp.Or(key, standard) })
	if i < 0 {
		return option{}, false
	}

	return q.Options.V[i], true
}

// prices are what the load costs with an option. The surcharge is the broker's: it is for finding a carrier in time.
func (q quote) prices(o option) loadsapi.Prices {
	p := loadsapi.Prices{Vehicles: map[string]loadsapi.VehiclePrice{}, PlanTemplate: q.PlanTemplate}
	for _, l := range q.Lines.V {
		if l.Kind == transport {
			p.Vehicles[l.Vehicle.String()] = loadsapi.VehiclePrice{Tariff: string(l.Amount), CarrierPay: string(cmp.Or(l.CarrierPay, q.amount(0)))}

			continue
		}
		c := loadsapi.Charge{Kind: l.Kind, Description: l.Description, Amount: string(l.Amount), Payee: l.Payee, Taxable: l.Taxable}
		if l.Vehicle != uuid.Nil {
			c.Vehicle = l.Vehicle.String()
		}
		p.Charges = append(p.Charges, c)
	}
	if o.Key != standard {
		p.Charges = append(p.Charges, loadsapi.Charge{Kind: "expedite", Description: o.bought(), Amount: string(o.Surcharge), Payee: toBroker})
	}

	return p
}

// fromLoad takes the prices that the load has. It reports whether it has any.
func (q *quote) fromLoad() bool {
	q.Lines.V = nil
	priced := false
	for _, v := range q.Offered.V.Vehicles {
		q.Lines.V = append(q.Lines.V, line{Kind: transport, Vehicle: item.ID(v.UUID), Amount: cmp.Or(money.Amount(v.Tariff), q.amount(0)), CarrierPay: money.Amount(v.CarrierPay)})
		priced = priced || v.Tariff != ""
	}
	q.Lines.V = append(q.Lines.V, q.charges()...)

	return priced
}

// charges are the lines of what the load is charged beside the transports.
func (q *quote) charges() (lines []line) {
	for _, c := range q.Offered.V.Charges {
		lines = append(lines, line{Kind: c.Kind, Vehicle: item.ID(c.Vehicle), Description: c.Description, Amount: money.Amount(c.Amount), Payee: c.Payee, Taxable: c.Taxable})
	}

	return lines
}

func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}
