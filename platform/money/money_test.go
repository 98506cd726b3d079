package money_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/money"
)

func usd(t require.TestingT, text string) money.Money { return of(t, text, "USD") }

func of(t require.TestingT, text string, in money.Currency) money.Money {
	amount, err := money.ParseAmount(text)
	require.NoError(t, err)

	return money.Money{Amount: amount, Currency: in}
}

// payable draws an amount that can be paid in a currency.
func payable(t *rapid.T, in money.Currency) money.Money {
	drawn := of(t, rapid.StringMatching(`-?[0-9]{1,15}(\.[0-9]{1,6})?`).Draw(t, "amount"), in)
	rounded, err := drawn.Round(money.HalfUp)
	require.NoError(t, err)

	return rounded
}

func currencies() *rapid.Generator[money.Currency] {
	return rapid.SampledFrom([]money.Currency{"USD", "CAD", "JPY", "KWD"})
}

func rat(t require.TestingT, m money.Money) *big.Rat {
	r, ok := new(big.Rat).SetString(string(m.Amount))
	require.True(t, ok)

	return r
}

func TestOf_RefusesWhatCannotBePaid(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]money.Money{
		"85000 JPY": {Amount: "85000.00", Currency: "JPY"}, "12.50 USD": {Amount: "12.50", Currency: "USD"}, "1.500 KWD": {Amount: "1.50", Currency: "KWD"},
		"-3 JPY": {Amount: "-3.00", Currency: "JPY"}, "0.00 USD": {Amount: "0.00", Currency: "USD"}, "1.005 USD": {Amount: "1.005", Currency: "USD"},
	} {
		require.Equal(t, want, m.String())
	}
	for text, in := range map[string]money.Currency{"1.005": "USD", "0.1": "JPY", "0.0001": "KWD"} {
		_, err := money.Of(of(t, text, in).Amount, in)
		require.ErrorIs(t, err, money.ErrScale, text)
	}
	for text, in := range map[string]money.Currency{"1.50": "USD", "1200": "JPY", "1.125": "KWD", "-0.5": "USD", "100": "USD"} {
		made, err := money.Of(of(t, text, in).Amount, in)
		require.NoError(t, err, text)
		require.Equal(t, of(t, text, in), made)
	}
	_, err := money.Of("", "USD")
	require.Error(t, err)
}

func TestRound_GoesToTheNearestAmountThatCanBePaid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		given        string
		in           money.Currency
		up, halfEven string
	}{
		{"0.125", "USD", "0.13", "0.12"},
		{"0.135", "USD", "0.14", "0.14"},
		{"-0.125", "USD", "-0.13", "-0.12"},
		{"0.1251", "USD", "0.13", "0.13"},
		{"-0.004", "USD", "0.00", "0.00"},
		{"12.5", "JPY", "13.00", "12.00"},
		{"1.0005", "KWD", "1.001", "1.00"},
	} {
		up, err := of(t, tc.given, tc.in).Round(money.HalfUp)
		require.NoError(t, err)
		require.Equal(t, of(t, tc.up, tc.in), up, tc.given)
		even, err := of(t, tc.given, tc.in).Round(money.HalfEven)
		require.NoError(t, err)
		require.Equal(t, of(t, tc.halfEven, tc.in), even, tc.given)
	}
}

func TestRound_IsAtMostHalfAUnitAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := of(t, rapid.StringMatching(`-?[0-9]{1,15}(\.[0-9]{1,9})?`).Draw(t, "amount"), currencies().Draw(t, "currency"))
		how := rapid.SampledFrom([]money.Rounding{money.HalfUp, money.HalfEven}).Draw(t, "rounding")
		rounded, err := m.Round(how)
		require.NoError(t, err)
		_, err = money.Of(rounded.Amount, rounded.Currency)
		require.NoError(t, err)
		off := new(big.Rat).Sub(rat(t, m), rat(t, rounded))
		half := new(big.Rat).SetFrac64(1, 2)
		for range m.Currency.Digits() {
			half.Quo(half, big.NewRat(10, 1))
		}
		require.LessOrEqual(t, off.Abs(off).Cmp(half), 0)
		again, err := rounded.Round(how)
		require.NoError(t, err)
		require.Equal(t, rounded, again)
	})
}

func TestArithmetic_IsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := currencies().Draw(t, "currency")
		a, b := payable(t, in), payable(t, in)
		sum, err := a.Add(b)
		require.NoError(t, err)
		require.Zero(t, rat(t, sum).Cmp(new(big.Rat).Add(rat(t, a), rat(t, b))))
		back, err := sum.Sub(b)
		require.NoError(t, err)
		require.Equal(t, a, back)
		sign, err := a.Compare(b)
		require.NoError(t, err)
		require.Equal(t, rat(t, a).Cmp(rat(t, b)), sign)
		less, err := a.Neg()
		require.NoError(t, err)
		require.Equal(t, -a.Sign(), less.Sign())
		factor := of(t, rapid.StringMatching(`-?[0-9]{1,2}(\.[0-9]{1,4})?`).Draw(t, "factor"), in)
		product, err := a.Mul(factor.Amount)
		require.NoError(t, err)
		require.Zero(t, rat(t, product).Cmp(new(big.Rat).Mul(rat(t, a), rat(t, factor))))
	})
}

func TestArithmetic_RefusesAnotherCurrencyAndWhatHasNoRoom(t *testing.T) {
	t.Parallel()
	_, err := usd(t, "1").Add(of(t, "1", "CAD"))
	require.ErrorIs(t, err, money.ErrMismatch)
	_, err = usd(t, "1").Compare(of(t, "1", "CAD"))
	require.ErrorIs(t, err, money.ErrMismatch)
	_, err = usd(t, strings.Repeat("9", 18)).Add(usd(t, "1"))
	require.ErrorIs(t, err, money.ErrTooLarge)
	_, err = usd(t, "0.0000000001").Mul("0.0000000001")
	require.ErrorIs(t, err, money.ErrTooLarge)
	_, err = money.Money{Currency: "USD"}.Add(usd(t, "1"))
	require.Error(t, err)
	_, err = money.Sum("USD", usd(t, "1"), of(t, "1", "CAD"))
	require.ErrorIs(t, err, money.ErrMismatch)
}

func TestSum_OfNothingIsZero(t *testing.T) {
	t.Parallel()
	sum, err := money.Sum("USD")
	require.NoError(t, err)
	require.Equal(t, money.Zero("USD"), sum)
	require.Zero(t, sum.Sign())
}

func TestSplit_GivesTheFirstTheCentsThatAreLeft(t *testing.T) {
	t.Parallel()
	parts, err := usd(t, "100").Split(3)
	require.NoError(t, err)
	require.Equal(t, []money.Money{usd(t, "33.34"), usd(t, "33.33"), usd(t, "33.33")}, parts)
	parts, err = of(t, "-10", "JPY").Split(4)
	require.NoError(t, err)
	require.Equal(t, []money.Money{of(t, "-3", "JPY"), of(t, "-3", "JPY"), of(t, "-2", "JPY"), of(t, "-2", "JPY")}, parts)
}

func TestAllocate_AddsUpAndStaysWithinAUnitOfTheShare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := currencies().Draw(t, "currency")
		whole := payable(t, in)
		var weights []money.Amount
		total := new(big.Rat)
		for range rapid.IntRange(1, 9).Draw(t, "parts") {
			weight := of(t, rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,4})?`).Draw(t, "weight"), in)
			weights = append(weights, weight.Amount)
			total.Add(total, rat(t, weight))
		}
		parts, err := whole.Allocate(weights...)
		if total.Sign() == 0 {
			require.ErrorIs(t, err, money.ErrWeights)

			return
		}
		require.NoError(t, err)
		sum, err := money.Sum(in, parts...)
		require.NoError(t, err)
		require.Equal(t, whole, sum)
		unit := big.NewRat(1, 1)
		for range in.Digits() {
			unit.Quo(unit, big.NewRat(10, 1))
		}
		for i, part := range parts {
			weight := rat(t, money.Money{Amount: weights[i]})
			share := new(big.Rat).Mul(rat(t, whole), new(big.Rat).Quo(weight, total))
			off := new(big.Rat).Sub(rat(t, part), share)
			require.Negative(t, off.Abs(off).Cmp(unit))
			if weight.Sign() == 0 {
				require.Zero(t, part.Sign())
			}
		}
	})
}

func TestAllocate_RefusesWhatItCannotShareOut(t *testing.T) {
	t.Parallel()
	_, err := usd(t, "0.125").Split(2)
	require.ErrorIs(t, err, money.ErrScale)
	_, err = usd(t, "1").Split(0)
	require.ErrorIs(t, err, money.ErrWeights)
	_, err = usd(t, "1").Allocate("1.00", "-1.00")
	require.ErrorIs(t, err, money.ErrWeights)
}

// The rounding of a document's tax, per rate over the sum of its rounded lines.
func TestRound_OfTaxOverTheSumOfLines(t *testing.T) {
	t.Parallel()
	lines, err := money.Sum("USD", usd(t, "55.55"), usd(t, "11.11"))
	require.NoError(t, err)
	tax, err := lines.Mul("0.23")
	require.NoError(t, err)
	tax, err = tax.Round(money.HalfUp)
	require.NoError(t, err)
	require.Equal(t, usd(t, "15.33"), tax)
}

func TestUnits_AreWholeNumbersOfTheSmallestUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units, in := rapid.Int64().Draw(t, "units"), currencies().Draw(t, "currency")
		m := money.OfUnits(units, in)
		back, ok := m.Units()
		require.True(t, ok)
		require.Equal(t, units, back, m)
	})
	require.Equal(t, of(t, "-12.50", "USD"), money.OfUnits(-1250, "USD"))
	require.Equal(t, of(t, "1250", "JPY"), money.OfUnits(1250, "JPY"))
	require.Equal(t, of(t, "1.250", "KWD"), money.OfUnits(1250, "KWD"))
	for _, text := range []string{"0.001", "92233720368547758.08"} {
		_, ok := usd(t, text).Units()
		require.False(t, ok, text)
	}
	_, ok := money.Money{}.Units()
	require.False(t, ok)
}
