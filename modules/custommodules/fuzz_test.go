package custommodules

import (
	"encoding/json"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// everything is a module with a field of each type that a caller sets, half of them with a slot.
func everything(t testing.TB, on database.Dialect) *definition {
	t.Helper()
	var fields []*moduleField
	taken := map[field.Index]int{}
	for i, s := range samples() {
		if i > 0 && s.typ == samples()[i-1].typ {
			continue
		}
		row := fieldRow{Number: len(fields) + 1, ID: uuid.NewSHA1(uuid.Nil, []byte(s.typ)), Key: s.typ, Type: typeName(s.typ), Options: rawjson.Object(s.options)}
		kind := newTypes(defaults())[typeName(s.typ)].Index
		if free := slotsOf(kind); kind != "" && i%2 == 0 && taken[kind] < len(free) {
			row.Slot, row.SlotReady = &free[taken[kind]], true
			taken[kind]++
		}
		compiled, err := newTypes(defaults()).compile(row)
		require.NoError(t, err)
		fields = append(fields, compiled)
	}

	return newDefinition(uuid.MustParse(vehicleModule), 3, fields, on)
}

// FuzzAmend takes a payload and a merge patch. What the patch makes of the document, undone by what the
// history keeps, is the document again; and the same patch again changes nothing.
func FuzzAmend(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"text":"a","integer":1}`, `{"text":null,"integer":2}`},
		{`{}`, `{"decimal":"1.5"}`},
		{`{"json":{"a":{"b":1,"c":2}}}`, `{"json":{"a":{"b":null},"d":[1]}}`},
		{`{"weight":{"value":"1","unit":"kg"}}`, `{"weight":{"value":"2"}}`},
		{`{"address":{"city":"Dallas","state":"TX"}}`, `{"address":{"state":null,"line1":"1 Main St"}}`},
		{`{"json":null}`, `{"json":{"\u0061":1.0}}`},
		{`{"multi_select":["red"]}`, `{"multi_select":[]}`},
		{`{"geo_point":{"lat":1,"lng":2}}`, `{"geo_point":{"lat":3}}`},
		{`{"json":{"a":1}}`, `{"json":{"a":1,"a":2}}`},
		{`{"date":"2026-01-01"}`, `{"da\u0074e":"2026-01-02"}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	d := everything(f, database.SQLite)
	f.Fuzz(func(t *testing.T, payload, patch []byte) {
		for _, text := range [][]byte{payload, patch} {
			if !json.Valid(text) || !utf8.Valid(text) || text[0] != '{' {
				return
			}
		}
		before, found := d.decode(payload, presets{})
		if !found.none() {
			return
		}
		after, found := d.amend(before.document, patch, false)
		if !found.none() {
			return
		}
		require.Truef(t, json.Valid(after.document), "%s", after.document)
		undone, err := d.undone(after.document, encodeChanges(d.diff(before.document, after.document)))
		require.NoError(t, err)
		require.Empty(t, d.diff(before.document, undone))
		require.Equal(t, d.reread(before.document).keys, d.reread(undone).keys)
		require.Equal(t, after.keys, d.reread(after.document).keys)

		again, found := d.amend(after.document, patch, false)
		require.True(t, found.none())
		require.Empty(t, d.diff(after.document, again.document))
	})
}

// FuzzQuery holds that a query of records, its filters, its sort and its cursor, is understood or refused,
// never more.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"per_page=2&sort=-integer,text&filter[text][starts]=a", "filter[or][0][decimal][in]=1,2&filter[or][1][weight]=2.5 kg", "filter[select]=red&sort=select",
		"filter[datetime][lt]=2026-01-01T00:00:00Z&filter[date]=0000-01-01", "filter[reference]=x&cursor=AQA", `filter[multi_select][like]=red&filter[json][null]=true`,
		"filter[integer][gte]=9223372036854775808", "filter[vin]=1hgcm82633a004352&filter[phone]=202 555 0143", "sort=weight&cursor=AQEAAAAA",
	} {
		f.Add(seed)
	}
	schemas := []list.Schema{everything(f, database.SQLite).schema, everything(f, database.Postgres).schema}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		for _, schema := range schemas {
			in := list.FromQuery("/records", values)
			q, err := in.Parse(t.Context(), schema)
			if err != nil {
				require.Equal(t, errs.Invalid, errs.KindOf(err), err)

				continue
			}
			require.NotEmpty(t, q.Parts())
		}
	})
}
