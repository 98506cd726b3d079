package custommodules

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// conversionCase is a value and what it becomes: nothing for "", "!" for a value that does not convert, and with
// loses the old one could not be told from it.
type conversionCase struct {
	from, to string
	raw      string
	want     string
	loses    bool
}

func conversionCases() []conversionCase {
	all := slices.Concat(numberCases(), clockCases(), selectCases())
	for _, text := range field.TextTypes {
		for to, spelled := range spellings() {
			all = append(all,
				conversionCase{text, to, string(rawjson.Quote(spelled[0])), spelled[1], false},
				conversionCase{text, to, string(rawjson.Quote(" " + spelled[0])), spelled[1], true},
				conversionCase{text, to, `"   "`, "", false},
				conversionCase{text, to, `"<nothing of the kind>"`, "!", false},
				conversionCase{to, text, spelled[1], string(rawjson.Quote(spelled[0])), false},
			)
		}
		for _, to := range field.TextTypes {
			all = append(all, conversionCase{text, to, `" a b "`, `"a b"`, true}, conversionCase{text, to, `""`, "", false})
		}
	}

	return all
}

// spellings are, for each type, how a table writes a value, and the value.
func spellings() map[string][2]string {
	return map[string][2]string{
		"integer": {"-12", "-12"}, "decimal": {"12500.00", `"12500.00"`}, "boolean": {"true", "true"}, "date": {"2026-12-01", `"2026-12-01"`},
		"local_datetime": {"2026-12-01 09:30:00", `"2026-12-01 09:30:00"`}, "datetime": {"2026-12-01T09:30:00Z", `"2026-12-01T09:30:00Z"`},
		"time": {"09:30:00", `"09:30:00"`}, "select": {"red", `"red"`}, "multi_select": {"red;sky.blue", `["red","sky.blue"]`},
		"email": {"ann@example.com", `"ann@example.com"`}, "phone": {"+12025550143", `"+12025550143"`}, "url": {"https://example.com/a", `"https://example.com/a"`},
		"vin": {"1HGCM82633A004352", `"1HGCM82633A004352"`}, "usdot_number": {"1234567", `"1234567"`}, "mc_number": {"MC-123456", `"MC-123456"`},
		"scac": {"ABCD", `"ABCD"`}, "equipment": {"flatbed", `"flatbed"`},
	}
}

func numberCases() []conversionCase {
	return []conversionCase{
		{"integer", "integer", "7", "7", false},
		{"integer", "decimal", "7", `"7.00"`, false},
		{"integer", "decimal", "1000000000000000000", "!", false},
		{"integer", "boolean", "1", "true", false},
		{"integer", "boolean", "0", "false", false},
		{"integer", "boolean", "2", "!", false},
		{"integer", "select", "5", "!", false},
		{"decimal", "decimal", `"7.50"`, `"7.50"`, false},
		{"decimal", "integer", `"7.00"`, "7", false},
		{"decimal", "integer", `"-0.00"`, "0", false},
		{"decimal", "integer", `"7.01"`, "!", false},
		{"boolean", "integer", "true", "1", false},
		{"boolean", "integer", "false", "0", false},
		{"boolean", "select", "true", "!", false},
	}
}

func clockCases() []conversionCase {
	return []conversionCase{
		{"date", "date", `"2026-12-01"`, `"2026-12-01"`, false},
		{"date", "local_datetime", `"2026-12-01"`, `"2026-12-01 00:00:00"`, false},
		{"date", "datetime", `"2026-12-01"`, `"2026-12-01T00:00:00Z"`, false},
		{"local_datetime", "date", `"2026-12-01 00:00:00"`, `"2026-12-01"`, false},
		{"local_datetime", "date", `"2026-12-01 09:30:00"`, `"2026-12-01"`, true},
		{"local_datetime", "time", `"2026-12-01 09:30:00"`, `"09:30:00"`, true},
		{"local_datetime", "datetime", `"2026-12-01 09:30:00"`, `"2026-12-01T09:30:00Z"`, false},
		{"datetime", "date", `"2026-12-01T00:00:00Z"`, `"2026-12-01"`, false},
		{"datetime", "date", `"2026-12-01T23:59:59.5Z"`, `"2026-12-01"`, true},
		{"datetime", "time", `"2026-12-01T09:30:00Z"`, `"09:30:00"`, true},
		{"datetime", "local_datetime", `"2026-12-01T09:30:00Z"`, `"2026-12-01 09:30:00"`, false},
		{"datetime", "local_datetime", `"2026-12-01T09:30:00.25Z"`, `"2026-12-01 09:30:00"`, true},
	}
}

func selectCases() []conversionCase {
	return []conversionCase{
		{"select", "select", `"red"`, `"red"`, false},
		{"select", "select", `"gone"`, "!", false},
		{"select", "multi_select", `"red"`, `["red"]`, false},
		{"multi_select", "multi_select", `["red"]`, `["red"]`, false},
		{"multi_select", "select", `["red"]`, `"red"`, false},
		{"multi_select", "select", `[]`, "", false},
		{"multi_select", "select", `["red","sky.blue"]`, "!", false},
	}
}

func TestConversions_MakeOfEachValueWhatTheTableSays(t *testing.T) {
	t.Parallel()
	for _, tc := range conversionCases() {
		got, loses, err := converterFor(t, tc.from, tc.to).Convert([]byte(tc.raw))
		about := fmt.Sprintf("%s to %s: %s: %v", tc.from, tc.to, tc.raw, err)
		if tc.want == "!" {
			require.Error(t, err, about)

			continue
		}
		require.NoError(t, err, about)
		if tc.want == "" {
			require.True(t, got.Empty(), about)

			continue
		}
		require.JSONEq(t, tc.want, string(got.JSON), about)
		require.Equal(t, tc.loses, loses, about)
	}
}

// converterFor is a converter with fields of the usual options.
func converterFor(t *testing.T, from, to string) field.Converter {
	t.Helper()
	how, there := field.ConversionOf(from, to)
	require.True(t, there, "%s to %s", from, to)
	options := map[string]string{"select": someChoices, "multi_select": someChoices}

	return field.Converter{Conversion: how, Old: build(t, from, options[from]), New: build(t, to, options[to])}
}

func TestConversions_HaveACaseEach(t *testing.T) {
	t.Parallel()
	tried := map[[2]string]bool{}
	for _, tc := range conversionCases() {
		tried[[2]string{tc.from, tc.to}] = true
	}
	seen := map[[2]string]bool{}
	for _, c := range field.Conversions() {
		pair := [2]string{c.From, c.To}
		require.Truef(t, tried[pair], "%s to %s has no case", c.From, c.To)
		require.Falsef(t, seen[pair], "%s to %s is there twice", c.From, c.To)
		seen[pair] = true
		require.Contains(t, definition.NewTypes(definition.Defaults()), definition.TypeName(c.From))
		require.Contains(t, definition.NewTypes(definition.Defaults()), definition.TypeName(c.To))
	}
}

// Whatever a field holds, a conversion of it comes to a value that the other field takes, or to an answer.
func TestConversions_NeverMakeWhatTheFieldWouldNotTake(t *testing.T) {
	t.Parallel()
	convertible := slices.DeleteFunc(samples(), func(of sample) bool {
		return !slices.ContainsFunc(field.Conversions(), func(c field.Conversion) bool { return c.From == of.typ })
	})
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom(convertible).Draw(t, "from")
		how := rapid.SampledFrom(slices.DeleteFunc(field.Conversions(), func(c field.Conversion) bool { return c.From != of.typ })).Draw(t, "to")
		types := definition.NewTypes(definition.Defaults())
		old, err := types.Values(definition.TypeName(of.typ), []byte(of.options))
		require.NoError(t, err)
		options := ""
		if how.To == "select" || how.To == "multi_select" {
			options = someChoices
		}
		made, err := types.Values(definition.TypeName(how.To), []byte(options))
		require.NoError(t, err)
		before, err := old.Parse([]byte(of.values.Draw(t, "value")))
		require.NoError(t, err)
		v, _, err := field.Converter{Conversion: how, Old: old, New: made}.Convert(before.JSON)
		if err != nil {
			require.ErrorAs(t, err, new(field.Error))

			return
		}
		if len(rawjson.OrNothing(v.JSON)) > 0 {
			again, err := made.Parse(v.JSON)
			require.NoError(t, err)
			require.Equal(t, string(v.JSON), string(again.JSON))
		}
	})
}

func TestConversions_LeaveFilesAlone(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		_, into := field.ConversionOf(s.typ, "file")
		_, from := field.ConversionOf("file", s.typ)
		require.False(t, into, s.typ)
		require.False(t, from, s.typ)
	}
}
