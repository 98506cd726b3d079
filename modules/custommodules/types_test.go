package custommodules

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
)

// build returns what handles the values of a field of a type with the given options.
func build(t *testing.T, name string, options string) field.Values {
	t.Helper()
	handlers := definition.NewTypes(definition.Defaults())
	values, err := handlers.Values(definition.TypeName(name), []byte(options))
	require.NoError(t, err)

	return values
}

// parseCase is a JSON value for a field of a type, and what becomes of it: the JSON in the document, or
// what is wrong with it.
type parseCase struct {
	typ           string
	options, raw  string
	want, problem string
}

func TestParse_BringsEachTypeIntoItsNormalForm(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(
		textCases(), integerCases(), decimalCases(), booleanCases(), dateCases(), localDatetimeCases(), vinCases(),
		referenceCases(), fileCases(),
	) {
		got, err := build(t, tc.typ, tc.options).Parse([]byte(strings.TrimSpace(tc.raw)))
		if tc.problem != "" {
			require.ErrorContainsf(t, err, tc.problem, "%s %s", tc.typ, tc.raw)

			continue
		}
		require.NoErrorf(t, err, "%s %s", tc.typ, tc.raw)
		require.Equalf(t, tc.want, string(got.JSON), "%s %s", tc.typ, tc.raw)
		require.NotNil(t, got.Key)
	}
}

func textCases() []parseCase {
	return []parseCase{
		{"text", "", `"Hello"`, `"Hello"`, ""},
		{"text", "", `""`, `""`, ""},
		{"text", "", `"a\u0301"`, `"á"`, ""},
		{"text", "", "\"a\u0301\"", `"á"`, ""},
		{"text", "", `"\"\\\n<b>"`, `"\"\\\n<b>"`, ""},
		{"text", "", `"\ud83d\ude9a"`, `"\ud83d\ude9a"`, ""},
		{"text", "", `"a\u0000b"`, "", "must be text without"},
		{"text", "", `"\ud83d"`, "", "must be text without"},
		{"text", "", `"\ude9a\ud83d"`, "", "must be text without"},
		{"text", "", `"\ud83dxxxxxx"`, "", "must be text without"},
		{"text", "", `"\\u0000"`, `"\\u0000"`, ""},
		{"text", "", `12`, "", "must be a string."},
		{"text", "", `{"a":1}`, "", "must be a string."},
		{"text", `{"max_length":3}`, `"äöü"`, `"äöü"`, ""},
		{"text", `{"max_length":3}`, `"äöüß"`, "", "must not be longer than 3 characters."},
		{"long_text", "", `"` + strings.Repeat("x", 65_536) + `"`, `"` + strings.Repeat("x", 65_536) + `"`, ""},
		{"long_text", "", `"` + strings.Repeat("x", 65_537) + `"`, "", "must not be longer than 65536 characters."},
	}
}

func integerCases() []parseCase {
	return []parseCase{
		{"integer", "", `2019`, `2019`, ""},
		{"integer", "", `-0`, `0`, ""},
		{"integer", "", `9223372036854775807`, `9223372036854775807`, ""},
		{"integer", "", `-9223372036854775808`, `-9223372036854775808`, ""},
		{"integer", "", `9223372036854775808`, "", "must be a whole number between"},
		{"integer", "", `1e400`, "", "must be a whole number."},
		{"integer", "", `2019.0`, "", "must be a whole number."},
		{"integer", "", `"2019"`, "", "must be a whole number."},
		{"integer", "", `true`, "", "must be a whole number."},
		{"integer", "", `[2019]`, "", "must be a whole number."},
	}
}

func decimalCases() []parseCase {
	return []parseCase{
		{"decimal", "", `"12500.00"`, `"12500.00"`, ""},
		{"decimal", "", `"12500"`, `"12500.00"`, ""},
		{"decimal", "", `"0012500.5"`, `"12500.50"`, ""},
		{"decimal", "", `"-0.00"`, `"0.00"`, ""},
		{"decimal", "", `"-0.01"`, `"-0.01"`, ""},
		{"decimal", "", `"1.2300"`, `"1.23"`, ""},
		{"decimal", "", `"999999999999999999.99"`, `"999999999999999999.99"`, ""},
		{"decimal", "", `"1000000000000000000"`, "", "must not have more than 18 digits before the point."},
		{"decimal", "", `"1.005"`, "", "must not have more than 2 digits after the point."},
		{"decimal", "", `12500.00`, "", "must be a decimal number in a string"},
		{"decimal", "", `"1e3"`, "", "must be a decimal number in a string"},
		{"decimal", "", `"1\u0030"`, "", "must be a decimal number in a string"},
		{"decimal", "", `"١٢"`, "", "must be a decimal number in a string"},
		{"decimal", "", `".5"`, "", "must be a decimal number in a string"},
		{"decimal", "", `""`, "", "must be a decimal number in a string"},
		{"decimal", `{"scale":0}`, `"7.0"`, `"7"`, ""},
		{"decimal", `{"scale":18}`, `"0.000000000000000001"`, `"0.000000000000000001"`, ""},
	}
}

func booleanCases() []parseCase {
	return []parseCase{
		{"boolean", "", `true`, `true`, ""},
		{"boolean", "", `false`, `false`, ""},
		{"boolean", "", `"true"`, "", "must be true or false."},
		{"boolean", "", `1`, "", "must be true or false."},
	}
}

func dateCases() []parseCase {
	return []parseCase{
		{"date", "", `"2026-02-28"`, `"2026-02-28"`, ""},
		{"date", "", `"2024-02-29"`, `"2024-02-29"`, ""},
		{"date", "", `"2026-02-29"`, "", "must be a day that exists: 2026-02 has the days 01 to 28."},
		{"date", "", `"2026-13-01"`, "", "must have a month from 01 to 12."},
		{"date", "", `"0000-01-01"`, "", "must have a year from 0001 to 9999."},
		{"date", "", `"2026-2-28"`, "", "must be a date"},
		{"date", "", `"2026-02-28T00:00:00Z"`, "", "must be a date"},
		{"date", "", `20260228`, "", "must be a date"},
	}
}

func localDatetimeCases() []parseCase {
	return []parseCase{
		{"local_datetime", "", `"2026-02-28 23:59:59"`, `"2026-02-28 23:59:59"`, ""},
		{"local_datetime", "", `"2026-02-28 24:00:00"`, "", "must have a time from 00:00:00 to 23:59:59."},
		{"local_datetime", "", `"2026-02-28 3:04:05.1"`, "", "must be a date and time"},
		{"local_datetime", "", `"2026-02-28T10:00:00"`, "", "must be a date and time"},
		{"local_datetime", "", `"2026-02-28"`, "", "must be a date and time"},
	}
}

func vinCases() []parseCase {
	return []parseCase{
		{"vin", "", `"1HGCM82633A004352"`, `"1HGCM82633A004352"`, ""},
		{"vin", "", `"1hgcm82633a004352"`, `"1HGCM82633A004352"`, ""},
		{"vin", "", `"1HGCM82633A00435"`, "", "must be 17 characters."},
		{"vin", "", `"1HGCM82633A00435O"`, "", "must be letters and digits without I, O and Q."},
		{"vin", "", `"1HGCM82633A00435ſ"`, "", "must be letters and digits without I, O and Q."},
		{"vin", "", `17`, "", "must be a string."},
		{"vin", `{"check_digit":"enforce"}`, `"1HGCM82633A004352"`, `"1HGCM82633A004352"`, ""},
		{"vin", `{"check_digit":"enforce"}`, `"1M8GDM9AXKP042788"`, `"1M8GDM9AXKP042788"`, ""},
		{"vin", `{"check_digit":"enforce"}`, `"1M8GDM9A1KP042788"`, "", "has the check digit 1, but it should be X."},
	}
}

func referenceCases() []parseCase {
	const id = "0198f2d0-0000-7000-8000-00000000000a"
	const reference = `{"module_uuid":"0198f2d0-0000-7000-8000-000000000001"}`

	return []parseCase{
		{"reference", reference, `{"record_uuid":"` + id + `"}`, `{"record_uuid":"` + id + `"}`, ""},
		{"reference", reference, ` { "record_uuid" : "` + strings.ToUpper(id) + `" } `, `{"record_uuid":"` + id + `"}`, ""},
		{"reference", reference, `"` + id + `"`, "", "must be a reference"},
		{"reference", reference, `{"record_uuid":"` + id + `","a":1}`, "", "must be a reference"},
		{"reference", reference, `{"record_uuid":"nobody"}`, "", "must be a reference"},
		{"reference", reference, `{"record_uuid":"{` + id[:34] + `}"}`, "", "must be a reference"},
		{"reference", reference, `{"record_uuid":null}`, "", "must be a reference"},
		{"reference", reference, `{}`, "", "must be a reference"},
		{"reference", reference, `[]`, "", "must be a reference"},
	}
}

func fileCases() []parseCase {
	const id = "0198f2d0-0000-7000-8000-00000000000a"

	return []parseCase{
		{"file", "", `{"attachment_uuid":"` + id + `"}`, `{"attachment_uuid":"` + id + `"}`, ""},
		{"file", "", ` { "attachment_uuid" : "` + strings.ToUpper(id) + `" } `, `{"attachment_uuid":"` + id + `"}`, ""},
		{"file", "", `"` + id + `"`, "", "must be a file"},
		{"file", "", `{"attachment_uuid":"` + id + `","attachment":null}`, "", "must be a file"},
		{"file", "", `{"attachment_uuid":null}`, "", "must be a file"},
		{"file", "", `{"record_uuid":"` + id + `"}`, "", "must be a file"},
		{"file", "", `[]`, "", "must be a file"},
	}
}

func TestParse_WarnsOfACheckDigitWhenAskedTo(t *testing.T) {
	t.Parallel()
	got, err := build(t, "vin", `{"check_digit":"warn"}`).Parse([]byte(`"1M8GDM9A1KP042788"`))
	require.NoError(t, err)
	require.Equal(t, `"1M8GDM9A1KP042788"`, string(got.JSON))
	require.Equal(t, "has the check digit 1, but it should be X.", got.Warning)
}

func TestOptions_AreRefusedWithTheirName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ                      string
		options, option, problem string
	}{
		{"decimal", `{"scale":19}`, "scale", "The scale must be between 0 and 18."},
		{"decimal", `{"scale":"2"}`, "scale", "The scale must be an integer."},
		{"decimal", `{"scale":2.5}`, "scale", "The scale must be an integer."},
		{"decimal", `{"scal":2}`, "scal", "The key scal is not known for this type. Did you mean scale?"},
		{"boolean", `{"scale":2}`, "scale", "The key scale is not known for this type."},
		{"text", `{"max_length":501}`, "max_length", "The max length must be between 1 and 500."},
		{"vin", `{"check_digit":"maybe"}`, "check_digit", "The check digit must be off, warn or enforce."},
		{"vin", `{"check_digit":1}`, "check_digit", "The check digit must be a string."},
		{"reference", `{}`, "module_uuid", "The module uuid of a reference is required."},
		{"reference", `{"module_uuid":"x"}`, "module_uuid", "The module uuid must be a UUID."},
		{"file", `{"accept":["pdf"]}`, "accept", "The accept must list media types, such as application/pdf or image/*, not pdf."},
		{"file", `{"accept":["*/*"]}`, "accept", "The accept must list media types, such as application/pdf or image/*, not */*."},
		{"file", `{"accept":"image/*"}`, "accept", "The accept must be a list."},
		{"file", `{"max_size":0}`, "max_size", "The max size must be 1 or more."},
		{"text", `[]`, "", "The options must be an object."},
	} {
		_, err := definition.NewTypes(definition.Defaults()).Values(definition.TypeName(tc.typ), []byte(tc.options))
		problem, ok := errors.AsType[field.OptionError](err)
		require.Truef(t, ok, "%s %s: %v", tc.typ, tc.options, err)
		require.Equal(t, tc.option, problem.Option)
		require.Equal(t, tc.problem, problem.Problem)
	}
}

func TestTypes_ShowEveryOptionWithItsDefault(t *testing.T) {
	t.Parallel()
	shown, err := json.Marshal(build(t, "decimal", `{}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"min":null,"max":null,"scale":2}`, string(shown))
}

func TestTypes_AreDescribedAndHaveDistinctNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, typ := range definition.FieldTypes(definition.Defaults()) {
		require.Falsef(t, seen[typ.Name], "two types are named %s", typ.Name)
		seen[typ.Name] = true
		require.NotEmpty(t, typ.About)
		require.NotNil(t, typ.New().Schema())
		if typ.Index != "" {
			require.NotEmptyf(t, definition.SlotsOf(typ.Index), "%s has no slot columns", typ.Name)
		}
	}
}
