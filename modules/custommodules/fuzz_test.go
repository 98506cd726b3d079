package custommodules

import (
	"encoding/json"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// everything is a module with a field of each type that a caller sets, half of them with a slot.
func everything(t testing.TB, on database.Dialect) *definition.Definition {
	t.Helper()
	var fields []*definition.ModuleField
	taken := map[field.Index]int{}
	for i, s := range samples() {
		if i > 0 && s.typ == samples()[i-1].typ {
			continue
		}
		row := definition.FieldRow{Number: len(fields) + 1, ID: uuid.NewSHA1(uuid.Nil, []byte(s.typ)), Key: s.typ, Type: definition.TypeName(s.typ), Options: rawjson.Object(s.options)}
		kind := definition.NewTypes(definition.Defaults())[definition.TypeName(s.typ)].Index
		if free := definition.SlotsOf(kind); kind != "" && i%2 == 0 && taken[kind] < len(free) {
			row.Slot, row.SlotReady = &free[taken[kind]], true
			taken[kind]++
		}
		compiled, err := definition.NewTypes(definition.Defaults()).Compile(row)
		require.NoError(t, err)
		fields = append(fields, compiled)
	}

	return definition.NewDefinition(uuid.MustParse(vehicleModule), 3, fields, on)
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
		before, found := d.Decode(payload, definition.Presets{})
		if !found.None() {
			return
		}
		after, found := d.Amend(before.Document, patch, false)
		if !found.None() {
			return
		}
		require.Truef(t, json.Valid(after.Document), "%s", after.Document)
		undone, err := d.Undone(after.Document, records.EncodeChanges(d.Diff(before.Document, after.Document)))
		require.NoError(t, err)
		require.Empty(t, d.Diff(before.Document, undone))
		require.Equal(t, d.Reread(before.Document).Keys, d.Reread(undone).Keys)
		require.Equal(t, after.Keys, d.Reread(after.Document).Keys)

		again, found := d.Amend(after.Document, patch, false)
		require.True(t, found.None())
		require.Empty(t, d.Diff(after.Document, again.Document))
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
	schemas := []list.Schema{everything(f, database.SQLite).Schema, everything(f, database.Postgres).Schema}
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
