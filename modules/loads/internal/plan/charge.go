package plan

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Discount is the kind of charges that are taken off the tariff.
const Discount = "discount"

// Charge is something that is paid beside the transport of the vehicles.
type Charge struct {
	UUID        uuid.UUID    `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer"`
	Kind        string       `json:"kind" enum:"fuel,inop,enclosed,expedite,storage,dry_run,tonu,detention,cancellation,discount,tax,other" doc:"tonu: a truck was ordered and not used." seen:"customer"`
	Description string       `json:"description,omitempty" maxLength:"200" seen:"customer"`
	Vehicle     uuid.UUID    `json:"vehicle_uuid,omitzero" seen:"customer"`
	Service     uuid.UUID    `json:"service_uuid,omitzero" doc:"The service of the catalog that it is for." seen:"-"`
	Quantity    money.Amount `json:"quantity,omitempty" doc:"1 if there is a unit_price and no quantity." example:"3.00" seen:"customer"`
	UnitPrice   money.Amount `json:"unit_price,omitempty" doc:"The amount is quantity times unit_price, rounded to the currency." example:"50.00" seen:"customer"`
	Amount      money.Amount `json:"amount,omitempty" doc:"At least 0; a discount is taken off the tariff. Required without a unit_price." example:"150.00" seen:"customer"`
	Payer       string       `json:"payer,omitempty" enum:"customer,broker" default:"customer" doc:"customer: it is part of the tariff." seen:"customer"`
	Payee       string       `json:"payee,omitempty" enum:"broker,carrier" default:"broker" doc:"carrier: it is part of the carrier pay." seen:"-"`
	Taxable     bool         `json:"taxable,omitempty" seen:"customer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Charge) SchemaName() string { return "LoadCharge" }

// Check brings a charge, which is named by at, into its normal form.
func (c *Charge) Check(at string, in money.Currency, wrong *errs.Error) *errs.Error {
	c.Payer, c.Payee = cmp.Or(c.Payer, Customer), cmp.Or(c.Payee, Broker)
	if c.Payer == Broker && c.Payee == Broker {
		wrong = wrong.WithField(at+".payee", "A charge that the broker pays is the carrier's.")
	}
	if c.UnitPrice != "" {
		return c.multiply(at, in, wrong)
	}
	if c.Quantity != "" {
		wrong = wrong.WithField(at+".unit_price", "`unit_price` is required with a quantity.")
	}
	if _, ok := Owed(c.Amount, in); !ok || c.Amount == "" {
		wrong = wrong.WithField(at+".amount", AmountRule("amount", in))
	}

	return wrong
}

// multiply computes the amount of a charge, which must not be given as another one.
func (c *Charge) multiply(at string, in money.Currency, wrong *errs.Error) *errs.Error {
	c.Quantity = cmp.Or(c.Quantity, "1.00")
	product, err := money.Money{Amount: c.UnitPrice, Currency: in}.Mul(c.Quantity)
	if err == nil {
		product, err = product.Round(money.HalfUp)
	}
	units, ok := product.Units()
	switch {
	case err != nil || !ok || units < 0 || units > mostUnits || c.Quantity[0] == '-':
		return wrong.WithField(at+".unit_price", "The quantity and the `unit_price` must not be negative, and come to "+string(money.OfUnits(mostUnits, in).Amount)+" at most.")
	case c.Amount == "":
		c.Amount = product.Amount
	case c.Amount != product.Amount:
		return wrong.WithField(at+".amount", "The quantity times the unit_price is "+string(product.Amount)+". Leave the amount out, or give it without them.")
	}

	return wrong
}

// Shares are what a charge adds to what the customer pays, and to what the carrier gets, in the smallest unit of the currency.
func (c Charge) Shares(in money.Currency) (tariff, pay int64) {
	amount, _ := Owed(c.Amount, in) // checked before
	if c.Kind == Discount {
		amount = -amount
	}
	if c.Payer == Customer {
		tariff = amount
	}
	if c.Payee == Carrier {
		pay = amount
	}

	return tariff, pay
}
