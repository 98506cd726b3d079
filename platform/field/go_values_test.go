package field_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/field"
)

// goValue is what every Go value does.
type goValue interface {
	json.Marshaler
	json.Unmarshaler
	driver.Valuer
	sql.Scanner
	huma.SchemaProvider
	field.Typed
}

// goCase is a Go value, what it reads, the normal form of that, and what is wrong with something else.
type goCase struct {
	make    func() goValue
	raw     string
	normal  string
	wrong   string
	problem string
}

func goCases() map[string]goCase {
	return map[string]goCase{
		"vin":       {func() goValue { return new(field.VIN) }, `"1m8gdm9axkp042788"`, `"1M8GDM9AXKP042788"`, `"1M8"`, "must be 17 characters."},
		"phone":     {func() goValue { return new(field.Phone) }, `"(202) 555-0143"`, `"+12025550143"`, `"call me"`, "must be a phone number, such as +1 202 555 0143."},
		"email":     {func() goValue { return new(field.Email) }, `"Ann@Example.com"`, `"ann@example.com"`, `"ann"`, "must be an e-mail address, such as ann@example.com."},
		"url":       {func() goValue { return new(field.URL) }, `"HTTPS://Example.com"`, `"https://example.com/"`, `"example.com"`, "must be a web address that starts with https:// or http://."},
		"date":      {func() goValue { return new(field.Date) }, `"2026-12-01"`, `"2026-12-01"`, `"2026-02-30"`, "must be a day that exists: 2026-02 has the days 01 to 28."},
		"usdot":     {func() goValue { return new(field.USDOT) }, `"1234567"`, `"1234567"`, `"MC-1"`, "must be 1 to 8 digits, such as 1234567 or USDOT 1234567; MC-1 is a docket."},
		"mc":        {func() goValue { return new(field.MC) }, `"mc 0123456"`, `"MC-123456"`, `"x"`, "has no digits: it must be MC, MX or FF and 1 to 8 digits, such as MC-123456."},
		"scac":      {func() goValue { return new(field.SCAC) }, `"abcd"`, `"ABCD"`, `"a1"`, "must be 2 to 4 letters."},
		"equipment": {func() goValue { return new(field.Equipment) }, `"step_deck"`, `"step_deck"`, `"stepdeck"`, "must be one of the kinds of equipment. Did you mean step_deck?"},
		"address": {
			func() goValue { return new(field.Address) }, `{"postal_code":"75201","city":" Dallas & Co ","state":"tx"}`,
			`{"city":"Dallas & Co","state":"TX","country":"US","postal_code":"75201"}`, `{"city":"Dallas","zip":"75201"}`,
			"must not have a part zip: its parts are line1, line2, city, state, postal_code and country.",
		},
		"geo_point": {
			func() goValue { return new(field.GeoPoint) }, `{"lng":-77.03650,"lat":38.8976763}`, `{"lat":38.8976763,"lng":-77.0365}`,
			`{"lat":91,"lng":0}`, "must have a lat between -90 and 90.",
		},
		"weight": {
			func() goValue { return new(field.Weight) }, `{"value":"4000.0"}`, `{"kg":"1814.36948","unit":"lb","value":"4000"}`,
			`{"value":"1","unit":"stone"}`, "must have one of the units kg, g, t, oz, lb, cwt, ton.",
		},
		"length": {
			func() goValue { return new(field.Length) }, `{"value":"50","unit":"ft"}`, `{"m":"15.24","unit":"ft","value":"50"}`,
			`{"value":"-1"}`, "must not be negative.",
		},
	}
}

func TestGoValue_ReadsTheNormalFormOfItsType(t *testing.T) {
	t.Parallel()
	for name, tc := range goCases() {
		made := tc.make()
		require.NoError(t, json.Unmarshal([]byte(tc.raw), made), name)
		raw, err := made.MarshalJSON()
		require.NoError(t, err, name)
		require.Equal(t, tc.normal, string(raw), name)

		err = tc.make().UnmarshalJSON([]byte(tc.wrong))
		require.ErrorAs(t, err, new(field.Error), name)
		require.EqualError(t, err, tc.problem, name)
	}
}

func TestGoValue_IsNothingWhereThereIsNone(t *testing.T) {
	t.Parallel()
	for name, tc := range goCases() {
		made := tc.make()
		require.NoError(t, made.UnmarshalJSON([]byte(tc.raw)), name)
		require.NoError(t, made.UnmarshalJSON([]byte("null")), name)
		require.True(t, reflect.ValueOf(made).Elem().IsZero(), name)
		raw, err := made.MarshalJSON()
		require.NoError(t, err, name)
		require.Equal(t, "null", string(raw), name)
		column, err := made.Value()
		require.NoError(t, err, name)
		require.Nil(t, column, name)
	}
}

func TestGoValue_KnowsItsFieldType(t *testing.T) {
	t.Parallel()
	for name, tc := range goCases() {
		typ, ok := field.TypeOf(reflect.TypeOf(tc.make()))
		require.True(t, ok, name)
		require.Equal(t, tc.make().FieldType().Name, typ.Name, name)
	}
	for of, name := range map[reflect.Type]string{
		reflect.TypeFor[string](): "text", reflect.TypeFor[*int64](): "integer", reflect.TypeFor[bool](): "boolean", reflect.TypeFor[time.Time](): "datetime",
	} {
		typ, ok := field.TypeOf(of)
		require.True(t, ok, name)
		require.Equal(t, name, typ.Name)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[float64](), reflect.TypeFor[[]string](), reflect.TypeFor[any](), reflect.TypeFor[chan int]()} {
		_, ok := field.TypeOf(of)
		require.False(t, ok, of)
	}
}

func TestGoValue_IsDocumentedByItsType(t *testing.T) {
	t.Parallel()
	for name, tc := range goCases() {
		schema := tc.make().Schema(nil)
		require.Equal(t, strings.Replace(tc.make().FieldType().About, ", from min to max", "", 1), schema.Description, name)
		require.True(t, schema.Nullable, name)
		if values, listed := schema.Extensions["enum"]; listed {
			require.Contains(t, values, nil, name)
		}
		example, err := json.Marshal(schema.Examples[0])
		require.NoError(t, err, name)
		made := tc.make()
		require.NoError(t, made.UnmarshalJSON(example), name)
		raw, err := made.MarshalJSON()
		require.NoError(t, err, name)
		require.JSONEq(t, string(example), string(raw), "the example of %s is in its normal form", name)
	}
	text, err := json.Marshal(field.SCAC("").Schema(nil))
	require.NoError(t, err)
	require.JSONEq(t, `{"type":["string","null"],"pattern":"^[A-Za-z]{2,4}$","examples":["ABCD"],
		"description":"A standard carrier alpha code: 2 to 4 letters, kept in upper case."}`, string(text))
}

func TestGoValue_GoesThroughAColumn(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		db := databasetest.Open(t, url)
		document, day := "text", "text"
		if db.Dialect() == database.Postgres {
			document, day = "jsonb", "date"
		}
		type thing struct {
			VIN    field.VIN
			Day    field.Date
			Place  field.Address
			Weight field.Weight
			Point  field.GeoPoint
		}
		var full thing
		require.NoError(t, json.Unmarshal([]byte(`{"VIN":"1m8gdm9axkp042788","Day":"2026-12-01","Place":{"city":"Dallas"},`+
			`"Weight":{"value":"12.5"},"Point":{"lat":1.5,"lng":-2}}`), &full))
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			things := db.Raw(ctx, "a table of the test")
			require.NoError(t, things.Exec("CREATE TABLE things (vin text, day "+day+", place "+document+", weight "+document+", point "+document+")").Error)
			for _, want := range []thing{full, {}} {
				require.NoError(t, things.Exec("DELETE FROM things").Error)
				require.NoError(t, things.Exec("INSERT INTO things VALUES (?, ?, ?, ?, ?)", want.VIN, want.Day, want.Place, want.Weight, want.Point).Error)
				var got thing
				require.NoError(t, things.Raw("SELECT * FROM things").Scan(&got).Error)
				require.Equal(t, want, got)
			}

			return nil
		}))
	})
}

func TestVIN_IsReadFromText(t *testing.T) {
	t.Parallel()
	var vin field.VIN
	require.NoError(t, vin.UnmarshalText([]byte("1m8gdm9axkp042788")))
	require.Equal(t, "1M8GDM9AXKP042788", vin.String())
	require.Error(t, vin.UnmarshalText([]byte("\xff")))
	require.NoError(t, vin.UnmarshalText(nil))
	require.Empty(t, vin)
}

func TestWeight_IsComparedInKilograms(t *testing.T) {
	t.Parallel()
	kilograms, err := field.Weight{Number: "2", Unit: "lb"}.Canonical()
	require.NoError(t, err)
	require.Equal(t, "0.90718474", kilograms)
	_, err = field.Weight{Number: "two", Unit: "lb"}.Canonical()
	require.ErrorAs(t, err, new(field.Error))
}

func TestPhone_IsReadAsPhonesAndWordProcessorsCopyIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"+1\u00a0(214)\u00a0555\u20110143", "+1 (214) 555\u20100143", "214\u2012555\u20130143", "214\u2014555\u20150143", "\u202a+1 214 555 0143\u202c", "\u202d(214) 555-0143\u202e",
		"\u2066+12145550143\u2069", "\u2067\u2068214-555-0143\u2069", "214\ufe0d555\ufe0d0143", "\uff0b\uff11 \uff12\uff11\uff14 \uff15\uff15\uff15 \uff10\uff11\uff14\uff13",
		"\uff08\uff12\uff11\uff14\uff09\u3000\uff15\uff15\uff15\uff0d\uff10\uff11\uff14\uff13", "tel:+1-214-555-0143", "TEL: (214) 555-0143", "tel://2145550143", "sms:+12145550143",
		"214\u2212555\u22120143", "\u200b214.555.0143\u200d", "214\u202f555\u20090143", " 214\t555\n0143 ",
	} {
		var phone field.Phone
		require.NoError(t, phone.UnmarshalText([]byte(text)), "%q", text)
		require.Equal(t, field.Phone("+12145550143"), phone, "%q", text)
	}
	for _, text := range []string{"tel:", "call 2145550143", "\u202e", "214555014", "tel:+1-214-555-0143;ext=7", strings.Repeat("2", 500)} {
		require.Error(t, new(field.Phone).UnmarshalText([]byte(text)), "%q", text)
	}
}
