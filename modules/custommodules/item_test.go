package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func ref(id string) item.Ref {
	return item.Ref{Type: "custom_modules.record", UUID: uuid.MustParse(id)}
}

func TestItems_RecordsAreTheFirstType(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var items *item.Registry
		a := moduletest.Boot(t, url, modules(), moduletest.With(fx.Populate(&items)))
		company := a.NewCompany(t)
		post := func(path string, body object) string {
			return a.Call(t, company.Token, http.MethodPost, path, body).OK(t).Get("uuid").String()
		}
		trucks := post(modulesPath, object{"name": "Trucks", "fields": []object{
			{"key": "axles", "type": "integer"},
			{"key": "unit", "label": "Unit number", "type": "text"},
			{"key": "price", "type": "decimal"},
			{"key": "notes", "type": "long_text"},
		}})
		trips := post(modulesPath, object{"name": "Trips", "fields": []object{
			{"key": "truck", "type": "reference", "options": object{"module_uuid": trucks}}, {"key": "day", "type": "date"},
		}})
		truck := post(recordsPath, object{"module_uuid": trucks, "payload": object{"unit": " T\t7 ", "axles": 3, "price": "12.50"}})
		trip := post(recordsPath, object{"module_uuid": trips, "payload": object{"truck": object{"record_uuid": truck}}})

		ctx := principal.With(t.Context(), principal.ForCompany(company.ID))
		refs := []item.Ref{ref(trip), ref(truck), ref(uuid.NewString())}
		titles, err := items.Titles(ctx, refs)
		require.NoError(t, err)
		require.Equal(t, []item.Titled{
			{
				Ref: refs[0], Exists: true, Title: "Trips " + trip[len(trip)-8:],
				Class: item.Class{Type: "custom_modules.record", Part: trips},
			},
			{Ref: refs[1], Exists: true, Title: "T 7", Class: item.Class{Type: "custom_modules.record", Part: trucks}},
			{Ref: refs[2]},
		}, titles)

		fields, err := items.Fields(ctx, titles[0].Class, titles[1].Class, item.Class{Type: "custom_modules.record", Part: truck})
		require.NoError(t, err)
		require.Equal(t, [][]item.Field{{
			{Key: "truck", Label: "Truck", Kind: kind.Reference}, {Key: "day", Label: "Day", Kind: kind.Date},
		}, {
			{Key: "axles", Label: "Axles", Kind: kind.Integer},
			{Key: "unit", Label: "Unit number", Kind: kind.Text},
			{Key: "price", Label: "Price", Kind: kind.Decimal},
			{Key: "notes", Label: "Notes", Kind: kind.Text},
		}, nil}, fields)

		values, err := items.Values(ctx, refs, "price", "truck", "nothing")
		require.NoError(t, err)
		require.Equal(t, []item.Values{
			{"truck": []byte(`{"record_uuid":"` + truck + `"}`)}, {"price": []byte(`"12.50"`)}, nil,
		}, values)
		values, err = items.Values(ctx, refs[1:2])
		require.NoError(t, err)
		require.Len(t, values[0], 3)

		foreign := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		missing, err := items.Exists(foreign, refs...)
		require.NoError(t, err)
		require.Equal(t, refs, missing)
		values, err = items.Values(foreign, refs)
		require.NoError(t, err)
		require.Equal(t, make([]item.Values, 3), values)
		fields, err = items.Fields(foreign, titles[0].Class)
		require.NoError(t, err)
		require.Equal(t, [][]item.Field{nil}, fields)
		_, err = items.Exists(t.Context(), refs[0])
		require.Error(t, err, "nobody is calling")
	})
}

func TestItems_FollowAModuleThatAnotherReplicaChanges(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var items *item.Registry
		here := moduletest.Boot(t, url, modules())
		there := moduletest.Boot(t, url, modules(), moduletest.With(fx.Populate(&items)))
		ctx := principal.With(t.Context(), principal.ForCompany(here.Owner.ID))
		post := func(path string, body object) string {
			return here.Call(t, here.Owner.Token, http.MethodPost, path, body).OK(t).Get("uuid").String()
		}
		module := post(modulesPath, object{"name": "Trucks", "fields": []object{{"key": "unit", "type": "text"}}})
		first := post(recordsPath, object{"module_uuid": module, "payload": object{"unit": "1"}})
		_, err := items.Titles(ctx, []item.Ref{ref(first)}) // the definition is in memory now
		require.NoError(t, err)
		post(modulesPath+"/"+module+"/fields", object{"key": "plate", "type": "text"})
		second := post(recordsPath, object{"module_uuid": module, "payload": object{"plate": strings.Repeat("x", 200)}})
		titles, err := items.Titles(ctx, []item.Ref{ref(second)})
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", 120), titles[0].Title)
		require.NotNil(t, there)
	})
}
