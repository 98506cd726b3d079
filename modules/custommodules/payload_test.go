package custommodules

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	vehicleModule  = "0198f2d0-0000-7000-8000-000000000001"
	customerModule = "0198f2d0-0000-7000-8000-000000000002"
	customerRecord = "0198f2d0-0000-7000-8000-00000000000a"
)

// vehicles is the module of the service interface: its eight keys, of which only vin is required.
func vehicles(t testing.TB) *definition.Definition {
	t.Helper()
	var fields []*definition.ModuleField
	for i, f := range []struct {
		key     string
		typ     definition.TypeName
		options string
		slot    definition.Slot
	}{
		{"vin", "vin", "", "text_1"},
		{"year", "integer", "", "numeric_1"},
		{"price", "decimal", "", "numeric_2"},
		{"operable", "boolean", "", ""},
		{"pickup_date", "date", "", "time_1"},
		{"pickup_time", "local_datetime", "", ""},
		{"notes", "long_text", "", ""},
		{"customer", "reference", `{"module_uuid":"` + customerModule + `"}`, "uuid_1"},
		{"größe", "integer", "", ""},
	} {
		row := definition.FieldRow{Number: i + 1, Key: f.key, Required: f.key == "vin", Type: f.typ, Options: rawjson.Object(f.options)}
		if f.slot != "" {
			row.Slot = &f.slot
		}
		compiled, err := definition.NewTypes(definition.Defaults()).Compile(row)
		require.NoError(t, err)
		fields = append(fields, compiled)
	}

	return definition.NewDefinition(uuid.MustParse(vehicleModule), 3, fields, database.SQLite)
}

const documented = `{
	"vin": "1hgcm82633a004352", "year": 2019, "price": "12500", "operable": true,
	"pickup_date": "2026-02-28", "pickup_time": "2026-02-28 10:30:00", "notes": "Line 1\nLine 2",
	"customer": {"record_uuid": "` + customerRecord + `"}
}`

func TestDecode_KeysTheDocumentByNumberAndFillsTheSlots(t *testing.T) {
	t.Parallel()
	made, found := vehicles(t).Decode([]byte(documented), definition.Presets{})
	require.True(t, found.None())
	require.Equal(t, `{"1":"1HGCM82633A004352","2":2019,"3":"12500.00","4":true,"5":"2026-02-28",`+
		`"6":"2026-02-28 10:30:00","7":"Line 1\nLine 2","8":{"record_uuid":"`+customerRecord+`"}}`, string(made.Document))

	filled := map[definition.Slot]any{}
	for i, s := range definition.AllSlots() {
		if made.Keys[i] != nil {
			filled[s] = made.Keys[i]
		}
	}
	require.Equal(t, map[definition.Slot]any{
		"text_1": "1HGCM82633A004352", "numeric_1": "2019", "numeric_2": "12500.00",
		"time_1": "2026-02-28", "uuid_1": uuid.MustParse(customerRecord),
	}, filled)
	require.Len(t, made.Links, 1)
	require.Equal(t, uuid.MustParse(customerModule), made.Links[0].Target())
}

func TestDecode_WritesMembersInTheOrderOfFields(t *testing.T) {
	t.Parallel()
	made, found := vehicles(t).Decode([]byte(`{"year":1,"notes":null,"vin":"1HGCM82633A004352"}`), definition.Presets{})
	require.True(t, found.None())
	require.Equal(t, `{"1":"1HGCM82633A004352","2":1,"7":null}`, string(made.Document))
}

func TestDecode_TakesAKeyInAnyUnicodeForm(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"größe", "gro\u0308ße", `gr\u00f6ße`, `gro\u0308\u00dfe`} {
		made, found := vehicles(t).Decode([]byte(`{"vin":"1HGCM82633A004352","`+key+`":5}`), definition.Presets{})
		require.True(t, found.None())
		require.Equal(t, `{"1":"1HGCM82633A004352","9":5}`, string(made.Document))
	}
}

func TestDecode_SaysEverythingThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		payload string
		want    map[string][]string
	}{
		{`{}`, map[string][]string{"payload.vin": {"The vin is required."}}},
		{`{"vin":null}`, map[string][]string{"payload.vin": {"The vin is required."}}},
		{
			`{"vin":"short","year":"2019","price":1.5,"operable":"yes","pickup_date":"soon","pickup_time":"noon","notes":1,"customer":"me"}`,
			map[string][]string{
				"payload.vin":         {"The vin must be 17 characters."},
				"payload.year":        {"The year must be a whole number."},
				"payload.price":       {`The price must be a decimal number in a string, such as "12500.00".`},
				"payload.operable":    {"The operable must be true or false."},
				"payload.pickup_date": {"The pickup date must be a date: YYYY-MM-DD."},
				"payload.pickup_time": {"The pickup time must be a date and time: YYYY-MM-DD HH:MM:SS."},
				"payload.notes":       {"The notes must be a string."},
				"payload.customer":    {`The customer must be a reference: {"record_uuid": "…"}.`},
			},
		},
		{`{"vin":"1HGCM82633A004352","yeer":1,"zzz":{"a":[1]},"":1}`, map[string][]string{
			"payload.yeer": {"The key yeer is not known in this module. Did you mean year?"},
			"payload.zzz":  {"The key zzz is not known in this module. Known are: customer, größe, notes, operable, pickup_date, pickup_time, price, vin, year."},
			"payload.":     {"The key  is not known in this module. Known are: customer, größe, notes, operable, pickup_date, pickup_time, price, vin, year."},
		}},
		{`{"vin":"1HGCM82633A004352","vin":"1HGCM82633A004352"}`, map[string][]string{
			"payload.vin": {"The vin is given more than once."},
		}},
	} {
		_, found := vehicles(t).Decode([]byte(tc.payload), definition.Presets{})
		require.Equalf(t, tc.want, found.Messages, "%s", tc.payload)
	}
}

func TestDecode_BoundsWhatItSaysOfAHostilePayload(t *testing.T) {
	t.Parallel()
	var payload strings.Builder
	payload.WriteString(`{"` + strings.Repeat("long", 10_000) + `":1`)
	for i := range 20_000 {
		payload.WriteString(`,"k` + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + `":0`)
	}
	payload.WriteString(`}`)
	_, found := vehicles(t).Decode([]byte(payload.String()), definition.Presets{})
	require.LessOrEqual(t, len(found.Messages), definition.MostProblems)
	require.ErrorIs(t, found.ErrorAs(definition.ErrInvalidPayload, "payload"), definition.ErrInvalidPayload)
	require.Len(t, found.Messages["payload"], 1)
}

func TestAppendPayload_ShowsWhatWasStored(t *testing.T) {
	t.Parallel()
	d := vehicles(t)
	made, found := d.Decode([]byte(documented), definition.Presets{})
	require.True(t, found.None())
	want := `{"vin":"1HGCM82633A004352","year":2019,"price":"12500.00","operable":true,"pickup_date":"2026-02-28",` +
		`"pickup_time":"2026-02-28 10:30:00","notes":"Line 1\nLine 2","customer":{"record_uuid":"` + customerRecord + `"}}`
	require.Equal(t, want, string(d.AppendPayload(nil, made.Document)))

	spaced := `{"1": "1HGCM82633A004352", "2": 2019, "8": {"record_uuid": "a b"}, "99": [1, {"a": 2}]}`
	require.Equal(t, `{"vin":"1HGCM82633A004352","year":2019,"customer":{"record_uuid":"a b"}}`,
		string(d.AppendPayload(nil, []byte(spaced))))
	require.Equal(t, `{}`, string(d.AppendPayload(nil, []byte(`{}`))))
}

func TestComparand_ReadsWhatAFieldIsComparedBy(t *testing.T) {
	t.Parallel()
	d := vehicles(t)
	document := []byte(`{"1": "A\u0042C", "2": -7, "4": false, "7": null, "8": {"record_uuid": "x"}}`)
	for key, want := range map[string]string{"vin": "ABC", "year": "-7", "operable": "false", "customer": "x"} {
		got, ok := d.Field(key).Comparand(document)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, key := range []string{"notes", "price"} {
		_, ok := d.Field(key).Comparand(document)
		require.False(t, ok)
	}
}

// FuzzDecode feeds payloads to the decoder. Whatever it takes must be a document of valid JSON, and
// shown again it must decode to the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		documented, `{}`, `{"vin":"1HGCM82633A004352","notes":"\ud83d\ude9a"}`, `{"vin":1,"vin":2}`,
		`{"\u0076in":"1HGCM82633A004352"}`, `{"year":1e400}`, `{"notes":"\ud800"}`, `{"customer":{"record_uuid":{}}}`,
		`[[[[`, `{"a":{"b":[{}]}}`, `{"price":"99999999999999999999.999"}`, ` { "year" : -0 } `,
	} {
		f.Add([]byte(seed))
	}
	d := vehicles(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		for range rawjson.Members(payload) { // never beyond the end, valid or not
		}
		if !json.Valid(payload) || !utf8.Valid(payload) {
			return
		}
		made, found := d.Decode(payload, definition.Presets{})
		if !found.None() {
			return
		}
		require.Truef(t, json.Valid(made.Document), "document %q", made.Document)
		shown := d.AppendPayload(nil, made.Document)
		require.Truef(t, json.Valid(shown), "payload %q", shown)
		again, found := d.Decode(shown, definition.Presets{})
		require.True(t, found.None())
		require.Equal(t, string(made.Document), string(again.Document))
		require.Equal(t, made.Keys, again.Keys)
	})
}

func BenchmarkDecode(b *testing.B) {
	d := vehicles(b)
	payload := []byte(documented)
	b.ReportAllocs()
	for b.Loop() {
		_, found := d.Decode(payload, definition.Presets{})
		require.True(b, found.None())
	}
}

func BenchmarkAppendPayload(b *testing.B) {
	d := vehicles(b)
	made, found := d.Decode([]byte(documented), definition.Presets{})
	require.True(b, found.None())
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = d.AppendPayload(out[:0], made.Document)
	}
}
