package terms

import (
	"math/big"

	"github.com/dispatchd/dispatchd/platform/field"
)

// Proration is how a change of plan within a period is charged.
type Proration string

// The ways of proration.
const (
	// ProrateNext puts the lines on the next invoice.
	ProrateNext Proration = "next"
	// ProrateNow issues an invoice with the lines.
	ProrateNow Proration = "now"
	// ProrateNone charges and credits nothing until the next period.
	ProrateNone Proration = "none"
)

// Price is what a plan costs for a period, in the smallest unit of its currency.
type Price struct {
	Units    int64
	Interval Interval
}

// Less reports whether a price is lower than another one for the same time.
func (p Price) Less(other Price) bool {
	a := new(big.Int).Mul(big.NewInt(p.Units), big.NewInt(int64(other.Interval.Months())))
	b := new(big.Int).Mul(big.NewInt(other.Units), big.NewInt(int64(p.Interval.Months())))

	return a.Cmp(b) < 0
}

// Running is the current period of a subscription.
type Running struct {
	Price Price
	// End is the first day of the next period.
	End field.Date
	// Days is how many days the price is for.
	Days int64
	// Paid is what was billed for the period.
	Paid []Paid
}

// Paid is what was billed for the last days of a period, less than zero for a credit. Of every Total of its invoice, Kept was not given back.
type Paid struct{ Units, Days, Kept, Total int64 }

// unused is what was paid for the days that are left, and not given back.
func (r Running) unused(left int64) int64 {
	sum := new(big.Rat)
	for _, p := range r.Paid {
		if p.Days == 0 || p.Total == 0 {
			continue
		}
		part := new(big.Rat).SetFrac64(p.Units, 1)
		part.Mul(part, big.NewRat(left, p.Days))
		sum.Add(sum, part.Mul(part, big.NewRat(p.Kept, p.Total)))
	}

	return max(0, rounded(sum.Num(), sum.Denom()))
}

// Changed is what a change of plan costs.
type Changed struct {
	// Credit is what is given back of the current price, zero or less. Charge is what the new price costs, zero or more.
	Credit, Charge int64
	// Left is how many days of the period are left, Of how many it has.
	Left, Of int64
	// Restart says that a new period begins on the day of the change: the new plan has another interval. Charge is the whole new price.
	Restart bool
	// Bill says that an invoice is issued on the day of the change.
	Bill bool
}

// Change decides what a change to another price costs on a day, which belongs to the new price. Amounts are in proportion to days, each
// rounded once, half away from zero. Only what was paid, and not given back, is credited.
func Change(r Running, to Price, today field.Date, how Proration) Changed {
	left := min(max(Days(today, r.End), 0), r.Days)
	c := Changed{Left: left, Of: r.Days, Restart: to.Interval != r.Price.Interval}
	if how != ProrateNone {
		c.Credit = -r.unused(left)
	}
	switch {
	case c.Restart:
		c.Charge, c.Bill = to.Units, true
	case how != ProrateNone:
		c.Charge, c.Bill = Prorate(to.Units, left, r.Days), how == ProrateNow
	}

	return c
}

// Prorate returns units × days ÷ of, rounded half away from zero; 0 if of is 0.
func Prorate(units, days, of int64) int64 {
	if of == 0 {
		return 0
	}

	return rounded(new(big.Int).Mul(big.NewInt(units), big.NewInt(days)), big.NewInt(of))
}

// rounded is a quotient, rounded half away from zero.
func rounded(product, divisor *big.Int) int64 {
	quotient, rest := new(big.Int).QuoRem(product, divisor, new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).CmpAbs(divisor) >= 0 {
		quotient.Add(quotient, big.NewInt(int64(product.Sign()*divisor.Sign())))
	}

	return quotient.Int64()
}
