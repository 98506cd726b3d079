package listing_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/listing"
	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

const now = 2026

var parser = sync.OnceValues(func() (*listing.Parser, error) {
	d, err := vpic.Open("").Data()
	if err != nil {
		return nil, err
	}

	return listing.New(d), nil
})

func parse(tb testing.TB, text string) []vehiclesapi.Listed {
	tb.Helper()
	p, err := parser()
	require.NoError(tb, err)
	found, err := p.Parse(text, now)
	require.NoError(tb, err)

	return found
}

// short is a vehicle on one line: count, year, make, model, trim, type, whether it runs, conditions.
func short(v vehiclesapi.Listed) string {
	year, runs := "-", ""
	if v.Year != nil {
		year = strconv.Itoa(*v.Year)
	}
	if v.Operable != nil {
		runs = map[bool]string{true: " runs", false: " inop"}[*v.Operable]
	}
	conditions := strings.Join(append([]string{""}, v.Conditions...), " ")

	return fmt.Sprintf("%d %s %s|%s|%s %s%s%s", v.Count, year, v.Make, v.Model, v.Trim, v.Type, runs, conditions)
}

func TestParse_ReadsVehicles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"2012 BMW X6 INOP":                  {"1 2012 BMW|X6| suv inop"},
		"05 f150 crew cab":                  {"1 2005 Ford|F-150| pickup"},
		"Harley Davidson Street Glide 2019": {"1 2019 Harley-Davidson|Street Glide| motorcycle"},
		"1HGCM82633A004352":                 {"1 2003 Honda|Accord|EX-V6 coupe"},
		"boat 24ft on trailer":              {"1 - || boat"},
		// Aliases and spellings.
		"'98 vw jetta":                           {"1 1998 Volkswagen|Jetta| sedan"},
		"2018 merc c300":                         {"1 2018 Mercedes-Benz|C-Class| sedan"},
		"range rover sport 2016 runs and drives": {"1 2016 Land Rover|Range Rover Sport| suv runs"},
		"toyota 4 runner 2010 non-runner":        {"1 2010 Toyota|4Runner| suv inop"},
		"2017 Lexus RX350":                       {"1 2017 Lexus|RX| suv"},
		"town & country 2012":                    {"1 2012 Chrysler|Town and Country| minivan"},
		"Mazda 3 2011":                           {"1 2011 Mazda|Mazda3| hatchback"},
		"x6 bmw":                                 {"1 - BMW|X6| suv"},
		"2015 Dodge Ram 1500 Laramie":            {"1 2015 Ram|1500|Laramie pickup"},
		"2005 Dodge Ram 2500":                    {"1 2005 Dodge|Ram|2500 pickup"},
		"2022 Rivian R1T":                        {"1 2022 Rivian|R1T| pickup"},
		// The make that is written stands.
		"2016 Mercedes-Benz E350":               {"1 2016 Mercedes-Benz|E-Class| sedan"},
		"2019 MERCEDES-BENZ GLC":                {"1 2019 Mercedes-Benz|GLC-Class| suv"},
		"2019 Mercedes-Benz GLC 300":            {"1 2019 Mercedes-Benz|GLC-Class| suv"},
		"2020 Mercedes GLE 350":                 {"1 2020 Mercedes-Benz|GLE-Class| suv"},
		"2018 Mercedes-AMG C63 S":               {"1 2018 Mercedes-Benz|C-Class| sedan"},
		"2014 Mercedes-Benz CLS550":             {"1 2014 Mercedes-Benz|CLS-Class| sedan"},
		"E350 mercedes 2016":                    {"1 2016 Mercedes-Benz|E-Class| sedan"},
		"2016 Mercedes-Benz F150":               {"1 2016 Mercedes-Benz|F150| other"},
		"2010 Ford E-350":                       {"1 2010 Ford|E-350| van"},
		"2013 BMW 328":                          {"1 2013 BMW|3 Series| sedan"},
		"2013 BMW 328i":                         {"1 2013 BMW|328i| sedan"},
		"2015 BMW 5 series":                     {"1 2015 BMW|5 Series| sedan"},
		"2010 Mazda Miata":                      {"1 2010 Mazda|MX-5| convertible"},
		"2018 Lexus NX300h":                     {"1 2018 Lexus|NX| suv"},
		"2012 Infiniti G37x":                    {"1 2012 Infiniti|G37| coupe"},
		"2018 Rolls-Royce Ghost":                {"1 2018 Rolls-Royce|Ghost| sedan"},
		"2016 Land Rover LR4":                   {"1 2016 Land Rover|LR4| suv"},
		"2019 Ram 1500":                         {"1 2019 Ram|1500| pickup"},
		"2008 Yamaha R6":                        {"1 2008 Yamaha|YZF-R6| motorcycle"},
		"RECREATIONAL VEHICLE (RV)":             {"1 - || rv"},
		"2015 F150 near Honda dealer":           {"1 2015 Ford|F-150| pickup"},
		"2012 Toyota Camry 1HGCM82633A004352":   {"1 2012 Toyota|Camry| sedan"},
		"1973 Chevrolet Corvette 1Z37J3S400777": {"1 1973 Chevrolet|Corvette| coupe"},
		// Counts, and several vehicles.
		"2x 2015 Chevy Silverado 1500 LT, no keys":                          {"2 2015 Chevrolet|Silverado|1500 LT pickup inop no_keys"},
		"2012 BMW X6 2015 Honda Civic":                                      {"1 2012 BMW|X6| suv", "1 2015 Honda|Civic| sedan"},
		"three 2020 Toyota Camry SE and 2 2019 Honda CR-V EX-L":             {"3 2020 Toyota|Camry|SE sedan", "2 2019 Honda|CR-V|EX-L suv"},
		"2003 Honda Accord\nVIN 1HGCM82633A004352\nno keys, needs forklift": {"1 2003 Honda|Accord|EX-V6 coupe inop no_keys forklift"},
		"2014 Honda Accord\n1HGCM82633A004352":                              {"1 2014 Honda|Accord| sedan", "1 2003 Honda|Accord|EX-V6 coupe"},
		// Conditions.
		"2011 ford f-350 drw lariat wont start": {"1 2011 Ford|F-350|Lariat dually inop no_start"},
		"BMW 328i 2013 rolls steers":            {"1 2013 BMW|328i| sedan rolls steers"},
		"2500 ram 2019 dually":                  {"1 2019 Ram|2500| dually"},
		// Other than cars.
		"2016 Indian Scout":                         {"1 2016 Indian Motorcycle|Scout| motorcycle"},
		"2007 Kawasaki Ninja 250":                   {"1 2007 Kawasaki|Ninja 250| motorcycle"},
		"Polaris RZR 2018":                          {"1 2018 Polaris|RZR| atv"},
		"2016 Forest River Wildwood travel trailer": {"1 2016 Forest River|Wildwood| travel_trailer"},
		"2001 Freightliner Columbia day cab":        {"1 2001 Freightliner|Columbia| truck"},
		"2013 Volvo VNL 670 sleeper":                {"1 2013 Volvo Truck|VNL| truck"},
		"excavator CAT 320":                         {"1 - Caterpillar|320| heavy_equipment"},
		"jet ski 2 seater":                          {"1 - || boat"},
		"1967 Ford Mustang fastback":                {"1 1967 Ford|Mustang| coupe"},
		"69 camaro convertible":                     {"1 1969 Chevrolet|Camaro| convertible"},
		// Junk.
		"":                {},
		"asdkjh qwe":      {},
		"2015":            {},
		"\xff\x00 ;;; ,,": {},
		"no keys":         {},
	} {
		got := []string{}
		for _, v := range parse(t, text) {
			got = append(got, short(v))
		}
		require.Equal(t, append([]string{}, want...), got, text)
	}
}

func TestParse_SaysHowSureItIs(t *testing.T) {
	t.Parallel()
	confidence := func(text string) float64 { return parse(t, text)[0].Confidence }
	require.InDelta(t, 1, confidence("1HGCM82633A004352"), 0)
	require.GreaterOrEqual(t, confidence("2012 BMW X6"), 0.9)
	require.Less(t, confidence("2005 Rivian R1T"), confidence("2022 Rivian R1T"), "it was not made then")
	require.Less(t, confidence("f150"), confidence("2005 Ford F-150"))
	for _, text := range []string{"2016 Mercedes-Benz F150", "2019 Lexus Mazda3x", "2012 Toyota Camry 1HGCM82633A004352", "2016 Kia Zzz"} {
		require.Less(t, confidence(text), 0.8, text)
		require.False(t, parse(t, text)[0].Known, text)
	}
	require.Equal(t, "1Z37J3S400777", parse(t, "1973 Chevrolet Corvette 1Z37J3S400777")[0].VIN)
	require.LessOrEqual(t, confidence("boat 24ft on trailer"), 0.2)
	require.Equal(t, "24ft on", parse(t, "boat 24ft on trailer")[0].Rest)
}

func TestIdentify_KeepsWhatCameApart(t *testing.T) {
	t.Parallel()
	p, err := parser()
	require.NoError(t, err)
	for _, c := range []struct {
		of    vehiclesapi.Named
		want  string
		known bool
	}{
		{vehiclesapi.Named{Year: 2016, Make: "Mercedes-Benz", Model: "E350"}, "1 2016 Mercedes-Benz|E-Class| sedan", true},
		{vehiclesapi.Named{Year: 2019, Make: "MERCEDES-BENZ", Model: "GLC"}, "1 2019 Mercedes-Benz|GLC-Class| suv", true},
		{vehiclesapi.Named{Year: 2019, Make: "Mercedes Benz", Model: "GLC 300"}, "1 2019 Mercedes-Benz|GLC-Class| suv", true},
		{vehiclesapi.Named{Year: 2016, Make: "Mercedes", Model: "Ford Mustang"}, "1 2016 Mercedes-Benz|Ford Mustang| other", false},
		{vehiclesapi.Named{Year: 2015, Make: "Chevy", Model: "Silverado 1500 LT"}, "1 2015 Chevrolet|Silverado 1500 LT| pickup", true},
		{vehiclesapi.Named{Year: 2015, Make: "Ford", Model: "Ford F-350 DRW"}, "1 2015 Ford|Ford F-350 DRW| dually", true},
		{vehiclesapi.Named{Year: 2016, Make: "Range Rover", Model: "Sport"}, "1 2016 Land Rover|Range Rover Sport| suv", true},
		{vehiclesapi.Named{Year: 2008, Make: "Yamaha", Model: "R6"}, "1 2008 Yamaha|YZF-R6| motorcycle", true},
		{vehiclesapi.Named{Make: "Tata", Model: "Nano", Kind: "Hatchback"}, "1 - Tata|Nano| hatchback", false},
		{vehiclesapi.Named{Year: 2016, Make: "Kia", Model: "Zzz", Kind: "SUV / Crossover"}, "1 2016 Kia|Zzz| suv", false},
		{vehiclesapi.Named{Year: 2003, Make: "Honda", Model: "Accord", VIN: "1HGCM82633A004352"}, "1 2003 Honda|Accord|EX-V6 coupe", true},
		{vehiclesapi.Named{Year: 2003, Make: "Toyota", Model: "Camry", VIN: "1HGCM82633A004352"}, "1 2003 Toyota|Camry| sedan", false},
		{vehiclesapi.Named{Year: 1973, Make: "Chevrolet", Model: "Corvette", VIN: "1Z37J3S400777"}, "1 1973 Chevrolet|Corvette| coupe", true},
		{vehiclesapi.Named{VIN: "1HGCM82633A004352"}, "1 2003 Honda|Accord|EX-V6 coupe", true},
	} {
		got, err := p.Identify(c.of, now)
		require.NoError(t, err)
		require.Equal(t, c.want, short(got), c.of)
		require.Equal(t, c.known, got.Known, c.of)
		require.Equal(t, c.known, got.Confidence >= 0.8, c.of)
	}
}

func TestModelAliases_AreOfModels(t *testing.T) {
	t.Parallel()
	for of, names := range listing.ModelAliases() {
		for alias := range names {
			got := parse(t, of+" "+alias)
			require.NotEmpty(t, got, of+" "+alias)
			require.True(t, got[0].Known, of+" "+alias)
			require.Equal(t, of, got[0].Make, alias)
		}
	}
}

func TestParse_IsBoundedForLongTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("x", 1_000_000), strings.Repeat("2012 BMW X6\n", 80_000), strings.Repeat("bmw ", 250_000), strings.Repeat(",;'\n", 250_000),
		strings.Repeat("2015 2016 ", 100_000),
	} {
		found := parse(t, text)
		require.LessOrEqual(t, len(found), listing.MostVehicles)
		for _, v := range found {
			require.LessOrEqual(t, len(v.Text)+len(v.Rest), 1000)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"2x 05 f150, no keys\n1HGCM82633A004352", "'98 vw & 3 series bmw", "\xff’12", "town & country;;qty 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range parse(t, text) {
			require.Positive(t, v.Count)
			require.True(t, v.Type.Known())
			require.GreaterOrEqual(t, v.Confidence, 0.0)
			require.LessOrEqual(t, v.Confidence, 1.0)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	parse(b, "")
	for b.Loop() {
		parse(b, "2x 2015 Chevy Silverado 1500 LT, no keys")
	}
}
