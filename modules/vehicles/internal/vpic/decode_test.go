package vpic_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

const now = 2026

var library = vpic.Open("")

func data(tb testing.TB) *vpic.Data {
	tb.Helper()
	d, err := library.Data()
	require.NoError(tb, err)

	return d
}

func decode(tb testing.TB, vin string) vehiclesapi.Decoded {
	tb.Helper()
	found, err := data(tb).Decode(vpic.Ask{VIN: vin, Now: now})
	require.NoError(tb, err)

	return found
}

func codes(d vehiclesapi.Decoded) []string {
	all := []string{}
	for _, w := range d.Warnings {
		all = append(all, w.Code)
	}

	return all
}

func TestDecode_KnowsVehicles(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]struct {
		year              int
		make, model, trim string
		typ               vehiclesapi.Type
		digit             string
		warnings          []string
	}{
		"1FTFW5L86RFB45612": {2024, "Ford", "F-150", "", vehiclesapi.Pickup, "valid", nil},
		"1FTFW4L86RFA86622": {2024, "Ford", "F-150", "", vehiclesapi.Pickup, "valid", nil},
		"1HGCM82633A004352": {2003, "Honda", "Accord", "EX-V6", vehiclesapi.Coupe, "valid", nil},
		"KM8K2CAB4PU001140": {2023, "Hyundai", "Kona", "SE", vehiclesapi.SUV, "valid", nil},
		"5YJ3E1EA7KF317000": {2019, "Tesla", "Model 3", "", vehiclesapi.Sedan, "invalid", []string{"check_digit"}},
		"1C4RJEAG2EC476429": {2014, "Jeep", "Grand Cherokee", "Laredo", vehiclesapi.SUV, "valid", nil},
		"JN1DA31D63T505967": {2003, "Nissan", "Maxima", "", vehiclesapi.Sedan, "valid", nil},
		"5UXFG2C50CL779312": {2012, "BMW", "X6", "xDrive35i", vehiclesapi.SUV, "invalid", []string{"check_digit"}},
		"1FBNE3BE1CDB23596": {2012, "Ford", "E-350", "", vehiclesapi.Van, "invalid", []string{"check_digit"}},
		"1FUJA6CV45LM12345": {2005, "Freightliner", "Columbia", "", vehiclesapi.Truck, "invalid", []string{"check_digit"}},
		"1G8AL52F03Z157046": {2003, "Saturn", "Ion", "", vehiclesapi.Sedan, "valid", nil},
		"5YJSA1E26HF000337": {2017, "Tesla", "Model S", "", vehiclesapi.Hatchback, "invalid", []string{"check_digit"}},
		"1M8GDM9AXKP042788": {1989, "Motor Coach Industries", "102C3 Intercity", "", vehiclesapi.Truck, "valid", []string{"year_uncertain"}},
		"11111111111111111": {2001, "", "", "", vehiclesapi.Other, "valid", []string{"year_uncertain", "unknown_manufacturer"}},
	} {
		t.Run(vin, func(t *testing.T) {
			t.Parallel()
			got := decode(t, strings.ToLower(vin[:5])+" "+vin[5:11]+"-"+vin[11:])
			require.Equal(t, vin, got.VIN)
			require.True(t, got.Valid)
			require.NotNil(t, got.Year)
			require.Equal(t, want.year, *got.Year)
			require.Equal(t, []string{want.make, want.model}, []string{got.Make, got.Model})
			require.Equal(t, want.typ, got.Type)
			require.Equal(t, want.digit, got.CheckDigit)
			require.Equal(t, append([]string{}, want.warnings...), codes(got))
			require.Equal(t, len(want.warnings) > 0 && want.warnings[0] == "year_uncertain", got.YearUncertain)
			if want.trim != "" {
				require.Equal(t, want.trim, got.Trim)
			}
		})
	}
}

func TestDecode_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]vehiclesapi.Problem{
		"1HGCM82633AO04352":    {Position: 12, Character: "O", Hint: "0", Message: "O is not used in VINs: 0?"},
		"IHGCM82633A004352":    {Position: 1, Character: "I", Hint: "1", Message: "I is not used in VINs: 1?"},
		"1HGCM82633A0Q4352":    {Position: 13, Character: "Q", Hint: "0", Message: "Q is not used in VINs: 0?"},
		"1HGСM82633A004352":    {Position: 4, Character: "С", Hint: "C", Message: "С (U+0421) is not a Latin letter: C?"},
		"1HGCM82633Α004352":    {Position: 11, Character: "Α", Hint: "A", Message: "Α (U+0391) is not a Latin letter: A?"},
		"1HGCM8２633A004352":    {Position: 7, Character: "２", Hint: "2", Message: "２ (U+FF12) is a full-width character: 2?"},
		"1HGCM82633A00435!":    {Position: 17, Character: "!", Message: "! cannot be in a VIN: only A to Z without I, O and Q, and 0 to 9."},
		"1HGCM82633A0043521":   {Message: "The VIN has 18 characters. It must have 17."},
		"":                     {Message: "The VIN has 0 characters. It must have 17."},
		"1HG":                  {Message: "The VIN has 3 characters. It must have 17."},
		"1HGCM82633A00435\xff": {Position: 17, Character: "U+FFFD", Message: "Character 17 cannot be in a VIN."},
	} {
		got := decode(t, vin)
		require.False(t, got.Valid, vin)
		require.Equal(t, []vehiclesapi.Problem{want}, got.Problems, vin)
		require.Empty(t, got.Make)
	}
	require.False(t, decode(t, strings.Repeat("1HGCM", 200_000)).Valid)
}

func TestDecode_TakesParts(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]struct {
		model    string
		warnings []string
	}{
		"1HGCM826*3A004352": {"Accord", []string{"partial"}},
		"1HGCM82633*******": {"Accord", []string{"partial"}},
		"1HGCM82633A00435":  {"Accord", []string{"partial"}},
		"1HGCM826":          {"Accord", []string{"partial", "year_uncertain"}},
		"1HGCM82633A00":     {"", []string{"legacy"}},
		"6R09C100001":       {"", []string{"legacy"}},
		"12345":             {"", []string{"legacy"}},
	} {
		got := decode(t, vin)
		require.True(t, got.Valid, vin)
		require.Equal(t, want.model, got.Model, vin)
		require.Equal(t, want.warnings, codes(got), vin)
		require.Equal(t, "unknown", got.CheckDigit, vin)
	}
}

func TestDecode_LeavesVINsFromBefore1981(t *testing.T) {
	t.Parallel()
	for _, vin := range []string{"1Z37J3S400777", "1Q87T3N100777", "6R09C100777", "9O2Y12IQ7777", "WP29-23B-777777"} {
		got := decode(t, vin)
		require.True(t, got.Valid, vin)
		require.Empty(t, got.Problems, vin)
		require.Equal(t, []string{"legacy"}, codes(got), vin)
		require.Empty(t, got.Make+got.Model, vin)
		require.Equal(t, vehiclesapi.Other, got.Type, vin)
		checked := data(t).Check(vin)
		require.True(t, checked.Legacy, vin)
		require.Empty(t, checked.Problems, vin)
		require.False(t, checked.Mandatory, vin)
	}
	by := func(vin string, year int) vehiclesapi.Decoded {
		got, err := data(t).Decode(vpic.Ask{VIN: vin, Year: year, Now: now})
		require.NoError(t, err)

		return got
	}
	require.Equal(t, []string{"legacy"}, codes(by("9F02QI3456", 1979)), "by its year")
	require.Equal(t, 1979, *by("9F02QI3456", 1979).Year)
	require.Equal(t, "Accord", by("1HGCM82633A0", 2003).Model, "a part of one, by its year")
	require.False(t, by("1Q87T3N100777", 1999).Valid)
	require.Contains(t, codes(by("1HGCM82633A004352", 1973)), "year_differs", "with 17 characters, it is no such VIN")
}

func TestDecode_KnowsVINsFromElsewhere(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]struct {
		years         []int // none if the year is not known
		make, country string
	}{
		"WVGZZZ5NZEW000777": {[]int{2014}, "Volkswagen", "Germany"},
		"YV1MC5851CJ000777": {[]int{2012}, "Volvo", "Sweden"},
		"4P1BAAGF0RA000777": {[]int{2024}, "Pierce Manufacturing", "United States"},
		"WDD2470031J000777": {nil, "Mercedes-Benz", "Germany"},
		"W1V4475031J000777": {nil, "Mercedes-Benz", "Germany"},
		"W0L0AHL3565000777": {[]int{2006}, "Opel", "Germany"},
		"NM3ZZZ5NZEW000777": {[]int{2014}, "Fiat", "Turkey"},
		"VSSZZZ5FZEW000777": {[]int{2014}, "SEAT", "Spain"},
		"TMBZZZ5NZEW000777": {[]int{2014}, "Škoda", "Czech Republic"},
		"XTA21099000000777": {nil, "Lada", "Russia"},
		"VF7ZZZ5NZEW000777": {[]int{2014}, "Citroën", "France"},
		"TMAZZZ5NZEW000777": {[]int{2014}, "Hyundai", "Czech Republic"},
		"9BWZZZ5NZEW000777": {[]int{2014}, "Volkswagen", "Brazil"},
		"6T1ZZZ5NZEW000777": {[]int{2014}, "Toyota", "Australia"},
		"XZZZZZ5NZEW000777": {nil, "", "Luxembourg"},
		"HZZZZZ5NZEW000777": {nil, "", "China"},
		"WP0ZZZ99ZTS000777": {[]int{1996}, "Porsche", "Germany"},
	} {
		got := decode(t, vin)
		require.Equal(t, want.make, got.Make, vin)
		require.Equal(t, want.country, got.Country, vin)
		require.True(t, got.YearUncertain, vin)
		require.Equal(t, want.make == "", slices.Contains(codes(got), "unknown_manufacturer"), vin)
		if len(want.years) == 0 {
			require.Nil(t, got.Year, vin)

			continue
		}
		require.NotNil(t, got.Year, vin)
		require.Contains(t, want.years, *got.Year, vin)
	}
	for vin, want := range map[string]string{"1HGCM82633A004352": "United States", "2HGES16575H000777": "Canada", "3VWDZ7AJ5DM000777": "Mexico", "KM8K2CAB4PU001140": "South Korea"} {
		require.Equal(t, want, decode(t, vin).Country, vin)
	}
}

func TestCheck_ReadsLabels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I1N6AA0ED4AN300777":    "1N6AA0ED4AN300777",
		"*1FTFW1ET5DFC00777*":   "1FTFW1ET5DFC00777",
		"*I1N6AA0ED4AN300777*":  "1N6AA0ED4AN300777",
		"i wv1zzz 7hzkh000777":  "WV1ZZZ7HZKH000777",
		"**FTFW1ET5DFC00777*":   "",
		"J1N6AA0ED4AN300777":    "",
		"1HGCM82633A0043521":    "",
		"IIN6AA0ED4AN300777":    "",
		"*1FTFW1ET5DFC0077*7*7": "",
	} {
		got := data(t).Check(text)
		require.False(t, got.Valid, text)
		if want == "" {
			require.Empty(t, got.Suggestions, text)

			continue
		}
		require.Equal(t, []string{want}, got.Suggestions, text)
		problems := decode(t, text).Problems
		require.Len(t, problems, 1, text)
		require.Equal(t, want, problems[0].Hint, text)
	}
}

func TestDecode_BelievesTheYearOfTheCaller(t *testing.T) {
	t.Parallel()
	got, err := data(t).Decode(vpic.Ask{VIN: "1HGCM82633A004352", Year: 2004, Now: now})
	require.NoError(t, err)
	require.Equal(t, 2004, *got.Year)
	require.Equal(t, []string{"year_differs"}, codes(got))
}

func TestDecode_ListsCandidatesInsteadOfGuessing(t *testing.T) {
	t.Parallel()
	got := decode(t, "1C4*************7")
	require.Empty(t, got.Make)
	require.Greater(t, len(got.PossibleMakes), 1, "several makes use this WMI")
	require.Contains(t, codes(got), "ambiguous_make")
}

func TestDecode_MayBeCalledAtTheSameTime(t *testing.T) {
	t.Parallel()
	d, err := vpic.Open("").Data()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, vin := range []string{"1FTFW5L86RFB45612", "1HGCM82633A004352", "KM8K2CAB4PU001140", "1FUJA6CV45LM12345"} {
				found, err := d.Decode(vpic.Ask{VIN: vin, Now: now})
				if err != nil || found.Model == "" {
					t.Errorf("%s: %v", vin, err)
				}
			}
		})
	}
	all.Wait()
}

func TestSuggestions_HaveARightCheckDigit(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]string{
		"IHGCM82633AOO4352": "1HGCM82633A004352",
		"1HGCM82633A00435Z": "1HGCM82633A004352",
		"1HGCM82633A004532": "",
		"1GHCM82633A004352": "1HGCM82633A004352",
	} {
		got := data(t).Check(vin)
		if want != "" {
			require.Contains(t, got.Suggestions, want, vin)
		}
		for _, s := range got.Suggestions {
			require.Equal(t, "valid", data(t).Check(s).CheckDigit)
		}
	}
	require.Equal(t, "X", data(t).Check("1M8GDM9A1KP042788").Expected)
}

func TestRead_RefusesDamagedData(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "vpic", "vpic\x00\x00\x00\x02", "vpic\x00\x00\x00\x01", "vpic\x00\x00\x00\x01\x05abcde", strings.Repeat("\xff", 100)} {
		_, err := vpic.Read(file)
		require.Error(t, err)
	}
	_, err := vpic.Open(t.TempDir() + "/none").Data()
	require.Error(t, err)
}

func TestData_IsCompleteAndReadable(t *testing.T) {
	t.Parallel()
	d, err := vpic.Open("").Data()
	require.NoError(t, err)
	n, err := d.CountPatterns()
	require.NoError(t, err, "every block")
	require.Equal(t, d.Patterns, n)
	require.Equal(t, "2026-03-12", d.Updated)
}

func TestModels_AreThoseOfTheYear(t *testing.T) {
	t.Parallel()
	d := data(t)
	found, ok := d.Models("land rover", vpic.Filter{Now: now, Year: 2016, Q: "range"})
	require.True(t, ok)
	names := []string{}
	for _, m := range found {
		require.Contains(t, m.Years, 2016)
		require.LessOrEqual(t, m.Years[len(m.Years)-1], now+2)
		names = append(names, m.Name)
	}
	require.Contains(t, names, "Range Rover Sport")
	_, ok = d.Models("no such make", vpic.Filter{Now: now})
	require.False(t, ok)
	_, _, _, ok = d.Makes(vpic.Filter{Now: now}, "no such make", 50)
	require.False(t, ok)
}

func TestMakes_ArePagedByTheLastMake(t *testing.T) {
	t.Parallel()
	filter := vpic.Filter{Now: now, Q: "ho", Type: vehiclesapi.Motorcycle}
	all, more, total, ok := data(t).Makes(filter, "", 1_000)
	require.True(t, ok)
	require.False(t, more)
	require.Len(t, all, total)
	require.Equal(t, "Honda", all[0].Name, "the one with the most models")
	require.LessOrEqual(t, *all[0].To, now+2)
	var paged []vpic.Make
	for after, more := "", true; more; after = paged[len(paged)-1].Name {
		var page []vpic.Make
		page, more, _, ok = data(t).Makes(filter, after, 3)
		require.True(t, ok)
		require.NotEmpty(t, page)
		paged = append(paged, page...)
	}
	require.Equal(t, all, paged)
}

func TestPattern_HasNoSerialNumber(t *testing.T) {
	t.Parallel()
	for vin, want := range map[string]string{
		"1HGCM82633A004352": "1HGCM826*3A",
		"1A9CM82633A123352": "1A9CM826*3A123", // the WMI of a small manufacturer is 1A9123
		"1HGCM82633A00435":  "",
		"1HGCM826*3A004352": "",
		"1HGCM82633A00435O": "",
		"":                  "",
	} {
		require.Equal(t, want, vpic.Pattern(vin), vin)
	}
}

func FuzzDecode(f *testing.F) {
	for _, vin := range []string{"1HGCM82633A004352", "1C4*", "IOQ", "1HGС", "\xff", "WDD2470031J059461", "1A9*****2**123***"} {
		f.Add(vin, 0)
	}
	f.Fuzz(func(t *testing.T, vin string, year int) {
		found, err := data(t).Decode(vpic.Ask{VIN: vin, Year: year, Now: now})
		require.NoError(t, err)
		require.NotEqual(t, found.Valid, len(found.Problems) > 0)
		require.LessOrEqual(t, len(found.PossibleModels), 10)
	})
}

func FuzzCheck(f *testing.F) {
	for _, vin := range []string{"1HGCM82633A004352", "IOQ", "1HGС", "\xff", "1HGCM82633A00435２"} {
		f.Add(vin)
	}
	f.Fuzz(func(t *testing.T, vin string) {
		got := data(t).Check(vin)
		require.False(t, got.Valid && len(got.Problems) > 0)
		for _, s := range got.Suggestions {
			require.True(t, data(t).Check(s).CheckDigit == "valid" || s == vpic.Unlabel(vpic.Normalize(vin)))
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("vpic\x00\x00\x00\x01\x05abcde")
	f.Fuzz(func(t *testing.T, file string) {
		if d, err := vpic.Read(file); err == nil {
			require.NotNil(t, d)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	d := data(b)
	for b.Loop() {
		_, err := d.Decode(vpic.Ask{VIN: "1FTFW5L86RFB45612", Now: now})
		require.NoError(b, err)
	}
}
