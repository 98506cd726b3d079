package invoicing

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Drafter adds up invoices, without issuing them.
type Drafter struct {
	companies *identity.Service
	taxes     *catalogue.Taxes
	rounding  terms.TaxRounding
}

// NewDrafter returns a Drafter.
func NewDrafter(s store.Settings, companies *identity.Service, t *catalogue.Taxes) *Drafter {
	return &Drafter{companies: companies, taxes: t, rounding: terms.TaxRounding(s.TaxRounding)}
}

// Draft is an invoice that is not issued.
type Draft struct {
	Totals       terms.Totals
	Billed, Left []terms.Line
	Customer     store.Party
}

// Draft adds up lines for the caller's company on a day. Credits that are more than the charges are left.
func (r *Drafter) Draft(ctx context.Context, in money.Currency, lines []terms.Line, on field.Date) (d Draft, err error) {
	company, err := r.companies.Company(ctx, principal.CompanyOf(ctx))
	if err != nil {
		return d, err
	}
	rates, err := r.taxes.All(ctx)
	if err != nil {
		return d, err
	}
	if d.Billed, d.Left, err = terms.Settle(in, lines); err != nil {
		return d, err
	}
	nets := make([]money.Money, len(d.Billed))
	for i, l := range d.Billed {
		nets[i] = money.Money{Amount: l.Amount, Currency: in}
	}
	d.Customer = store.CustomerOf(company)
	d.Totals, err = terms.Total(in, nets, store.RatesFor(rates, company.Address, on), r.rounding)

	return d, err
}
