package terms_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/money"
)

const usd = money.Currency("USD")

func dollars(amounts ...money.Amount) (all []money.Money) {
	for _, a := range amounts {
		all = append(all, money.Money{Amount: a, Currency: usd})
	}

	return all
}

func TestTotal_RoundsTaxesOverTheDocumentOrTheLine(t *testing.T) {
	t.Parallel()
	nets, rates := dollars("55.55", "11.11"), []terms.Rate{{Code: "vat", Percent: "23.00"}}
	document, err := terms.Total(usd, nets, rates, terms.PerDocument)
	require.NoError(t, err)
	require.Equal(t, money.Amount("15.33"), document.Tax.Amount)
	require.Equal(t, money.Amount("81.99"), document.Total.Amount)
	line, err := terms.Total(usd, nets, rates, terms.PerLine)
	require.NoError(t, err)
	require.Equal(t, money.Amount("15.34"), line.Tax.Amount)
}

func TestTotal_RoundsTheNetAmountOfALineBeforeItIsAdded(t *testing.T) {
	t.Parallel()
	// 16 × 348.35 less 4 % is 5350.656. Whoever taxes that gets 6527.80; a document whose lines add up gets 6527.81.
	net, err := terms.Net("16.00", money.Money{Amount: "348.35", Currency: usd}, "4.00")
	require.NoError(t, err)
	require.Equal(t, money.Amount("5350.66"), net.Amount)
	total, err := terms.Total(usd, []money.Money{net}, []terms.Rate{{Code: "vat", Percent: "22.00"}}, terms.PerDocument)
	require.NoError(t, err)
	require.Equal(t, money.Amount("1177.15"), total.Tax.Amount)
	require.Equal(t, money.Amount("6527.81"), total.Total.Amount)
}

func TestTotal_AddsTaxesOfSeveralRates(t *testing.T) {
	t.Parallel()
	total, err := terms.Total(usd, dollars("99.00", "-33.33"), []terms.Rate{{Code: "gst", Percent: "5.00"}, {Code: "qst", Percent: "9.975"}}, terms.PerDocument)
	require.NoError(t, err)
	require.Equal(t, []terms.Tax{
		{Rate: terms.Rate{Code: "gst", Percent: "5.00"}, Base: "65.67", Amount: "3.28"},
		{Rate: terms.Rate{Code: "qst", Percent: "9.975"}, Base: "65.67", Amount: "6.55"},
	}, total.Taxes)
	require.Equal(t, money.Amount("75.50"), total.Total.Amount)
}

func line(amount money.Amount) terms.Line { return terms.Line{Amount: amount} }

func TestSettle_NeverBillsLessThanZero(t *testing.T) {
	t.Parallel()
	billed, left, err := terms.Settle(usd, []terms.Line{line("-50.00"), line("30.00"), line("-5.00")})
	require.NoError(t, err)
	require.Equal(t, []terms.Line{line("-30.00"), line("30.00")}, billed)
	require.Equal(t, []terms.Line{line("-20.00"), line("-5.00")}, left)
}

func sum(t require.TestingT, lines ...terms.Line) money.Money {
	var all []money.Money
	for _, l := range lines {
		all = append(all, dollars(l.Amount)...)
	}
	total, err := money.Sum(usd, all...)
	require.NoError(t, err)

	return total
}

func TestSettle_LosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []terms.Line
		for _, units := range rapid.SliceOf(rapid.Int64Range(-10_000, 10_000)).Draw(t, "units") {
			lines = append(lines, line(money.OfUnits(units, usd).Amount))
		}
		billed, left, err := terms.Settle(usd, lines)
		require.NoError(t, err)
		require.GreaterOrEqual(t, sum(t, billed...).Sign(), 0)
		require.Equal(t, sum(t, lines...), sum(t, append(billed, left...)...))
		if len(left) > 0 {
			require.Zero(t, sum(t, billed...).Sign(), "credits are left only if everything else is paid")
		}
	})
}

func TestCreditParts_AddUpToTheInvoice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		net := money.OfUnits(rapid.Int64Range(1, 100_000).Draw(t, "net"), usd)
		total, err := terms.Total(usd, []money.Money{net}, []terms.Rate{{Code: "a", Percent: "5.00"}, {Code: "b", Percent: "9.975"}}, terms.PerDocument)
		require.NoError(t, err)
		units, _ := total.Total.Units()
		sums := dollars("0.00", "0.00", "0.00")
		for before := int64(0); before < units; {
			credit := rapid.Int64Range(1, units-before).Draw(t, "credit")
			parts, err := terms.CreditParts(usd, net.Amount, total.Taxes, money.OfUnits(before, usd), money.OfUnits(credit, usd))
			require.NoError(t, err)
			together, err := money.Sum(usd, parts...)
			require.NoError(t, err)
			require.Equal(t, money.OfUnits(credit, usd), together)
			for i := range parts {
				sums[i], err = sums[i].Add(parts[i])
				require.NoError(t, err)
			}
			before += credit
		}
		require.Equal(t, dollars(net.Amount, total.Taxes[0].Amount, total.Taxes[1].Amount), sums)
	})
}
