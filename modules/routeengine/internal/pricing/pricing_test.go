package pricing_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/pricing"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

func compiled(t require.TestingT, f pricing.Formula) *pricing.Compiled {
	c, problems := pricing.Compile(f)
	require.Empty(t, problems)

	return c
}

func accord() pricing.Transport {
	return pricing.Transport{
		Miles: "1277", Estimated: true, Type: "open", OriginState: "TX", DestState: "FL", OriginZIP3: "752", DestZIP3: "331",
		Cars: []pricing.Car{{Name: "2003 Honda Accord", Type: "sedan", Size: "medium", Operable: true}},
	}
}

func TestShipped_PricesTheExamples(t *testing.T) {
	t.Parallel()
	c := compiled(t, pricing.Shipped())
	for name, test := range map[string]struct {
		change             func(t *pricing.Transport)
		pay, fee, tariff   string
		confidence, factor string
	}{
		"without own history":  {func(*pricing.Transport) {}, "1100.00", "165.00", "1265.00", "low", "1088.90"},
		"with nine own loads":  {func(t *pricing.Transport) { t.Lane = pricing.Lane{Loads: 9, P50: "820.00"} }, "950.00", "150.00", "1100.00", "medium", "927.56"},
		"four are too few":     {func(t *pricing.Transport) { t.Lane = pricing.Lane{Loads: 4, P50: "820.00"} }, "1100.00", "165.00", "1265.00", "low", ""},
		"measured, and own":    {func(t *pricing.Transport) { t.Estimated, t.Lane = false, pricing.Lane{Loads: 9, P50: "820.00"} }, "950.00", "150.00", "1100.00", "high", ""},
		"it does not run":      {func(t *pricing.Transport) { t.Cars[0].Operable = false }, "1250.00", "187.50", "1437.50", "low", "1238.90"},
		"it is enclosed":       {func(t *pricing.Transport) { t.Type = "enclosed" }, "1650.00", "247.50", "1897.50", "low", "1633.35"},
		"it is short":          {func(t *pricing.Transport) { t.Miles = "100" }, "275.00", "150.00", "425.00", "low", "275.00"},
		"two remote ends":      {func(t *pricing.Transport) { t.RemoteEnds = 2 }, "1250.00", "187.50", "1437.50", "low", "1238.90"},
		"it is expedited":      {func(t *pricing.Transport) { t.Expedited = true }, "1325.00", "198.75", "1523.75", "low", "1306.68"},
		"beyond the last tier": {func(t *pricing.Transport) { t.Miles = "2000.5" }, "1550.00", "232.50", "1782.50", "low", "1545.30"},
	} {
		of := accord()
		test.change(&of)
		p, err := c.Apply(of, "USD")
		require.NoError(t, err, name)
		require.Equal(t, []string{test.pay, test.fee, test.tariff, test.confidence}, []string{string(p.CarrierPay), string(p.BrokerFee), string(p.Tariff), p.Confidence}, name)
		require.GreaterOrEqual(t, len(p.Cars[0].Factors)+len(p.Fee), 6)
		explained, err := p.Explain(pricing.FormulaName{Version: 7})
		require.NoError(t, err)
		require.Contains(t, string(explained), `"out":"`+test.factor, name)
	}
}

func TestApply_ExplainsEachFactor(t *testing.T) {
	t.Parallel()
	of := accord()
	of.Lane = pricing.Lane{Loads: 9, P50: "820.00"}
	p, err := compiled(t, pricing.Shipped()).Apply(of, "USD")
	require.NoError(t, err)
	factors := map[string]pricing.Applied{}
	for _, f := range p.Cars[0].Factors {
		factors[f.Key] = f
	}
	require.Equal(t, "300 at 1.10, 500 at 0.85, 477 at 0.70", factors["tiers"].Why)
	require.Nil(t, factors["tiers"].In)
	require.Equal(t, "operable is true", factors["inop"].Skipped)
	require.Equal(t, "0.6 * lane_p50 + 0.4 * amount, with amount is 1088.9, lane_p50 is 820", factors["lane"].Why)
	require.Equal(t, []string{"The miles are estimated: typically within 8 %, up to 20 % off."}, p.Warnings)
}

func TestApply_SharesToTheCentAndIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	c := compiled(t, pricing.Shipped())
	rapid.Check(t, func(t *rapid.T) {
		of := accord()
		of.Cars = nil
		for range rapid.IntRange(1, 12).Draw(t, "cars") {
			kind := rapid.SampledFrom([]string{"sedan", "suv", "van", "boat", "motorcycle"}).Draw(t, "type")
			of.Cars = append(of.Cars, pricing.Car{Name: kind, Type: kind, Size: routeengineapi.SizeOf(kind), Operable: rapid.Bool().Draw(t, "operable")})
		}
		of.Expedited = rapid.Bool().Draw(t, "expedited")
		p, err := c.Apply(of, "USD")
		require.NoError(t, err)
		sum := func(of func(pricing.CarPrice) money.Amount) money.Amount {
			all := money.Zero("USD")
			for _, one := range p.Cars {
				all, err = all.Add(money.Money{Amount: of(one), Currency: "USD"})
				require.NoError(t, err)
			}

			return all.Amount
		}
		require.Equal(t, p.CarrierPay, sum(func(c pricing.CarPrice) money.Amount { return c.CarrierPay }))
		require.Equal(t, p.BrokerFee, sum(func(c pricing.CarPrice) money.Amount { return c.BrokerFee }))
		require.Equal(t, p.Tariff, sum(func(c pricing.CarPrice) money.Amount { return c.Tariff }))
		again, err := c.Apply(of, "USD")
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

func TestCompile_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	base := pricing.Factor{Key: "base", Label: "Base", Kind: "set", Value: "100"}
	for at, test := range map[string]struct {
		factors []pricing.Factor
		says    string
	}{
		"factors":                 {nil, "at least one factor"},
		"factors.0.value":         {[]pricing.Factor{{Key: "a", Label: "A", Kind: "set", Value: "a + 1"}}, "not computed before it"},
		"factors.0.when":          {[]pricing.Factor{{Key: "a", Label: "A", Kind: "set", Value: "1", When: "b > 1"}, {Key: "b", Label: "B", Kind: "set", Value: "a"}}, "not computed before it"},
		"factors.1.value":         {[]pricing.Factor{base, {Key: "a", Label: "A", Kind: "add", Value: "price"}}, "neither an input nor an earlier factor"},
		"factors.1.key":           {[]pricing.Factor{base, base}, "taken"},
		"factors.0.key":           {[]pricing.Factor{{Key: "miles", Label: "A", Kind: "set", Value: "1"}}, "taken"},
		"factors.1.when":          {[]pricing.Factor{base, {Key: "a", Label: "A", Kind: "add", Value: "1", When: "miles"}}, "must be a boolean"},
		"factors.2.of":            {[]pricing.Factor{base, {Key: "f", Label: "F", Kind: "set", Of: "broker_fee", Value: "1"}, {Key: "c", Label: "C", Kind: "set", Value: "1"}}, "before those"},
		"factors.0.tiers":         {[]pricing.Factor{{Key: "m", Label: "M", Kind: "miles"}}, "required"},
		"factors.0.tiers.0.rate":  {[]pricing.Factor{{Key: "m", Label: "M", Kind: "miles", Tiers: []pricing.Tier{{Rate: "-1.00"}}}}, "at least 0"},
		"factors.0.tiers.1.up_to": {[]pricing.Factor{{Key: "m", Label: "M", Kind: "miles", Tiers: []pricing.Tier{{UpTo: 5, Rate: "1.00"}, {UpTo: 5, Rate: "1.00"}}}}, "order"},
		"factors.3.value":         {[]pricing.Factor{base, {Key: "b", Label: "B", Kind: "add", Value: "base"}, {Key: "c", Label: "C", Kind: "add", Value: "b"}, {Key: "d", Label: "D", Kind: "add", Value: "carrier_pay"}}, "broker fee know"},
	} {
		_, problems := pricing.Compile(pricing.Formula{Factors: test.factors})
		require.NotEmpty(t, problems, at)
		require.Equal(t, at, problems[0].Field)
		require.Contains(t, problems[0].Message, test.says)
	}
}

func TestApply_SaysWhichFactorHasNoPrice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		factor pricing.Factor
		says   string
	}{
		"division by zero": {pricing.Factor{Key: "f", Label: "F", Kind: "set", Value: "miles / (vehicles - 1)"}, "factor f: "},
		"overflow":         {pricing.Factor{Key: "f", Label: "F", Kind: "set", Value: "miles * 1000000 * 1000000"}, "more than"},
		"less than zero":   {pricing.Factor{Key: "f", Label: "F", Kind: "set", Value: "0 - miles"}, "less than nothing"},
		"no step":          {pricing.Factor{Key: "f", Label: "F", Kind: "round_up", Value: "0"}, "no step"},
		"a required input": {pricing.Factor{Key: "f", Label: "F", Kind: "set", Value: "lane_p50", Required: true}, "lane_p50 is not known"},
	} {
		_, err := compiled(t, pricing.Formula{Factors: []pricing.Factor{test.factor}}).Apply(accord(), "USD")
		require.ErrorContains(t, err, test.says, name)
	}
	p, err := compiled(t, pricing.Formula{Factors: []pricing.Factor{{Key: "f", Label: "F", Kind: "set", Value: "lane_p50"}}}).Apply(accord(), "USD")
	require.NoError(t, err)
	require.Contains(t, strings.Join(p.Warnings, " "), "F was left out: lane_p50 is not known.")
}

func TestSamples_HaveAPriceByTheShippedFormula(t *testing.T) {
	t.Parallel()
	require.Len(t, pricing.Samples(), 20)
}
