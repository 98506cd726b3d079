package custommodules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const someChoices = `{"options":[{"id":"red","label":"Red"},{"id":"sky.blue","label":"Sky blue"},{"id":"grün","label":"Grün"},` +
	`{"id":"old","label":"Old","archived":true}]}`

// sample is a type with options, values that it takes, and values that both it and its JSON Schema
// refuse.
type sample struct {
	typ     string
	options string
	values  *rapid.Generator[string]
	refused []string
}

// samples has every type at least once; see TestSamples_HaveEveryType.
func samples() []sample {
	return []sample{
		{"text", `{"max_length":40}`, quotedText(0, 40), []string{`1`, `[]`, `{}`, `true`}},
		{"text", `{"min_length":1,"trim":false}`, quotedText(1, 255), []string{`1`, `""`, `"` + strings.Repeat("x", 4*255+1) + `"`, `[]`, `{}`, `true`}},
		{"text", `{"pattern":"^[A-Z]{2}$","trim":false}`, matching(`[A-Z]{2}`), []string{`"A"`, `"ab"`}},
		{"long_text", "", quotedText(0, 2_000), []string{`1`, `false`}},
		{"integer", "", rapid.Map(rapid.Int64(), func(i int64) string { return strconv.FormatInt(i, 10) }), []string{`1.5`, `"1"`, `9223372036854775808`}},
		{"integer", `{"min":-9007199254740993,"max":9007199254740993}`, rapid.Map(rapid.Int64Range(-9007199254740993, 9007199254740993), func(i int64) string { return strconv.FormatInt(i, 10) }), []string{`9007199254740994`, `-9007199254740994`}},
		{"decimal", "", matching(`-?[0-9]{1,18}(\.[0-9]{1,2})?`), []string{`1`, `"1.234"`, `"1e3"`, `".5"`}},
		{"decimal", `{"scale":18}`, matching(`-?[0-9]{1,18}(\.[0-9]{1,18})?`), []string{`"x"`}},
		{"boolean", "", rapid.SampledFrom([]string{"true", "false"}), []string{`1`, `"true"`}},
		{"date", "", times(time.DateOnly), []string{`"2026-02-30"`, `20260228`}},
		{"local_datetime", "", times(time.DateTime), []string{`"2026-02-28"`, `1`}},
		{"time", "", times(time.TimeOnly), []string{`"24:00:00"`, `"9:00:00"`, `1`}},
		{"datetime", "", rapid.OneOf(times("2006-01-02T15:04:05Z"), times("2006-01-02T15:04:05.999999Z"), times("2006-01-02T15:04:05.999999+14:00")), []string{`"2026-02-28"`, `"2026-02-28 10:00:00"`, `"2026-02-28T10:00:00"`, `1`}},
		{"select", someChoices, rapid.SampledFrom([]string{`"red"`, `"sky.blue"`, `"grün"`}), []string{`"blue"`, `1`, `["red"]`, `""`}},
		{"multi_select", someChoices, choiceLists(), []string{`["blue"]`, `"red"`, `[1]`}},
		{"email", "", matching(`[a-zA-Z0-9+]{1,20}(\.[a-z]{1,5})?@[A-Za-z0-9]{1,20}\.[a-zA-Z]{2,6}`), []string{`"ann"`, `"ann@localhost"`, `"@example.com"`, `1`}},
		{"phone", "", matching(`(\+1 ?)?\(?(202|415|212)\)?[ -]?[2-9][0-46-9][0-9]-?[0-9]{4}`), []string{`"1-800-FLOWERS"`, `"+1 202 555 0143 x5"`, `1`}},
		{"url", "", matching(`[hH]ttps?://[a-zA-Z0-9]{1,9}\.[a-z]{2,5}(:(80|443|8080))?(/[a-zA-Z0-9%]{0}[a-z0-9~_ä.-]{0,9}){0,3}(\?[a-z=&+]{0,9})?(#[a-z]{0,5})?`), []string{`"ftp://a.b/"`, `"example.com"`, `"https:// a"`, `1`}},
		{"json", "", anyJSON(), nil},
		{"json", `{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":9007199254740993}}}}`, rapid.Just(`{"a":9007199254740993}`), []string{`{"a":9007199254740992}`, `[]`, `{}`, `{"a":"b"}`}},
		{"auto_number", "", rapid.StringMatching(`[1-9][0-9]{0,11}`), []string{`"1"`, `1.5`}},
		{"auto_number", `{"template":"R-{seq:5}"}`, matching(`R-[0-9]{5,12}`), []string{`1`}},
		{"formula", `{"formula":"1","result":"decimal","scale":3}`, matching(`-?[0-9]{1,18}\.[0-9]{3}`), []string{`1`, `"x"`}},
		{"formula", `{"formula":"true","result":"boolean"}`, rapid.SampledFrom([]string{"true", "false"}), []string{`1`}},
		{"formula", `{"formula":"nil","result":"text"}`, quotedText(0, 500), []string{`1`}},
		{
			"rollup", `{"function":"sum","module_uuid":"0190d0c0-0000-7000-8000-000000000101","reference_uuid":"0190d0c0-0000-7000-8000-000000000102","field_uuid":"0190d0c0-0000-7000-8000-000000000103","result":"decimal"}`,
			matching(`-?[0-9]{1,18}\.[0-9]{2}`),
			[]string{`1`, `"x"`},
		},
		{
			"lookup", `{"reference_uuid":"0190d0c0-0000-7000-8000-000000000102","module_uuid":"0190d0c0-0000-7000-8000-000000000101","field_uuid":"0190d0c0-0000-7000-8000-000000000103","result":"decimal","scale":3}`,
			matching(`-?[0-9]{1,18}\.[0-9]{3}`),
			[]string{`1`, `"x"`},
		},
		{"item", "", rapid.Map(quotedUUID(), func(id string) string { return `{"uuid":` + id + `,"type":"sms.message"}` }), []string{`{}`, `"x"`, `{"type":"sms.message"}`, `{"type":"sms.message","uuid":"x"}`}},
		{"item", `{"types":["sms.message"]}`, rapid.Map(quotedUUID(), func(id string) string { return `{"type":"sms.message","uuid":` + id + `}` }), []string{`{"type":"loads.load","uuid":"` + vehicleModule + `"}`}},
		{"file", `{"accept":["image/*"]}`, rapid.Map(quotedUUID(), func(id string) string { return `{"attachment_uuid":` + id + `}` }), []string{`{}`, `"x"`, `{"attachment_uuid":"x"}`, `{"attachment_uuid":"` + vehicleModule + `","a":1}`}},
		{"user", "", quotedUUID(), []string{`"ann"`, `1`, `{}`}},
		{"reference", `{"module_uuid":"` + vehicleModule + `"}`, rapid.Map(quotedUUID(), func(id string) string { return `{"record_uuid":` + id + `}` }), []string{`{}`, `"x"`, `{"record_uuid":"x"}`, `{"record_uuid":"` + vehicleModule + `","a":1}`}},
		{"address", "", addresses(), []string{`"here"`, `{}`, `{"line1":1}`, `{"street":"Main"}`}},
		{"geo_point", "", rapid.OneOf(jsonMatching(`{"lat":-?[1-8]?[0-9](\.[0-9]{1,7})?,"lng":-?(1[0-7])?[0-9](\.[0-9]{1,7})?}`), rapid.Just(`{"lng":-180.0,"lat":90}`)), []string{`{"lat":91,"lng":0}`, `{"lat":0,"lng":-180.1}`, `{"lat":"0","lng":0}`, `{"lat":0}`, `[0,0]`}},
		{"vin", "", matching(`[A-HJ-NPR-Za-hj-npr-z0-9]{17}`), []string{`"1"`, `17`, `"1HGCM82633A00435O"`}},
		{"usdot_number", "", matching(`(USDOT |dot#|US DOT: )?0{0,3}[1-9][0-9]{0,7}[CVP]?`), []string{`"0"`, `"123456789"`, `"MC-123"`, `123`, `"12q"`}},
		{"mc_number", "", matching(`((MC|mc|Mx|FF)[ #-]?)?0{0,2}[1-9][0-9]{0,7}`), []string{`"MC"`, `"XX-1"`, `"MC-0"`, `1`}},
		{"scac", "", matching(`[A-Za-z]{2,4}`), []string{`"A"`, `"ABCDE"`, `"AB1"`, `1`}},
		{"equipment", "", rapid.Map(rapid.SampledFrom(field.EquipmentCodes), strconv.Quote), []string{`"open carrier"`, `"OPEN"`, `1`}},
		{"weight", "", jsonMatching(`{"value":"[0-9]{1,12}(\.[0-9]{1,6})?"(,"unit":"(kg|g|t|oz|lb|cwt|ton)")?}`), []string{`{"value":12}`, `{"value":"1","unit":"stone"}`, `{"unit":"lb"}`, `{"value":"-1"}`, `"12 lb"`, `{"value":"1","a":1}`}},
		{"length", "", jsonMatching(`{"value":"[0-9]{1,12}(\.[0-9]{1,6})?"(,"unit":"(m|mm|cm|km|in|ft|yd|mi)")?}`), []string{`{"value":"1","unit":"lb"}`, `{}`}},
	}
}

func quotedText(least, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.StringN(least, most/3, -1), func(text string) string {
		return string(rawjson.Quote(strings.Map(func(r rune) rune {
			if r == 0 {
				return 'x'
			}

			return r
		}, text)))
	})
}

func matching(pattern string) *rapid.Generator[string] {
	return rapid.Map(rapid.StringMatching(pattern), strconv.Quote)
}

func jsonMatching(pattern string) *rapid.Generator[string] { return rapid.StringMatching(pattern) }

func times(layout string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		micros := rapid.Int64Range(time.Date(2, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(9998, 12, 31, 0, 0, 0, 0, time.UTC).UnixMicro()).Draw(t, "at")

		return strconv.Quote(time.UnixMicro(micros).UTC().Format(strings.ReplaceAll(layout, "+14:00", "")) + zoneOf(layout))
	})
}

// zoneOf keeps a zone in a layout that Format would take for something else.
func zoneOf(layout string) string {
	if strings.HasSuffix(layout, "+14:00") {
		return "+14:00"
	}

	return ""
}

func quotedUUID() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		id := uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))

		return strconv.Quote(rapid.SampledFrom([]string{id.String(), strings.ToUpper(id.String())}).Draw(t, "form"))
	})
}

func choiceLists() *rapid.Generator[string] {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{`"red"`, `"sky.blue"`, `"grün"`}), 1, 5)

	return rapid.Map(ids, func(ids []string) string { return "[" + strings.Join(ids, ", ") + "]" })
}

func addresses() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := map[string]string{"city": rapid.StringMatching(`[A-Za-zäöü .]{1,20}[a-z]`).Draw(t, "city")}
		if rapid.Bool().Draw(t, "us") {
			parts["state"] = rapid.SampledFrom([]string{"TX", "ny", "Dc"}).Draw(t, "state")
			parts["postal_code"] = rapid.StringMatching(`[0-9]{5}(-[0-9]{4})?`).Draw(t, "zip")
		} else {
			parts["country"] = rapid.SampledFrom([]string{"DE", "ca", "mx"}).Draw(t, "country")
			parts["line2"] = rapid.String().Draw(t, "line2")
		}
		for name, part := range parts {
			parts[name] = strings.Map(func(r rune) rune {
				if r < ' ' || (r >= 0x7f && r < 0xa0) {
					return '-'
				}

				return r
			}, part)
		}
		text, err := json.Marshal(parts)
		require.NoError(t, err)

		return string(text)
	})
}

func anyJSON() *rapid.Generator[string] {
	leaf := rapid.OneOf(
		quotedText(0, 30), rapid.SampledFrom([]string{"true", "false", "0", "-0", "-0.0e0", "[]", "{}", `"\ud83d\ude9a\/"`}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?`),
	)

	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) string {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zäß_]{0,6}`), 0, 5, rapid.ID[string]).Draw(t, "names")
		var parts []string
		for _, name := range names {
			inner := leaf.Draw(t, name)
			parts = append(parts, string(rawjson.Quote(name))+" : "+rapid.SampledFrom([]string{inner, "[" + inner + ", null]", `{"b":` + inner + `,"a":1}`}).Draw(t, "in"))
		}

		return "{ " + strings.Join(parts, " , ") + " }"
	}))
}

func TestSamples_HaveEveryType(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, s := range samples() {
		have[s.typ] = true
	}
	for _, typ := range definition.FieldTypes(definition.Defaults()) {
		require.Truef(t, have[typ.Name], "no samples of %s", typ.Name)
	}
}

// TestTypes_KeepTheirPromises checks each type against everything that the others rely on: a normal
// form is a fixed point, goes through a table and back, follows the JSON Schema, and has one key
// however it is compared.
func TestTypes_KeepTheirPromises(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.typ+s.options, func(t *testing.T) {
			t.Parallel()
			values := build(t, s.typ, s.options)
			typ := definition.NewTypes(definition.Defaults())[definition.TypeName(s.typ)]
			schema := compiledSchema(t, values.Schema())
			rapid.Check(t, func(t *rapid.T) {
				raw := []byte(s.values.Draw(t, "raw"))
				got, err := values.Parse(raw)
				require.NoError(t, err)
				require.Truef(t, json.Valid(got.JSON), "%s", got.JSON)
				requireFixed(t, values, got)
				requireCSV(t, values, got)
				require.NoErrorf(t, followsSchema(t, schema, got.JSON), "%s", got.JSON)
				requireCompared(t, typ, values, got)
			})
			for _, raw := range s.refused {
				_, err := values.Parse([]byte(raw))
				require.Errorf(t, err, "%s", raw)
				require.Errorf(t, followsSchema(t, schema, []byte(raw)), "the schema takes %s", raw)
			}
		})
	}
}

func requireFixed(t require.TestingT, values field.Values, got field.Value) {
	again, err := values.Parse(got.JSON)
	require.NoErrorf(t, err, "%s", got.JSON)
	require.Equal(t, string(got.JSON), string(again.JSON))
	require.Equal(t, got.Key, again.Key)
}

func requireCSV(t require.TestingT, values field.Values, got field.Value) {
	cell := values.CSV(got.JSON)
	raw, err := values.FromCSV(cell)
	require.NoErrorf(t, err, "cell %q", cell)
	if cell == "" {
		require.Equal(t, "null", string(raw))
		require.Contains(t, []string{`""`, `[]`}, string(got.JSON))

		return
	}
	require.Truef(t, json.Valid(raw), "%s", raw)
	again, err := values.Parse(raw)
	require.NoErrorf(t, err, "cell %q", cell)
	if string(got.JSON) != string(again.JSON) { // escapes of a text are kept as they were given
		require.Equal(t, rawjson.Text(got.JSON), rawjson.Text(again.JSON))
	}
	require.Equal(t, got.Key, again.Key)
}

// requireCompared takes what a cursor has of a value for the key again.
func requireCompared(t require.TestingT, typ field.Type, values field.Values, got field.Value) {
	if !typ.Sortable && typ.Index == "" {
		return
	}
	f := &definition.ModuleField{Number: "1", Typ: typ, Values: values}
	text, ok := f.Comparand([]byte(`{"1":` + string(got.JSON) + `}`))
	require.True(t, ok)
	key, err := values.Comparable(text)
	require.NoError(t, err)
	if want, ok := got.Key.(string); ok && typ.Index == field.NumericIndex {
		require.Equal(t, field.OrderedNumber(want), field.OrderedNumber(fmt.Sprint(key)))

		return
	}
	require.Equal(t, got.Key, key)
}

func compiledSchema(t *testing.T, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("urn:dispatchd:test", document))
	compiled, err := compiler.Compile("urn:dispatchd:test")
	require.NoError(t, err)

	return compiled
}

func followsSchema(t require.TestingT, schema *jsonschema.Schema, raw []byte) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)

	return schema.Validate(instance)
}
