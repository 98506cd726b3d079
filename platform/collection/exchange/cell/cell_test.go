package cell_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
)

const refused = "refused"

func read(t *testing.T, kind string, f cell.Format, l cell.Locale, text string) string {
	t.Helper()
	r, ok := cell.NewReader(kind, f, l)
	require.True(t, ok, f)
	got, err := r.Read(text)
	if err != nil {
		return refused
	}

	return got
}

func TestRead_TakesDatesInTheOrderOfTheFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format cell.Format
		text   string
		want   string
	}{
		{cell.Any, "2026-05-01", "2026-05-01"},
		{cell.Any, "2026/5/1", "2026-05-01"},
		{cell.Any, "20260501", "2026-05-01"},
		{cell.Any, "05/01/2026", refused},
		{cell.Any, "05/25/2026", "2026-05-25"},
		{cell.Any, "25/05/2026", "2026-05-25"},
		{cell.Any, "05/05/2026", "2026-05-05"},
		{cell.Any, "1.5.2026", "2026-05-01"},
		{cell.Any, "1. 5. 2026", "2026-05-01"},
		{cell.Any, "May 1, 2026", "2026-05-01"},
		{cell.Any, "Friday, May 1st, 2026", "2026-05-01"},
		{cell.Any, "1-May-26", "2026-05-01"},
		{cell.Any, "1. März 2026", "2026-03-01"},
		{cell.Any, "1 de mayo de 2026", "2026-05-01"},
		{cell.Any, "46143", "2026-05-01"},
		{cell.Any, "46143.0", "2026-05-01"},
		{cell.Any, "46143.604167", "2026-05-01"},
		{cell.Any, "2026-05-01 00:00:00", "2026-05-01"},
		{cell.MonthFirst, "05/01/2026", "2026-05-01"},
		{cell.MonthFirst, "5/1/26", "2026-05-01"},
		{cell.MonthFirst, "5-1-26", "2026-05-01"},
		{cell.MonthFirst, "5/1/71", "1971-05-01"},
		{cell.MonthFirst, "25/05/2026", refused},
		{cell.MonthFirst, "1.5.2026", "2026-05-01"},
		{cell.MonthDots, "5.1.2026", "2026-05-01"},
		{cell.DayFirst, "01/05/2026", "2026-05-01"},
		{cell.DayFirst, "05/25/2026", refused},
		{cell.ISO, "05/05/2026", refused},
		{cell.MonthFirst, "13/45/2026", refused},
		{cell.MonthFirst, "02/29/2026", refused},
		{cell.MonthFirst, "soon", refused},
		{cell.MonthFirst, "123", refused},
	} {
		require.Equal(t, c.want, read(t, "date", c.format, cell.Locale{}, c.text), "%s as %s", c.text, c.format)
	}
}

func TestRead_TakesTimesWithAndWithoutDays(t *testing.T) {
	t.Parallel()
	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	there := cell.Locale{Zone: chicago}
	for _, c := range []struct{ kind, text, want string }{
		{"local_datetime", "5/1/2026 2:30 PM", "2026-05-01 14:30:00"},
		{"local_datetime", "46143.604166667", "2026-05-01 14:30:00"},
		{"local_datetime", "May 1, 2026", "2026-05-01 00:00:00"},
		{"local_datetime", "2026-05-01T14:30:00Z", refused},
		{"local_datetime", "5/1/2026 25:30", refused},
		{"datetime", "5/1/2026 14:30", "2026-05-01T19:30:00Z"},
		{"datetime", "2026-05-01T14:30:00.123456-05:00", "2026-05-01T14:30:00.123456-05:00"},
		{"datetime", "2026-05-01 14:30 +0200", "2026-05-01T14:30:00+02:00"},
		{"time", "14:30", "14:30:00"},
		{"time", "2:30pm", "14:30:00"},
		{"time", "12 a.m.", "00:00:00"},
		{"time", "0930", "09:30:00"},
		{"time", "0.604166667", "14:30:00"},
		{"time", "noon", refused},
	} {
		require.Equal(t, c.want, read(t, c.kind, cell.Format(first(c.kind)), there, c.text), "%s as %s", c.text, c.kind)
	}
}

func first(kind string) string {
	if kind == "time" {
		return ""
	}

	return string(cell.MonthFirst)
}

func TestRead_TakesNumbersWithWhatPeoplePutAroundThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   string
		format cell.Format
		text   string
		want   string
	}{
		{"decimal", cell.Any, "1250.00", "1250.00"},
		{"decimal", cell.Any, "$1,250.00", "1250.00"},
		{"decimal", cell.Any, "US$ 1,250", "1250"},
		{"decimal", cell.Any, "1.250,00 €", "1250.00"},
		{"decimal", cell.Any, "EUR 12,5", "12.5"},
		{"decimal", cell.Any, "1 250,00", "1250.00"},
		{"decimal", cell.Any, "1\u202f250,00", "1250.00"},
		{"decimal", cell.Any, "1'250.00 CHF", "1250.00"},
		{"decimal", cell.Any, "(1,200.00)", "-1200.00"},
		{"decimal", cell.Any, "($5)", "-5"},
		{"decimal", cell.Any, "-$5", "-5"},
		{"decimal", cell.Any, " $ -   ", "0"},
		{"decimal", cell.Any, "$-", "0"},
		{"decimal", cell.Any, "- €", "0"},
		{"decimal", cell.Any, " $ (75.00)", "-75.00"},
		{"decimal", cell.Any, " $ (1,075.00) ", "-1075.00"},
		{"decimal", cell.Any, " $ 1,250.00 ", "1250.00"},
		{"integer", cell.Any, "04101", "4101"},
		{"decimal", cell.Any, "$-5", "-5"},
		{"decimal", cell.Any, "1,200.00-", "-1200.00"},
		{"decimal", cell.Any, "\u22125", "-5"},
		{"decimal", cell.Any, "+5", "5"},
		{"decimal", cell.Any, ".5", "0.5"},
		{"decimal", cell.Any, "0,125", "0.125"},
		{"decimal", cell.Any, "1.234", "1.234"},
		{"decimal", cell.Any, "1,234", "1234"},
		{"decimal", cell.Comma, "1.234", "1234"},
		{"decimal", cell.Comma, "1,234", "1.234"},
		{"decimal", cell.Comma, "12.50", "12.50"},
		{"decimal", cell.Any, "12,34,567.00", "1234567.00"},
		{"decimal", cell.Any, "1.234.567", "1234567"},
		{"decimal", cell.Any, "12.5%", "12.5"},
		{"decimal", cell.PointPercent, "12.5%", "0.125"},
		{"decimal", cell.PointPercent, "-5 %", "-0.05"},
		{"decimal", cell.Any, "abc", refused},
		{"decimal", cell.Any, "--5", refused},
		{"decimal", cell.Any, "(-5)", refused},
		{"decimal", cell.Any, "$5$", refused},
		{"decimal", cell.Any, "1,23.4.5", refused},
		{"decimal", cell.Any, "12,34.00", refused},
		{"decimal", cell.Any, "1 23", refused},
		{"decimal", cell.Any, "5 boxes", refused},
		{"decimal", cell.Any, ".", refused},
		{"integer", cell.Any, "2017.0", "2017"},
		{"integer", cell.Any, "2,017", "2017"},
		{"integer", cell.Any, "007", "7"},
		{"integer", cell.Any, "-0", "0"},
		{"integer", cell.Any, "2017.5", refused},
		{"weight", cell.Any, "42,000 lbs.", "42000 lb"},
		{"weight", cell.Any, "12.5 kg", "12.5 kg"},
		{"weight", cell.Any, "42,000#", "42000 lb"},
		{"weight", cell.Any, "heavy", refused},
		{"boolean", cell.Any, "x", "true"},
		{"boolean", cell.Any, "JA", "true"},
		{"boolean", cell.Any, "Nein", "false"},
		{"boolean", cell.Any, "perhaps", refused},
		{"email", cell.Any, "Jane Doe <jane@example.com>", "jane@example.com"},
		{"email", cell.Any, "mailto:jane@example.com", "jane@example.com"},
		{"text", cell.Any, " 1,250 ", " 1,250 "},
		{"address", cell.Any, "12 Main St, Springfield, IL 62701", `{"city":"Springfield","country":"US","line1":"12 Main St","postal_code":"62701","state":"IL"}`},
		{"address", cell.Any, "12 Main St\nSuite 4\nSpringfield, il, 62701-1234, USA", `{"city":"Springfield","country":"US","line1":"12 Main St","line2":"Suite 4","postal_code":"62701-1234","state":"IL"}`},
		{"address", cell.Any, "Springfield, IL", `{"city":"Springfield","country":"US","state":"IL"}`},
		{"address", cell.Any, `{"city":"Springfield"}`, `{"city":"Springfield"}`},
		{"address", cell.Any, "12 Main St Springfield IL 62701", refused},
		{"address", cell.Any, "12 Main St, IL 62701", refused},
	} {
		require.Equal(t, c.want, read(t, c.kind, c.format, cell.Locale{}, c.text), "%s as %s %s", c.text, c.kind, c.format)
	}
}

func TestRead_TakesPhoneNumbersOfTheCountry(t *testing.T) {
	t.Parallel()
	berlin := cell.Locale{Country: "DE"}
	require.Equal(t, "+493012345678", read(t, "phone", cell.Any, berlin, "030 / 12345678"))
	require.Equal(t, "+49 30 12345678", read(t, "phone", cell.Any, berlin, "0049 30 12345678"))
	require.Equal(t, "+12025550143", read(t, "phone", "US", berlin, "(202) 555-0143"))
	_, ok := cell.NewReader("phone", "XX", berlin)
	require.False(t, ok)
}

func tally(cells ...string) cell.Tally {
	var t cell.Tally
	for _, text := range cells {
		t.Add(text)
	}

	return t
}

func TestPropose_FindsTheOrderOfDatesAndSaysWhatIsAmbiguous(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cells  []string
		locale cell.Locale
		want   cell.Format
		note   bool
	}{
		{[]string{"05/25/2026", "05/01/2026", "46143", "May 1, 2026"}, cell.Locale{}, cell.MonthFirst, false},
		{[]string{"25/05/2026", "05/01/2026"}, cell.Locale{}, cell.DayFirst, false},
		{[]string{"05/01/2026", "05/02/2026"}, cell.Locale{}, cell.MonthFirst, true},
		{[]string{"05/01/2026", "05/02/2026"}, cell.Locale{Country: "DE"}, cell.DayFirst, true},
		{[]string{"05/25/2026", "25/05/2026", "06/25/2026"}, cell.Locale{}, cell.MonthFirst, true},
		{[]string{"2026-05-01", "1.5.2026"}, cell.Locale{}, cell.ISO, false},
		{[]string{"5.25.2026", "5.1.2026"}, cell.Locale{}, cell.MonthDots, false},
		{[]string{"soon", ""}, cell.Locale{}, cell.Any, false},
	} {
		p := tally(c.cells...).Propose("date", c.locale)
		require.Equal(t, c.want, p.Format, c.cells)
		require.Equal(t, c.note, p.Note != "", "%v: %s", c.cells, p.Note)
	}
}

func TestPropose_FindsTheSeparatorOfDecimals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cells []string
		want  cell.Format
		note  bool
	}{
		{[]string{"1,250.00", "12.5"}, cell.Point, false},
		{[]string{"1.250,00", "1.250"}, cell.Comma, false},
		{[]string{"1,250", "2,000"}, cell.Point, true},
		{[]string{"1250", "7"}, cell.Point, false},
		{[]string{"12%"}, cell.Point, true},
		{[]string{"abc"}, cell.Any, false},
	} {
		p := tally(c.cells...).Propose("decimal", cell.Locale{})
		require.Equal(t, c.want, p.Format, c.cells)
		require.Equal(t, c.note, p.Note != "", "%v: %s", c.cells, p.Note)
	}
}

func FuzzRead_NeverPanics(f *testing.F) {
	for _, text := range []string{"05/01/2026", "(1,2)", "46143.9999999", "12pm", "٣", "$", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var seen cell.Tally
		seen.Add(text)
		for _, kind := range []string{"date", "datetime", "local_datetime", "time", "decimal", "integer", "weight", "boolean", "email", "phone", "address"} {
			for _, format := range append(cell.Formats(kind), cell.Any) {
				r, ok := cell.NewReader(kind, format, cell.Locale{Country: "DE"})
				require.True(t, ok)
				if _, err := r.Read(text); err != nil {
					require.NotEmpty(t, err.Error())
				}
			}
		}
	})
}

func TestRead_TakesTheUnitOfTheNumbersBehindThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, unit, text, want string }{
		{"integer", "lb", "45,000 lb", "45000"},
		{"integer", "lb", "45000lbs.", "45000"},
		{"integer", "lb", "45,000", "45000"},
		{"integer", "lb", "-3 #", "-3"},
		{"integer", "lb", "1 ton", "2000"},
		{"integer", "lb", "1.5 tons", "3000"},
		{"integer", "lb", "8 oz", refused},
		{"integer", "lb", "1 kg", refused},
		{"integer", "lb", "45,000 ft", refused},
		{"integer", "lb", "45,000 lb each", refused},
		{"integer", "", "45,000 lb", refused},
		{"integer", "mi", "120 miles", "120"},
		{"integer", "gal", "300 gallons", "300"},
		{"decimal", "lb", "8 oz", "0.5"},
		{"decimal", "ft", "6'", "6"},
		{"decimal", "ft", "1 m", refused},
		{"decimal", "lb", "12 %", "12"},
	} {
		reader, ok := cell.NewReader(c.kind, cell.Any, cell.Locale{})
		require.True(t, ok)
		got, err := reader.In(c.unit).Read(c.text)
		if err != nil {
			got = refused
		}
		require.Equal(t, c.want, got, "%s in %s", c.text, c.unit)
	}
}
