package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	modulesPath = "/custom_modules/api/v1/modules"
	recordsPath = "/custom_modules/api/v1/records"
)

func TestMain(m *testing.M) { moduletest.Main(m, custommodules.Module, modules()...) }

func modules() []module.Module { return []module.Module{custommodules.Module} }

type object = map[string]any

// yard is a company with the modules Customers and Vehicles, and one customer.
type yard struct {
	*moduletest.App

	vehicles, customers, customer string
}

// eachYard runs test on both databases.
func eachYard(t *testing.T, test func(t *testing.T, y yard), options ...moduletest.Option) {
	t.Helper()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, newYard(t, a))
	}, options...)
}

// newYard makes modules and a record as the owner of a service.
func newYard(t *testing.T, a *moduletest.App) yard {
	t.Helper()
	y := yard{App: a}
	y.customers = a.Call(t, a.Owner.Token, http.MethodPost, modulesPath, object{
		"name": "Customers", "fields": []object{{"key": "name", "type": "text", "required": true}},
	}).OK(t).Get("uuid").String()
	y.vehicles = a.Call(t, a.Owner.Token, http.MethodPost, modulesPath, object{
		"name": "Vehicles",
		"fields": []object{
			{"key": "vin", "label": "VIN", "type": "vin", "required": true, "indexed": true},
			{"key": "year", "type": "integer", "indexed": true},
			{"key": "price", "type": "decimal", "indexed": true},
			{"key": "operable", "type": "boolean"},
			{"key": "pickup_date", "type": "date", "indexed": true},
			{"key": "pickup_time", "type": "local_datetime"},
			{"key": "notes", "type": "long_text"},
			{"key": "customer", "type": "reference", "options": object{"module_uuid": y.customers}},
		},
	}).OK(t).Get("uuid").String()
	y.customer = y.create(t, y.customers, object{"name": "Blue Ridge Motors"}).OK(t).Get("uuid").String()

	return y
}

// create posts a record as the owner.
func (y yard) create(t *testing.T, module string, payload any) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": payload})
}

// get reads a path as the owner.
func (y yard) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodGet, path, nil)
}

// documented is the payload of the service interface.
func (y yard) documented() object {
	return object{
		"vin": "1HGCM82633A004352", "year": 2019, "price": "12500.00", "operable": true,
		"pickup_date": "2026-12-01", "pickup_time": "2026-12-01 09:30:00", "notes": "Keys at the desk",
		"customer": object{"record_uuid": y.customer},
	}
}

// refused requires exactly these messages, one a field.
func refused(t *testing.T, r moduletest.Response, code string, messages map[string]string) {
	t.Helper()
	r.Refused(t, http.StatusUnprocessableEntity, code)
	got := map[string]string{}
	for field, list := range r.Get("errors").Map() {
		require.Lenf(t, list.Array(), 1, "messages of %s", field)
		got[field] = list.Array()[0].String()
	}
	require.Equal(t, messages, got)
}
