package custommodules

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestParse_NormalisesOrSaysExactlyWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(
		ruleCases(), timeCases(), choiceCases(), contactCases(), jsonCases(), addressCases(), tradeCases(), measureCases(),
	) {
		got, err := build(t, tc.typ, tc.options).Parse([]byte(tc.raw))
		if tc.problem != "" {
			require.EqualErrorf(t, err, tc.problem, "%s %s", tc.typ, tc.raw)

			continue
		}
		require.NoErrorf(t, err, "%s %s", tc.typ, tc.raw)
		require.Equalf(t, tc.want, string(got.JSON), "%s %s", tc.typ, tc.raw)
		require.NotNil(t, got.Key)
	}
}

func ruleCases() []parseCase {
	return []parseCase{
		{"text", `{"min_length":2}`, `"ä"`, "", "must not be shorter than 2 characters."},
		{"text", `{"min_length":2}`, `"äö"`, `"äö"`, ""},
		{"text", `{"pattern":"^[A-Z]+$"}`, `"ABC"`, `"ABC"`, ""},
		{"text", `{"pattern":"^[A-Z]+$"}`, `"abc"`, "", "must match the pattern ^[A-Z]+$."},
		{"text", `{"pattern":"^\u00e1$"}`, "\"a\u0301\"", `"á"`, ""},
		{"long_text", `{"pattern":"(a+)+$"}`, `"` + strings.Repeat("a", 60_000) + `!"`, "", "must match the pattern (a+)+$."},
		{"integer", `{"min":9007199254740993}`, `9007199254740992`, "", "must not be less than 9007199254740993."},
		{"integer", `{"max":-9223372036854775807}`, `-9223372036854775808`, `-9223372036854775808`, ""},
		{"integer", `{"max":5}`, `6`, "", "must not be greater than 5."},
		{"decimal", `{"min":"-0.50"}`, `"-0.51"`, "", "must not be less than -0.50."},
		{"decimal", `{"max":"999999999999999999.98"}`, `"999999999999999999.99"`, "", "must not be greater than 999999999999999999.98."},
		{"decimal", `{"min":"9"}`, `"10"`, `"10.00"`, ""},
		{"date", `{"min":"2026-01-01"}`, `"2025-12-31"`, "", "must not be before 2026-01-01."},
		{"date", `{"max":"2026-01-01"}`, `"2026-01-01"`, `"2026-01-01"`, ""},
		{"local_datetime", `{"max":"2026-01-01 00:00:00"}`, `"2026-01-01 00:00:01"`, "", "must not be after 2026-01-01 00:00:00."},
	}
}

func timeCases() []parseCase {
	const moment = "must be a date and time with a zone, to the microsecond: 2026-12-01T09:30:00Z."

	return []parseCase{
		{"datetime", "", `"2026-12-01T09:30:00Z"`, `"2026-12-01T09:30:00Z"`, ""},
		{"datetime", "", `"2026-12-01T04:30:00.120-05:00"`, `"2026-12-01T09:30:00.12Z"`, ""},
		{"datetime", "", `"2026-12-01T09:30:00.123456000Z"`, `"2026-12-01T09:30:00.123456Z"`, ""},
		{"datetime", "", `"2026-12-01T09:30:00.1234567Z"`, "", moment},
		{"datetime", "", `"2026-12-01T09:30:00"`, "", moment},
		{"datetime", "", `"2026-12-01T9:30:00Z"`, "", moment},
		{"datetime", "", `"2026-12-01T09:30:00,5Z"`, "", moment},
		{"datetime", "", `"0001-01-01T00:00:00+01:00"`, "", moment},
		{"datetime", "", `"9999-12-31T23:59:59-01:00"`, "", moment},
		{"datetime", "", `1764581400`, "", moment},
		{"datetime", `{"min":"2026-12-01T00:00:00-05:00"}`, `"2026-12-01T04:59:59.999999Z"`, "", "must not be before 2026-12-01T05:00:00Z."},
		{"datetime", `{"min":"2026-12-01T05:00:00Z"}`, `"2026-12-01T05:00:00.000001Z"`, `"2026-12-01T05:00:00.000001Z"`, ""},
		{"time", "", `"09:30:00"`, `"09:30:00"`, ""},
		{"time", "", `"00:00:00"`, `"00:00:00"`, ""},
		{"time", "", `"24:00:00"`, "", "must have a time from 00:00:00 to 23:59:59."},
		{"time", "", `"9:30"`, "", "must be a time: HH:MM:SS."},
		{"time", `{"max":"17:00:00"}`, `"17:00:01"`, "", "must not be after 17:00:00."},
	}
}

func choiceCases() []parseCase {
	return []parseCase{
		{"select", someChoices, `"red"`, `"red"`, ""},
		{"select", someChoices, "\"gru\u0308n\"", `"grün"`, ""},
		{"select", someChoices, `"Red"`, "", "must be one of red, sky.blue, grün."},
		{"select", someChoices, `"old"`, "", "can no longer be old: the option is archived."},
		{"select", someChoices, `1`, "", "must be a string."},
		{"multi_select", someChoices, `["grün","red","grün"]`, `["red","grün"]`, ""},
		{"multi_select", someChoices, `[]`, `[]`, ""},
		{"multi_select", someChoices, `["red","blue"]`, "", "must be a list of red, sky.blue, grün."},
		{"multi_select", someChoices, `["red","old"]`, "", "can no longer have old: the option is archived."},
		{"multi_select", someChoices, `"red"`, "", "must be a list of ids of options."},
		{"multi_select", someChoices, `[["red"]]`, "", "must be a list of ids of options."},
	}
}

func contactCases() []parseCase {
	const (
		mailbox = "must be an e-mail address, such as ann@example.com."
		call    = "must be a phone number, such as +1 202 555 0143."
		page    = "must be a web address that starts with https:// or http://."
	)

	return []parseCase{
		{"email", "", `"Ann.Lee+x@Example.COM"`, `"ann.lee+x@example.com"`, ""},
		{"email", "", `"Ann <ann@example.com>"`, "", mailbox},
		{"email", "", `"ann@example.com, bob@example.com"`, "", mailbox},
		{"email", "", `"ann@localhost"`, "", mailbox},
		{"email", "", `"ann@[127.0.0.1]"`, "", mailbox},
		{"email", "", `"\"a b\"@example.com"`, "", mailbox},
		{"email", "", `"ann@exämple.com"`, "", mailbox},
		{"email", "", `"ann@example.com\r\nBcc: x@example.com"`, "", mailbox},
		{"email", "", `"` + strings.Repeat("a", 250) + `@example.com"`, "", "must not be longer than 254 characters."},
		{"phone", "", `"(202) 555-0143"`, `"+12025550143"`, ""},
		{"phone", "", `"+49 30 901820"`, `"+4930901820"`, ""},
		{"phone", `{"default_region":"de"}`, `"030 901820"`, `"+4930901820"`, ""},
		{"phone", "", `"202 555 0143 ext. 5"`, "", "must be a phone number without an extension. Put the extension into a field of its own."},
		{"phone", "", `"555 555 0143"`, "", "must be a valid phone number: no such number exists in US."},
		{"phone", "", `"1-800-FLOWERS"`, "", call},
		{"phone", "", `"123"`, "", call},
		{"phone", "", `"٢٠٢٥٥٥٠١٤٣"`, "", call},
		{"phone", "", `2025550143`, "", "must be a string."},
		{"url", "", `"HTTPS://Example.COM:443/A?b=C#d"`, `"https://example.com/A?b=C#d"`, ""},
		{"url", "", `"http://example.com"`, `"http://example.com/"`, ""},
		{"url", "", `"http://[2001:DB8::1]:8080/"`, `"http://[2001:db8::1]:8080/"`, ""},
		{"url", "", `"https://example.com/ä?q=ö"`, `"https://example.com/%C3%A4?q=ö"`, ""},
		{"url", "", `"javascript:alert(1)"`, "", page},
		{"url", "", `"ftp://example.com/"`, "", page},
		{"url", "", `"//example.com/"`, "", page},
		{"url", "", `"https://exa mple.com/"`, "", page},
		{"url", "", `"https://example.com:99999/"`, "", "must have a port from 1 to 65535."},
		{"url", "", `"https://münchen.example/"`, "", "must have a valid host name: xn--mnchen-3ya.example."},
		{"url", "", `"https:///etc/passwd"`, "", page},
		{"url", "", `"https://ann:secret@example.com/"`, "", "must not contain a user name or password."},
		{"url", "", `"https://example.com/` + strings.Repeat("x", 2_048) + `"`, "", "must not be longer than 2048 characters."},
		{"user", "", `"0198F2D0-0000-7000-8000-00000000000A"`, `"` + customerRecord + `"`, ""},
		{"user", "", `"ann"`, "", "must be the UUID of a user."},
		{"user", "", `{"user_uuid":"x"}`, "", "must be a string."},
	}
}

func jsonCases() []parseCase {
	const follows = `{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","maximum":9007199254740993}}}}`

	return []parseCase{
		{"json", "", `{"bb":1, "a":[1.50e1,-0.0,"\u00e4\/"], "aa":null}`, `{"a":[15.0,0.0,"ä/"],"aa":null,"bb":1}`, ""},
		{"json", "", `123456789012345678901234567890.5`, `123456789012345678901234567890.5`, ""},
		{"json", "", `12e-4`, `0.0012`, ""},
		{"json", "", `"text"`, `"text"`, ""},
		{"json", "", `{"a":1,"\u0061":2}`, "", "must not have the key a twice in an object."},
		{"json", "", `{"a":"\u0000"}`, "", "must have text without the character U+0000 or half of a surrogate pair."},
		{"json", "", `{"\ud800":1}`, "", "must have text without the character U+0000 or half of a surrogate pair."},
		{"json", "", `1e400`, "", "must hold numbers with exponents between -308 and 308."},
		{"json", "", `1e99999999999999999999`, "", "must hold numbers with exponents between -308 and 308."},
		{"json", "", strings.Repeat("1", 401), "", "must hold numbers of at most 400 characters."},
		{"json", "", strings.Repeat("[", 33) + strings.Repeat("]", 33), "", "must not be nested deeper than 32 levels."},
		{"json", `{"max_bytes":5}`, `[1, 2]`, `[1,2]`, ""},
		{"json", `{"max_bytes":4}`, `[1, 2]`, "", "must not be longer than 4 bytes."},
		{"json", `{"max_bytes":9}`, `1e30`, "", "must not be longer than 9 bytes."},
		{"json", follows, `{"a":9007199254740993}`, `{"a":9007199254740993}`, ""},
		{"json", follows, `{"a":9007199254740994}`, "", "does not follow its schema: at /a, the number breaks the rule maximum."},
		{"json", follows, `{}`, "", "does not follow its schema: missing property 'a'."},
	}
}

const (
	addressForm = `must be an address: {"line1": "…", "city": "…", "state": "TX", "postal_code": "75201", "country": "US"}.`
	pointForm   = `must be a point: {"lat": 38.8976763, "lng": -77.0365298}.`
)

func addressCases() []parseCase {
	return []parseCase{
		{"address", "", `{"line1":" 1 Main St ","city":"Dallas","state":"tx","postal_code":"75201-1234"}`, `{"city":"Dallas","line1":"1 Main St","state":"TX","country":"US","postal_code":"75201-1234"}`, ""},
		{"address", "", `{"city":"Berlin","country":"de","postal_code":"10117","state":"x"}`, `{"city":"Berlin","state":"x","country":"DE","postal_code":"10117"}`, ""},
		{"address", `{"country":"ca"}`, `{"city":"Toronto","line1":null,"line2":""}`, `{"city":"Toronto","country":"CA"}`, ""},
		{"address", "", `{"city":"Dallas","state":"Texas"}`, "", `must have a two-letter US state code: TX for "Texas".`},
		{"address", "", `{"city":"Montreal","country":"CA","state":"qc"}`, `{"city":"Montreal","state":"QC","country":"CA"}`, ""},
		{"address", "", `{"city":"Montreal","country":"CA","state":"Quebec"}`, "", `must have a two-letter code of a Canadian province: QC for "Quebec".`},
		{"address", "", `{"postal_code":"7520"}`, "", `must have a postal code of 5 or 5+4 digits, such as 75201-1234: "7520" is not a ZIP code.`},
		{"address", "", `{"city":"X","country":"ZZ"}`, "", `must have a two-letter ISO 3166 country code, such as US: "ZZ" is none.`},
		{"address", "", `{"city":"X","country":"USA"}`, "", `must have a two-letter ISO 3166 country code, such as US: "USA" is none.`},
		{"address", "", `{"country":"US"}`, "", addressForm},
		{"address", "", `"1 Main St"`, "", addressForm},
		{"address", "", `{"street":"x"}`, "", "must not have a part street: its parts are line1, line2, city, state, postal_code and country."},
		{"address", "", `{"city":"x","city":"y"}`, "", "must have its city once."},
		{"address", "", `{"line1":1}`, "", "must have a string as its line1."},
		{"address", "", `{"line1":"a\nb"}`, "", "must have a line1 of one line with at most 200 characters."},
		{"geo_point", "", `{"lng":-77.0365298,"lat":38.8976000}`, `{"lat":38.8976,"lng":-77.0365298}`, ""},
		{"geo_point", "", `{"lat":-0.0,"lng":180}`, `{"lat":0,"lng":180}`, ""},
		{"geo_point", "", `{"lat":90.0000001,"lng":0}`, "", "must have a lat between -90 and 90."},
		{"geo_point", "", `{"lat":0,"lng":-180.0000001}`, "", "must have a lng between -180 and 180."},
		{"geo_point", "", `{"lat":38.89768412,"lng":0}`, "", "must not have more than 7 digits after the point of its lat."},
		{"geo_point", "", `{"lat":1e1,"lng":0}`, "", pointForm},
		{"geo_point", "", `{"lat":"1","lng":0}`, "", pointForm},
		{"geo_point", "", `{"lat":1,"lng":2,"alt":3}`, "", pointForm},
		{"geo_point", "", `[1,2]`, "", pointForm},
	}
}

func tradeCases() []parseCase {
	return []parseCase{
		{"usdot_number", "", `"1234567"`, `"1234567"`, ""},
		{"usdot_number", "", `"0123"`, `"123"`, ""},
		{"usdot_number", "", `"USDOT 1234567"`, `"1234567"`, ""},
		{"usdot_number", "", `"1234567C"`, `"1234567"`, ""},
		{"usdot_number", "", `"0"`, "", "has only zeros: it must be 1 to 8 digits, such as 1234567 or USDOT 1234567."},
		{"usdot_number", "", `"123456789"`, "", "has 9 digits: it must be 1 to 8 digits, such as 1234567 or USDOT 1234567."},
		{"usdot_number", "", `"MC-123456"`, "", "must be 1 to 8 digits, such as 1234567 or USDOT 1234567; MC-123456 is a docket."},
		{"usdot_number", "", `"١"`, "", "must be 1 to 8 digits, such as 1234567 or USDOT 1234567."},
		{"mc_number", "", `"mc 012345"`, `"MC-12345"`, ""},
		{"mc_number", "", `"FF#77"`, `"FF-77"`, ""},
		{"mc_number", "", `"mx77"`, `"MX-77"`, ""},
		{"mc_number", "", `"123456"`, `"MC-123456"`, ""},
		{"mc_number", "", `"mc 0-123456"`, `"MC-123456"`, ""},
		{"mc_number", "", `"MC-0"`, "", "has only zeros: it must be MC, MX or FF and 1 to 8 digits, such as MC-123456."},
		{"mc_number", "", `"MC-"`, "", "has no digits: it must be MC, MX or FF and 1 to 8 digits, such as MC-123456."},
		{"mc_number", "", `"` + strings.Repeat("0", 1_000_000) + `1"`, "", "must be MC, MX or FF and 1 to 8 digits, such as MC-123456."},
		{"scac", "", `"abCd"`, `"ABCD"`, ""},
		{"scac", "", `"ſcac"`, "", "must be 2 to 4 letters."},
		{"equipment", "", `"step_deck"`, `"step_deck"`, ""},
		{"equipment", "", `"step-deck"`, "", "must be one of the kinds of equipment. Did you mean step_deck?"},
		{"vin", "", `"1M8GDM9A1KP042788"`, `"1M8GDM9A1KP042788"`, ""},
	}
}

func measureCases() []parseCase {
	return []parseCase{
		{"weight", "", `{"value":"12.50","unit":"lb"}`, `{"kg":"5.669904625","unit":"lb","value":"12.5"}`, ""},
		{"weight", "", `{"value":"0012"}`, `{"kg":"5.44310844","unit":"lb","value":"12"}`, ""},
		{"weight", `{"unit":"kg"}`, `{"value":"0"}`, `{"kg":"0","unit":"kg","value":"0"}`, ""},
		{"weight", "", `{"value":"999999999999.999999","unit":"oz"}`, `{"kg":"28349523124.999999971650476875","unit":"oz","value":"999999999999.999999"}`, ""},
		{"weight", "", `{"value":"1","unit":"lb","kg":"999"}`, `{"kg":"0.45359237","unit":"lb","value":"1"}`, ""},
		{"weight", "", `{"value":"1","unit":"stone"}`, "", "must have one of the units kg, g, t, oz, lb, cwt, ton."},
		{"weight", "", `{"value":"-1"}`, "", "must not be negative."},
		{"weight", "", `{"value":"1000000000000"}`, "", "must not have more than 12 digits before the point."},
		{"weight", "", `{"value":"0.0000001"}`, "", "must not have more than 6 digits after the point."},
		{"weight", "", `{"value":1}`, "", `must be a weight: {"value": "12.5", "unit": "lb"}.`},
		{"weight", "", `{"unit":"lb"}`, "", `must be a weight: {"value": "12.5", "unit": "lb"}.`},
		{"weight", "", `{"value":"1","lb":1}`, "", `must be a weight: {"value": "12.5", "unit": "lb"}.`},
		{"weight", `{"max":"80000"}`, `{"value":"40","unit":"ton"}`, `{"kg":"36287.3896","unit":"ton","value":"40"}`, ""},
		{"weight", `{"max":"80000"}`, `{"value":"36287.3897","unit":"kg"}`, "", "must not be greater than 80000 lb."},
		{"length", "", `{"value":"53"}`, `{"m":"16.1544","unit":"ft","value":"53"}`, ""},
		{"length", `{"unit":"in","min":"1"}`, `{"value":"2.53","unit":"cm"}`, "", "must not be less than 1 in."},
		{"length", "", `{"value":"999999999999","unit":"mi"}`, `{"m":"1609343999998390.656","unit":"mi","value":"999999999999"}`, ""},
	}
}

func TestOptions_OfEachTypeAreChecked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ                      string
		options, option, problem string
	}{
		{"text", `{"min_length":5,"max_length":4}`, "min_length", "The min length must be between 0 and the max length."},
		{"text", `{"pattern":"["}`, "pattern", "The pattern must be a regular expression of RE2: missing closing ] at [."},
		{"text", `{"pattern":"(?=a)"}`, "pattern", "The pattern must be a regular expression of RE2, which has no lookaround: (?=."},
		{"text", `{"pattern":"((a{30}){30}){30}"}`, "pattern", "The pattern must be a regular expression of RE2: invalid repeat count at {30}."},
		{"text", `{"pattern":"(a{40}){20}(b{40}){20}"}`, "pattern", "The pattern repeats too much: written out, it has 1682 steps, and at most 1000 are allowed."},
		{"text", `{"pattern":"` + strings.Repeat("a", 501) + `"}`, "pattern", "The pattern must not be longer than 500 characters."},
		{"integer", `{"min":2,"max":1}`, "max", "The max must not be less than the min."},
		{"integer", `{"min":"2"}`, "min", "The min must be an integer."},
		{"decimal", `{"min":"x"}`, "min", `The min must be a decimal number in a string, such as "12500.00".`},
		{"decimal", `{"min":1}`, "min", "The min must be a string."},
		{"decimal", `{"min":"10","max":"9"}`, "max", "The max must not be less than the min."},
		{"date", `{"max":"soon"}`, "max", "The max must be a date: YYYY-MM-DD."},
		{"select", `{}`, "options", "The options must be a list of 1 to 500."},
		{"select", `{"options":{}}`, "options", "The options must be a list."},
		{"select", `{"options":["red"]}`, "options.0", `The option must be an object: {"id": "red", "label": "Red"}.`},
		{"select", `{"options":[{"label":"Red","colour":"red"}]}`, "options.0.colour", "The key colour is not known for an option. Did you mean color?"},
		{"select", `{"options":[{"label":"Red","color":"red"}]}`, "options.0.color", "The color must be of the form #cc0000."},
		{"select", `{"options":[{"label":"Red"},{"label":" "}]}`, "options.1.label", "The label is required."},
		{"select", `{"options":[{"id":"a;b"}]}`, "options.0.id", "The id must be letters, digits, underscores, points and hyphens."},
		{"select", `{"options":[{"id":"a"},{"id":"A"}]}`, "options.1.id", "The id A is given to two options."},
		{"phone", `{"default_region":"XX"}`, "default_region", "The default region must be a two-letter ISO 3166 country code."},
		{"address", `{"country":"XX"}`, "country", "The country must be a two-letter ISO 3166 code."},
		{"weight", `{"unit":"ft"}`, "unit", "The unit must be one of kg, g, t, oz, lb, cwt, ton."},
		{"weight", `{"min":"-1"}`, "min", "The min must not be negative."},
		{"json", `{"max_bytes":0}`, "max_bytes", "The max bytes must be between 1 and 262144."},
		{"json", `{"schema":true}`, "schema", "The schema must be an object."},
		{"json", `{"schema":{"type":"objekt"}}`, "schema", "The schema must be a JSON Schema: at /type, value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'."},
		{"json", `{"schema":{"$ref":"http://127.0.0.1/secret"}}`, "schema", "The schema must not use $ref."},
		{"json", `{"schema":{"allOf":[{"$ref":"file:///etc/passwd"}]}}`, "schema", "The schema must not use $ref."},
		{"json", `{"schema":{"allOf":[{"\u0024ref":"#"}]}}`, "schema", "The schema must not use $ref."},
		{"json", `{"schema":{"$schema":"http://127.0.0.1/meta"}}`, "schema", "The schema must be of the dialect " + field.SchemaDialect + "."},
		{"json", `{"schema":{"items":{"$schema":"http://127.0.0.1/meta"}}}`, "schema", "The schema must not use $schema."},
		{"json", `{"schema":{"pattern":"(a{40}){20}(b{40}){20}"}}`, "schema", ""},
		{"json", `{"schema":{"title":"` + strings.Repeat("x", 8<<10) + `"}}`, "schema", "The schema must not be longer than 8192 bytes."},
		{"json", `{"schema":{"title":"` + strings.Repeat("x", 2000) + `"}}`, "max_bytes", "The max bytes must not be more than 8338 with a schema of this size."},
	} {
		_, err := definition.NewTypes(definition.Defaults()).Values(definition.TypeName(tc.typ), []byte(tc.options))
		var problem field.OptionError
		require.ErrorAsf(t, err, &problem, "%s %.200s", tc.typ, tc.options)
		require.Equalf(t, tc.option, problem.Option, "%s %.200s", tc.typ, tc.options)
		if tc.problem != "" {
			require.Equal(t, tc.problem, problem.Problem)
		}
	}
}

// TestOptions_AreTheSameWhenReadBack stores options, and reads them as a definition does.
func TestOptions_AreTheSameWhenReadBack(t *testing.T) {
	t.Parallel()
	for typ, options := range map[string]string{
		"select":       `{"options":[{"label":"In transit"},{"label":"In  Transit!","color":"#CC0000"},{"label":"車両"},{"label":"…"},{"id":"x"}]}`,
		"multi_select": someChoices,
		"json":         `{"schema":{"$schema":"` + field.SchemaDialect + `","$id":"https://example.com/x","type":"object","minProperties":1e0}}`,
		"datetime":     `{"min":"2026-12-01T00:00:00-05:00"}`,
		"integer":      `{"min":9007199254740993}`,
		"weight":       `{"max":"080000.0"}`,
		"phone":        `{"default_region":"mx"}`,
	} {
		stored, err := json.Marshal(build(t, typ, options))
		require.NoError(t, err)
		again, err := json.Marshal(build(t, typ, string(stored)))
		require.NoError(t, err)
		require.Equal(t, string(stored), string(again))
		if typ == "select" {
			require.Equal(t, []string{"in_transit", "in_transit_2", "車両", "option", "x"}, build(t, typ, string(stored)).(*field.SelectOptions).Options.IDs())
		}
		if typ == "json" {
			require.Equal(t, `{"max_bytes":16384,"schema":{"type":"object","minProperties":1}}`, string(stored))
		}
	}
}

func TestParseOver_KeepsAnArchivedOptionWhereItIs(t *testing.T) {
	t.Parallel()
	one, ok := build(t, "select", someChoices).(field.Keeper)
	require.True(t, ok)
	got, err := one.ParseOver([]byte(`"old"`), []byte(`"old"`))
	require.NoError(t, err)
	require.Equal(t, `"old"`, string(got.JSON))
	_, err = one.ParseOver([]byte(`"old"`), []byte(`"red"`))
	require.EqualError(t, err, "can no longer be old: the option is archived.")

	many, ok := build(t, "multi_select", someChoices).(field.Keeper)
	require.True(t, ok)
	got, err = many.ParseOver([]byte(`["old","red"]`), []byte(`["old"]`))
	require.NoError(t, err)
	require.Equal(t, `["red","old"]`, string(got.JSON))
	_, err = many.ParseOver([]byte(`["old"]`), []byte(`["red"]`))
	require.EqualError(t, err, "can no longer have old: the option is archived.")
}

func TestFromCSV_TakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ           string
		options, cell string
		want          string
	}{
		{"text", "", " a ", `" a "`},
		{"text", "", "", `null`},
		{"integer", "", " 7 ", `7`},
		{"boolean", "", "Yes", `true`},
		{"boolean", "", "0", `false`},
		{"date", "", " 2026-12-01 ", `"2026-12-01"`},
		{"select", someChoices, "sky BLUE", `"sky.blue"`},
		{"select", someChoices, " ", `null`},
		{"multi_select", someChoices, "Sky blue; red;", `["sky.blue","red"]`},
		{"weight", "", "12.5", `{"unit":"lb","value":"12.5"}`},
		{"weight", "", "12.5kg", `{"unit":"kg","value":"12.5"}`},
		{"geo_point", "", "38.9, -77", `{"lat":38.9,"lng":-77}`},
		{"equipment", "", "Step deck", `"step_deck"`},
		{"reference", `{"module_uuid":"` + vehicleModule + `"}`, customerRecord, `{"record_uuid":"` + customerRecord + `"}`},
		{"json", "", `{"a": 1}`, `{"a": 1}`},
	} {
		raw, err := build(t, tc.typ, tc.options).FromCSV(tc.cell)
		require.NoErrorf(t, err, "%s %q", tc.typ, tc.cell)
		require.Equal(t, tc.want, string(raw))
	}
	for _, s := range samples() {
		values := build(t, s.typ, s.options)
		raw, err := values.FromCSV("")
		require.NoError(t, err)
		require.Equalf(t, "null", string(raw), "%s", s.typ)
		for _, cell := range []string{"\xff", "a\x00b", `{`, `"`, "[[", "=1+1"} {
			raw, err := values.FromCSV(cell)
			if err != nil {
				var problem field.Error
				require.ErrorAsf(t, err, &problem, "%s %q", s.typ, cell)

				continue
			}
			require.Truef(t, json.Valid(raw) && utf8.Valid(raw), "%s %q: %s", s.typ, cell, raw)
			if cell == "\xff" || cell == "a\x00b" {
				_, err = values.Parse(raw)
				require.Errorf(t, err, "%s %q", s.typ, cell)
			}
		}
	}
}

// TestParse_IsQuickWithHostileValues gives every type values that are large, deep or strange.
func TestParse_IsQuickWithHostileValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	hostile := []string{
		`"` + long + `"`, `"` + strings.Repeat(`\u0041`, 1<<17) + `"`, strings.Repeat("9", 1<<20), `-` + strings.Repeat("0", 1<<20), "1e" + strings.Repeat("9", 1<<20),
		`"` + strings.Repeat("1", 1<<20) + `"`, `"+` + strings.Repeat("1", 1<<20) + `"`, `"http://` + strings.Repeat("a.", 1<<19) + `"`, `"` + strings.Repeat("a@", 1<<19) + `"`,
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		`[` + strings.Repeat(`"red",`, 100_000) + `"red"]`, `{"` + long + `":1}`, `{"value":"` + long + `","unit":"` + long + `"}`, `{"lat":` + strings.Repeat("1", 1<<20) + `,"lng":1}`,
		`{"city":"` + long + `"}`, `"\ud800"`, `"\u0000"`, `"\u202e\u200b\ufeff"`, `""`, `" "`, `{}`, `[]`, `-0`,
	}
	for _, s := range samples() {
		t.Run(s.typ+s.options, func(t *testing.T) {
			t.Parallel()
			values := build(t, s.typ, s.options)
			for _, raw := range hostile {
				done := make(chan error, 1)
				go func() {
					got, err := values.Parse([]byte(raw))
					if err == nil {
						_, err = values.Parse(got.JSON)
					} else if len(err.Error()) > 2_000 {
						t.Errorf("%s answers with %d bytes", s.typ, len(err.Error()))
					} else {
						err = nil
					}
					done <- err
				}()
				select {
				case err := <-done:
					require.NoError(t, err)
				case <-time.After(10 * time.Second):
					require.Failf(t, "too slow", "%.60s", raw)
				}
			}
		})
	}
}

func TestCSV_IsTheSameHoweverADatabaseSpacesADocument(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ                 string
		options, json, want string
	}{
		{"json", "", `{"a": [1, " b "]}`, `{"a":[1," b "]}`},
		{"address", "", `{"city": "Dallas", "country": "US"}`, `{"city":"Dallas","country":"US"}`},
		{"geo_point", "", `{"lat": 38.9, "lng": -77}`, `38.9,-77`},
		{"weight", "", `{"kg": "0.45359237", "unit": "lb", "value": "1"}`, `1 lb`},
		{"multi_select", someChoices, `["red", "grün"]`, `red;grün`},
		{"reference", `{"module_uuid":"` + vehicleModule + `"}`, `{"record_uuid": "` + customerRecord + `"}`, customerRecord},
		{"file", "", `{"attachment_uuid": "` + customerRecord + `"}`, customerRecord},
		{"text", "", `"a\u00e4\n,"`, "aä\n,"},
	} {
		require.Equalf(t, tc.want, build(t, tc.typ, tc.options).CSV([]byte(tc.json)), "%s", tc.typ)
	}
}

func TestUser_NamesAUser(t *testing.T) {
	t.Parallel()
	values := build(t, "user", "")
	_, ok := values.(field.UserNamer)
	require.True(t, ok)
	got, err := values.Parse([]byte(`"` + customerRecord + `"`))
	require.NoError(t, err)
	require.Equal(t, uuid.MustParse(customerRecord), got.Key)
}

// FuzzParse feeds JSON to every type: none may panic, and what one takes is a fixed point and comes
// back from a table.
func FuzzParse(f *testing.F) {
	for _, tc := range slices.Concat(
		ruleCases(), timeCases(), choiceCases(), contactCases(), jsonCases(), addressCases(), tradeCases(), measureCases(),
		textCases(), decimalCases(), referenceCases(), fileCases(),
	) {
		if len(tc.raw) < 300 {
			f.Add([]byte(tc.raw))
		}
	}
	handlers := definition.NewTypes(definition.Defaults())
	var all []field.Values
	for _, s := range samples() {
		values, err := handlers.Values(definition.TypeName(s.typ), []byte(s.options))
		require.NoError(f, err)
		all = append(all, values)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = []byte(strings.TrimSpace(string(raw)))
		for _, values := range all {
			if cell, err := values.FromCSV(string(raw)); err == nil {
				require.Truef(t, json.Valid(cell) && utf8.Valid(cell), "%T %s", values, cell)
			}
			if !json.Valid(raw) || !utf8.Valid(raw) || string(raw) == "null" {
				continue
			}
			got, err := values.Parse(raw)
			if err != nil {
				continue
			}
			require.Truef(t, json.Valid(got.JSON), "%T %s", values, got.JSON)
			requireFixed(t, values, got)
			requireCSV(t, values, got)
		}
	})
}
