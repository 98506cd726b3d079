package formbody_test

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web/formbody"
)

type crew struct {
	Name  string `json:"driver_name,omitempty"`
	Phone string `json:"driver_phone,omitempty"`
}

type unit struct {
	Kind  string   `json:"kind"`
	Slots int64    `json:"slots"`
	Winch bool     `json:"winch,omitempty"`
	From  []string `json:"from,omitempty"`
}

type body struct {
	Name     string `json:"name"`
	Note     string `json:"note,omitempty"`
	Accepted bool   `json:"accepted"`
	Loud     bool   `json:"loud,omitempty"`
	Shown    int    `json:"shown"`
	Amount   string `json:"amount,omitempty" format:"decimal"`
	Crew     crew   `json:"crew,omitzero"`
	Price    price  `json:"price,omitempty"`
	Units    []unit `json:"units"`
}

// price has a schema of its own, as field types have.
type price string

func (price) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Extensions: map[string]any{"format": "decimal"}}
}

func read(t *testing.T, form string) string {
	t.Helper()
	values, err := url.ParseQuery(form)
	require.NoError(t, err)
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	made, err := formbody.Read(values, registry.Schema(reflect.TypeFor[body](), true, "Body"), registry)
	require.NoError(t, err)

	return string(made)
}

func TestRead_ConvertsWhatPeopleEnterToTheTypesOfTheBody(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"":                                       `{"accepted": false, "units": []}`,
		"name=+Ann+&note=&accepted=true":         `{"name": "Ann", "accepted": true, "units": []}`,
		"name=&accepted=on":                      `{"name": "", "accepted": true, "units": []}`,
		"accepted=maybe&shown=12,345":            `{"accepted": "maybe", "shown": 12345, "units": []}`,
		"shown=many&amount=$1,250.50":            `{"accepted": false, "shown": "many", "amount": "1250.50", "units": []}`,
		"shown=007&amount=a+lot":                 `{"accepted": false, "shown": "007", "amount": "a lot", "units": []}`,
		"crew.driver_name=Jo&crew.driver_phone=": `{"accepted": false, "crew": {"driver_name": "Jo"}, "units": []}`,
		"crew.driver_name=&crew.driver_phone=":   `{"accepted": false, "units": []}`,
		"units.1.kind=open&units.1.slots=7&units.0.kind=&units.2.winch=true&units.2.from=TX,+75%3BOK": `{"accepted": false, "units": [
			{"kind": "open", "slots": 7}, {"winch": true, "from": ["TX", "75", "OK"]}
		]}`,
		"price=$+1,250":   `{"accepted": false, "units": [], "price": "1250"}`,
		"shown=1&shown=2": `{"accepted": false, "shown": 1, "units": []}`,
	} {
		require.JSONEq(t, want, read(t, form), form)
	}
}

func TestRead_LeavesWhatTheBodyDoesNotHaveForItsCheckToName(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"accepted": false, "units": [], "paid": "yes"}`, read(t, "paid=yes"))
	require.JSONEq(t, `{"accepted": false, "units": [], "crew": {"cook": "Al"}}`, read(t, "crew.cook=Al"))
}

func FuzzRead(f *testing.F) {
	f.Add("units.99999999999.kind=a&.=b&crew=c&crew.driver_name.more=d")
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[body](), true, "Body")
	f.Fuzz(func(t *testing.T, form string) {
		values, err := url.ParseQuery(form)
		if err != nil {
			return
		}
		_, err = formbody.Read(values, schema, registry)
		require.NoError(t, err)
	})
}

func TestRead_ReadsAmountsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for entered, want := range map[string]string{
		"$950": "950", "1,250": "1250", "1 250.00": "1250.00", " $ 1,250.50 ": "1250.50", "950.00": "950.00", "12,345,678.90": "12345678.90", "1'250": "1250", "950$": "950",
		"1\u00a0250": "1250", "1,25": "1,25", "1,2500": "1,2500", "1.250,00": "1.250,00", "much": "much", "-$5": "-5", "12 34": "12 34",
	} {
		require.JSONEq(t, `{"accepted": false, "units": [], "amount": "`+want+`"}`, read(t, url.Values{"amount": {entered}}.Encode()), entered)
	}
}
