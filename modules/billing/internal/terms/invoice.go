package terms

import (
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// LineKind is what a line of an invoice is for.
type LineKind string

// The kinds of lines.
const (
	LinePlan   LineKind = "plan"
	LineCharge LineKind = "proration_charge"
	LineCredit LineKind = "proration_credit"
)

// Line is a line of an invoice, in the currency of the invoice. It has no tax.
type Line struct {
	Kind        LineKind `json:"kind" enum:"plan,proration_charge,proration_credit"`
	Description string   `json:"description"`
	Plan        string   `json:"plan" doc:"Code of the plan."`
	// From and Until are the days that it is for; Until is the day after the last one.
	From   field.Date   `json:"from"`
	Until  field.Date   `json:"until" doc:"The day after the last one."`
	Amount money.Amount `json:"amount"`
}

// TaxRounding is what the amount of a tax is rounded over.
type TaxRounding string

// The ways of rounding taxes.
const (
	PerDocument TaxRounding = "document"
	PerLine     TaxRounding = "line"
)

// Rate is a tax rate.
type Rate struct {
	Code    string       `json:"code"`
	Name    string       `json:"name"`
	Percent money.Amount `json:"percent"`
}

// Tax is the tax of a rate on an invoice.
type Tax struct {
	Rate

	Base   money.Amount `json:"base" doc:"The amount that is taxed."`
	Amount money.Amount `json:"amount"`
}

// Totals are the totals of an invoice.
type Totals struct {
	Net, Tax, Total money.Money
	Taxes           []Tax
}

// Net is the net amount of a line: quantity × unit price, less a discount in percent, rounded once, half away from zero.
func Net(quantity money.Amount, price money.Money, discount money.Amount) (money.Money, error) {
	gross, err := price.Mul(quantity)
	if err != nil {
		return money.Money{}, err
	}
	less, err := percentOf(gross, discount)
	if err != nil {
		return money.Money{}, err
	}
	net, err := gross.Sub(less)
	if err != nil {
		return money.Money{}, err
	}

	return net.Round(money.HalfUp)
}

// Total adds up net amounts, which are rounded, and their taxes.
func Total(in money.Currency, nets []money.Money, rates []Rate, how TaxRounding) (t Totals, err error) {
	if t.Net, err = money.Sum(in, nets...); err != nil {
		return t, err
	}
	t.Tax = money.Zero(in)
	for _, r := range rates {
		tax, err := taxOf(in, nets, r, how)
		if err != nil {
			return t, err
		}
		t.Taxes = append(t.Taxes, Tax{Rate: r, Base: t.Net.Amount, Amount: tax.Amount})
		if t.Tax, err = t.Tax.Add(tax); err != nil {
			return t, err
		}
	}
	t.Total, err = t.Net.Add(t.Tax)

	return t, err
}

func taxOf(in money.Currency, nets []money.Money, r Rate, how TaxRounding) (money.Money, error) {
	if how != PerLine {
		sum, err := money.Sum(in, nets...)
		if err != nil {
			return money.Money{}, err
		}
		nets = []money.Money{sum}
	}
	total := money.Zero(in)
	for _, net := range nets {
		tax, err := percentOf(net, r.Percent)
		if err != nil {
			return money.Money{}, err
		}
		if tax, err = tax.Round(money.HalfUp); err != nil {
			return money.Money{}, err
		}
		if total, err = total.Add(tax); err != nil {
			return money.Money{}, err
		}
	}

	return total, nil
}

// percentOf is an exact percentage of an amount.
func percentOf(m money.Money, percent money.Amount) (money.Money, error) {
	part, err := m.Mul(percent)
	if err != nil {
		return money.Money{}, err
	}

	return part.Mul("0.01")
}

// Settle divides lines into those that are billed and the credits that are left for a later invoice: an invoice is never less than zero. A
// credit that is larger than what is left to pay is divided.
func Settle(in money.Currency, lines []Line) (billed, left []Line, err error) {
	open := money.Zero(in)
	for _, l := range lines {
		if amount := (money.Money{Amount: l.Amount, Currency: in}); amount.Sign() > 0 {
			if open, err = open.Add(amount); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, l := range lines {
		amount := money.Money{Amount: l.Amount, Currency: in}
		if amount.Sign() >= 0 {
			billed = append(billed, l)

			continue
		}
		rest, err := open.Add(amount)
		if err != nil {
			return nil, nil, err
		}
		if rest.Sign() >= 0 {
			billed, open = append(billed, l), rest

			continue
		}
		part, err := open.Neg()
		if err != nil {
			return nil, nil, err
		}
		if open.Sign() > 0 {
			taken := l
			taken.Amount = part.Amount
			billed = append(billed, taken)
		}
		kept := l
		kept.Amount, open = rest.Amount, money.Zero(in)
		left = append(left, kept)
	}

	return billed, left, nil
}

// CreditParts divides a credit of an invoice, which was credited with before already, among the net amount and the taxes, in that order. The
// parts of all credits together are those of the invoice once it is credited in full.
func CreditParts(in money.Currency, net money.Amount, taxes []Tax, before, credit money.Money) ([]money.Money, error) {
	weights := []money.Amount{net}
	for _, t := range taxes {
		weights = append(weights, t.Amount)
	}
	after, err := before.Add(credit)
	if err != nil {
		return nil, err
	}
	was, err := before.Allocate(weights...)
	if err != nil {
		return nil, err
	}
	parts, err := after.Allocate(weights...)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		if parts[i], err = parts[i].Sub(was[i]); err != nil {
			return nil, err
		}
	}

	return parts, nil
}
