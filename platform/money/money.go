package money

import (
	"fmt"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Errors of amounts that do not go together, or that nothing can hold.
var (
	ErrMismatch = errs.New(errs.Invalid, "money.currency_mismatch", "The amounts are in different currencies.")
	ErrScale    = errs.New(errs.Invalid, "money.scale", "The amount has more decimal places than the currency allows.")
	ErrTooLarge = errs.New(errs.Invalid, "money.too_large", "The amount has more than 18 digits on a side of the point.")
	ErrWeights  = errs.New(errs.Invalid, "money.weights", "The weights must not be negative, and not all be zero.")
)

// Money is an amount in a currency. Values are never changed and can be compared with ==. The zero value is none, and is no zero
// to reckon with: see [Zero].
type Money struct {
	Amount   Amount   `json:"amount"`
	Currency Currency `json:"currency"`
}

// Of puts an amount and its currency together. It returns ErrScale for an amount that cannot be paid in the currency, $1.005, with the field
// "amount": what is called otherwise in a request names its own.
func Of(amount Amount, in Currency) (Money, error) {
	m := Money{Amount: amount, Currency: in}
	number, err := m.number()
	if err != nil {
		return Money{}, err
	}
	number.Reduce(number)
	if int(-number.Exponent) > in.Digits() {
		problem := fmt.Sprintf("The amount %s has more than %d decimal places, the maximum for %s.", amount, in.Digits(), in)

		return Money{}, ErrScale.WithMessage("%s", problem).WithField("amount", problem)
	}

	return m, nil
}

// Zero is nothing of a currency.
func Zero(in Currency) Money { return Money{Amount: "0.00", Currency: in} }

// OfUnits is a count of the smallest units of a currency: 1250 cents are 12.50 USD.
func OfUnits(units int64, in Currency) Money {
	number := apd.New(units, int32(-in.Digits())) //nolint:gosec // a few digits

	return Money{Amount: normalForm(number.Text('f')), Currency: in}
}

// String is the amount with its currency, as people read it: 12.50 USD, 85000 JPY.
func (m Money) String() string { return m.Amount.In(m.Currency) + " " + string(m.Currency) }

// Units returns the amount in the smallest unit of its currency, false if it is no whole number of them or does not fit.
func (m Money) Units() (int64, bool) {
	number, err := m.number()
	if err != nil {
		return 0, false
	}
	units, whole := scaleToUnits(number, m.Currency.Digits())
	if !whole || !units.IsInt64() {
		return 0, false
	}

	return units.Int64(), true
}

// Sum adds amounts of one currency; of none it is zero. Its errors are those of Add.
func Sum(in Currency, all ...Money) (Money, error) {
	sum := Zero(in)
	for _, m := range all {
		var err error
		if sum, err = sum.Add(m); err != nil {
			return Money{}, err
		}
	}

	return sum, nil
}

// Add returns m + other, or ErrMismatch or ErrTooLarge.
func (m Money) Add(other Money) (Money, error) { return m.calculate(other, (*apd.Context).Add) }

// Sub returns m - other, or ErrMismatch or ErrTooLarge.
func (m Money) Sub(other Money) (Money, error) { return m.calculate(other, (*apd.Context).Sub) }

// Mul returns the amount times a decimal number ("0.15", "-1", "1250.5"), exactly, or ErrTooLarge. It is to be rounded.
func (m Money) Mul(by Amount) (Money, error) {
	return m.calculate(Money{Amount: by, Currency: m.Currency}, (*apd.Context).Mul)
}

// Neg returns the amount with the other sign.
func (m Money) Neg() (Money, error) { return m.Mul("-1.00") }

// Sign is -1, 0 or 1. None has the sign 0.
func (m Money) Sign() int {
	number, err := m.number()
	if err != nil {
		return 0
	}

	return number.Sign()
}

// Compare is -1, 0 or 1 as m is less than, equal to or greater than other, or ErrMismatch.
func (m Money) Compare(other Money) (int, error) {
	a, b, err := m.pair(other)
	if err != nil {
		return 0, err
	}

	return a.Cmp(b), nil
}

// Rounding says where an amount goes that lies in the middle between two that can be paid.
type Rounding string

// The ways of rounding.
const (
	// HalfUp rounds half a cent away from zero, as invoices do: 0.125 is 0.13.
	HalfUp = Rounding(apd.RoundHalfUp)
	// HalfEven rounds half a cent to the even one: 0.125 is 0.12, and 0.135 is 0.14.
	HalfEven = Rounding(apd.RoundHalfEven)
)

// Round returns the nearest amount that can be paid in the currency.
func (m Money) Round(how Rounding) (Money, error) {
	number, err := m.number()
	if err != nil {
		return Money{}, err
	}
	context := exactContext()
	context.Rounding = apd.Rounder(how)
	context.Traps &^= apd.Inexact
	if _, err := context.Quantize(number, number, int32(-m.Currency.Digits())); err != nil { //nolint:gosec // a few digits
		return Money{}, ErrTooLarge
	}

	return m.newAmount(number)
}

// Split shares the amount out equally among n, which is 1 or more. The parts add up to it, and differ by one of the smallest unit
// at most, the larger ones first. It returns ErrScale for an amount that is not rounded.
func (m Money) Split(n int) ([]Money, error) {
	weights := make([]Amount, max(n, 0))
	for i := range weights {
		weights[i] = "1.00"
	}

	return m.Allocate(weights...)
}

// Allocate shares the amount out in proportion to weights. The parts add up to it; what is left after each had its whole units goes
// to those that lost the largest remainders, the first of equal ones first. A weight of zero gets nothing. It returns ErrScale for
// an amount that is not rounded, and ErrWeights.
func (m Money) Allocate(weights ...Amount) ([]Money, error) {
	number, err := m.number()
	if err != nil {
		return nil, err
	}
	digits := m.Currency.Digits()
	units, ok := scaleToUnits(number, digits)
	if !ok {
		return nil, ErrScale
	}
	shares, total := make([]*big.Int, len(weights)), new(big.Int)
	for i, weight := range weights {
		w, err := Money{Amount: weight, Currency: m.Currency}.number()
		if err != nil {
			return nil, err
		}
		if w.Sign() < 0 {
			return nil, ErrWeights
		}
		shares[i], _ = scaleToUnits(w, field.FractionDigits)
		total.Add(total, shares[i])
	}
	if total.Sign() == 0 {
		return nil, ErrWeights
	}
	parts := make([]Money, len(weights))
	for i, share := range largestRemainder(units, total, shares) {
		coefficient := new(apd.BigInt).SetMathBigInt(share)
		if parts[i], err = m.newAmount(apd.NewWithBigInt(coefficient, int32(-digits))); err != nil { //nolint:gosec // a few digits
			return nil, err
		}
	}

	return parts, nil
}

// largestRemainder shares units out in proportion to weights, of which total is the sum.
func largestRemainder(units, total *big.Int, weights []*big.Int) []*big.Int {
	left := new(big.Int).Abs(units)
	parts, remainders := make([]*big.Int, len(weights)), make([]*big.Int, len(weights))
	for i, weight := range weights {
		product := new(big.Int).Mul(new(big.Int).Abs(units), weight)
		parts[i], remainders[i] = new(big.Int).QuoRem(product, total, new(big.Int))
		left.Sub(left, parts[i])
	}
	for ; left.Sign() > 0; left.Sub(left, big.NewInt(1)) {
		most := 0
		for i := range remainders {
			if remainders[i].Cmp(remainders[most]) > 0 {
				most = i
			}
		}
		parts[most].Add(parts[most], big.NewInt(1))
		remainders[most] = new(big.Int)
	}
	if units.Sign() < 0 {
		for _, part := range parts {
			part.Neg(part)
		}
	}

	return parts
}

// scaleToUnits is a number as a count of units of so many digits after the point, false if it is no whole count.
func scaleToUnits(number *apd.Decimal, digits int) (*big.Int, bool) {
	units := new(apd.Decimal)
	if _, err := exactContext().Quantize(units, number, int32(-digits)); err != nil { //nolint:gosec // at most 18
		return nil, false
	}
	count := units.Coeff.MathBigInt()
	if units.Negative {
		count.Neg(count)
	}

	return count, true
}

func (m Money) calculate(other Money, do func(c *apd.Context, made, a, b *apd.Decimal) (apd.Condition, error)) (Money, error) {
	a, b, err := m.pair(other)
	if err != nil {
		return Money{}, err
	}
	made := new(apd.Decimal)
	if _, err := do(exactContext(), made, a, b); err != nil {
		return Money{}, ErrTooLarge
	}

	return m.newAmount(made)
}

func (m Money) pair(other Money) (a, b *apd.Decimal, err error) {
	if m.Currency != other.Currency {
		return nil, nil, ErrMismatch.WithMessage("The amounts are in %s and in %s.", m.Currency, other.Currency)
	}
	if a, err = m.number(); err != nil {
		return nil, nil, err
	}
	b, err = other.number()

	return a, b, err
}

// number is the amount to reckon with. It fails where there is none.
func (m Money) number() (*apd.Decimal, error) {
	number, _, err := apd.NewFromString(string(m.Amount))
	if err != nil || number.Form != apd.Finite {
		return nil, fmt.Errorf("%q is no amount", m.Amount)
	}

	return number, nil
}

// newAmount is an amount in the currency of m.
func (m Money) newAmount(number *apd.Decimal) (Money, error) {
	amount, err := ParseAmount(number.Text('f'))
	if err != nil {
		return Money{}, ErrTooLarge
	}

	return Money{Amount: amount, Currency: m.Currency}, nil
}

// exactContext is exact, or fails: two amounts of 36 digits have a product of 72.
func exactContext() *apd.Context {
	return &apd.Context{
		Precision: 80, MaxExponent: 1_000, MinExponent: -1_000, Rounding: apd.RoundHalfUp, Traps: apd.DefaultTraps | apd.Inexact,
	}
}
