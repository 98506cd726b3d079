package loads_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/history"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// eachWatched is each with the areas that show what was done to a load.
func eachWatched(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	moduletest.BootEach(t, append(areas(), audit.Module, collections.Module, history.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		o := office{App: a}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		test(t, o)
	})
}

// priced is a load whose amounts can be told from all other numbers.
func (o office) priced(t *testing.T) string {
	t.Helper()
	body := o.sold(car("1111.11", "777.77"))
	body["instructions_private"] = "Pays late, ask for a deposit"
	body["charges"] = []object{{"kind": "storage", "amount": "55.55"}}
	body["payment_plan"] = []object{
		{"from": "customer", "to": "broker", "amount": "1166.66", "kind": "deposit", "method": "wire", "due_event": "booking"},
		{"from": "broker", "to": "carrier", "amount": "777.77", "kind": "balance", "method": "ach", "due_event": "signed_bol", "due_days": 15},
	}

	return o.made(t, body)
}

// secrets are what only callers with the scope loads:margins see of it.
var secrets = []string{"1111.11", "777.77", "55.55", "1166.66", "388.89", "333.34", "Pays late"}

func requireNoSecrets(t *testing.T, what string, r moduletest.Response) {
	t.Helper()
	for _, secret := range secrets {
		require.NotContains(t, string(r.Body), secret, what)
	}
}

func TestMargins_AreAbsentWithoutTheirScope(t *testing.T) {
	t.Parallel()
	eachWatched(t, func(t *testing.T, o office) {
		path := o.priced(t)
		id := path[strings.LastIndex(path, "/")+1:]
		o.call(t, http.MethodPatch, path, object{"team": "West"}).OK(t)
		o.post(t, path+"/payments", object{"line_uuid": o.get(t, path).Get("payment_plan.0.uuid").String(), "amount": "55.55"}).OK(t)
		collection := "/collections/api/v1/collections/loads.load"
		clerk := o.Token(t, o.Owner, "loads:read", "loads:write", "collections:read", "collections:write", "audit:read", "history:read", "contacts:read")
		owner, read := o.Owner.Token, []string{
			path, loadsPath, loadsPath + "?fields=number,tariff,vehicles,charges", loadsPath + "?q=Accord&expand=customer", base + "/clients/" + o.customer + "/loads",
			path + "/previous_rates", path + "/transaction_record", path + "/signatures", base + "/reports/margin_by_customer", base + "/reports/sales_by_user/csv",
			collection + "/items/" + id + "/history", collection + "/items/" + id + "/history/1", "/audit/api/v1/entries?per_page=100",
			"/history/api/v1/entries?item_type=loads.load&item_uuid=" + id,
		}
		for _, at := range read {
			requireNoSecrets(t, at, o.Call(t, clerk, http.MethodGet, at, nil).OK(t))
		}
		one := o.Call(t, clerk, http.MethodGet, path, nil).OK(t)
		for _, key := range []string{"tariff", "carrier_pay", "broker_fee", "charges", "payment_plan", "payments", "customer_balance", "carrier_balance", "instructions_private", "vehicles.0.tariff", "vehicles.0.carrier_pay"} {
			require.False(t, one.Get(key).Exists(), key)
			require.True(t, o.get(t, path).Get(key).Exists(), key)
		}
		require.Equal(t, "Accord", one.Get("vehicles.0.model").String())
		for _, at := range []string{path, loadsPath, "/audit/api/v1/entries?per_page=100", "/history/api/v1/entries?item_type=loads.load&item_uuid=" + id} {
			require.Contains(t, string(o.Call(t, owner, http.MethodGet, at, nil).OK(t).Body), "1111.11", at)
		}
		for _, query := range []string{"?filter[tariff][gte]=1000", "?sort=-broker_fee", "?filter[carrier_pay]=777.77"} {
			refused := o.Call(t, clerk, http.MethodGet, loadsPath+query, nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
			require.Contains(t, string(refused.Body), "requires the scope loads:margins", query)
		}
		for _, query := range []string{"?group_by=state&sum=tariff", "?group_by=tariff", "?group_by=state&filter[tariff][gt]=1"} {
			refused := o.Call(t, clerk, http.MethodGet, collection+"/groups"+query, nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
			require.Contains(t, string(refused.Body), "requires the scope loads:margins", query)
		}
		described := o.Call(t, clerk, http.MethodGet, collection, nil).OK(t)
		require.NotContains(t, described.Get("fields.#.key").Raw, `"broker_fee"`)
	})
}

func TestMargins_CannotBeSetWithoutTheirScope(t *testing.T) {
	t.Parallel()
	eachWatched(t, func(t *testing.T, o office) {
		path := o.priced(t)
		before := o.get(t, path)
		clerk := o.Token(t, o.Owner, "loads:read", "loads:write", "contacts:read", "collections:read", "collections:write")
		call := func(method, at string, body object) moduletest.Response { return o.Call(t, clerk, method, at, body) }
		refused := func(r moduletest.Response) {
			t.Helper()
			require.Equal(t, "loads:margins", r.Refused(t, http.StatusForbidden, "web.scope_missing").Get("details.scope").String())
			requireNoSecrets(t, "refusal", r)
		}
		refused(call(http.MethodPatch, path, object{"instructions_private": "x"}))
		refused(call(http.MethodPatch, path, object{"charges": []object{}}))
		refused(call(http.MethodPatch, path, object{"payment_plan": nil}))
		refused(call(http.MethodPut, path+"/price", object{"tariff": "1.00"}))
		refused(call(http.MethodPut, path+"/charges", object{"charges": []object{}}))
		refused(call(http.MethodPut, path+"/payment_plan", object{"payment_plan": []object{}}))
		refused(call(http.MethodPost, path+"/payment_plan/propose", object{"template": "full_pay"}))
		refused(call(http.MethodPost, path+"/payments", object{"line_uuid": before.Get("payment_plan.0.uuid").String()}))
		refused(call(http.MethodPost, path+"/vehicles", object{"vehicles": []object{car("1.00", "1.00")}}))
		refused(call(http.MethodPatch, path+"/vehicles/"+before.Get("vehicles.0.uuid").String(), object{"tariff": "1.00"}))
		refused(call(http.MethodPost, loadsPath, o.sold(car("1.00", "1.00"))))
		refused(call(http.MethodPost, base+"/quick_loads", object{
			"from": "75201", "to": "33101", "vehicles": []string{"2012 BMW X6"}, "tariff": "1.00", "customer_uuid": o.customer,
		}))
		refused(call(http.MethodPatch, path, object{"vehicles": []object{{"uuid": before.Get("vehicles.0.uuid").String(), "model": "Accord", "make": "Honda", "tariff": "1111.11"}}}))

		seen := call(http.MethodGet, path, nil).OK(t)
		cars := []object{}
		for _, v := range seen.Get("vehicles").Array() {
			one, _ := v.Value().(map[string]any)
			one["color"] = "red"
			cars = append(cars, one)
		}
		answer := call(http.MethodPatch, path, object{"vehicles": cars, "team": "West"}).OK(t)
		requireNoSecrets(t, "answer", answer)
		after := o.get(t, path)
		require.Equal(t, "red", after.Get("vehicles.0.color").String())
		for _, key := range []string{"tariff", "carrier_pay", "vehicles.0.tariff", "vehicles.0.carrier_pay", "charges", "payment_plan", "instructions_private"} {
			require.Equal(t, before.Get(key).Raw, after.Get(key).Raw, key)
		}
		unbalanced := call(http.MethodPost, path+"/vehicles/"+before.Get("vehicles.0.uuid").String()+"/remove", object{"reason": "Sold"})
		unbalanced.Refused(t, http.StatusUnprocessableEntity, "loads.plan_unbalanced")
		requireNoSecrets(t, "the refusal of a plan", unbalanced)
		made := call(http.MethodPost, loadsPath, object{"customer_uuid": o.customer, "stops": stops(), "vehicles": []object{{"make": "Honda", "model": "Civic"}}})
		require.False(t, made.OK(t).Get("charges").Exists())
	})
}

func TestMargins_AreForThoseRolesThatPriceLoads(t *testing.T) {
	t.Parallel()
	eachWatched(t, func(t *testing.T, o office) {
		path := o.priced(t)
		for role, sees := range map[identity.Role]bool{identity.Admin: true, identity.Dispatcher: true, identity.Accountant: true, identity.Viewer: false} {
			user, err := o.Identity.CreateUser(t.Context(), identity.NewUser{Company: o.Owner.ID, Email: string(role) + "@example.com", Name: "A", Role: role})
			require.NoError(t, err)
			_, token, err := o.Identity.IssueToken(t.Context(), identity.NewToken{Company: o.Owner.ID, User: user.ID, Name: "x", Scopes: []string{"*"}})
			require.NoError(t, err)
			require.Equal(t, sees, o.Call(t, token, http.MethodGet, path, nil).OK(t).Get("tariff").Exists(), role)
			entries := o.Call(t, token, http.MethodGet, "/audit/api/v1/entries", nil)
			if sees {
				entries.OK(t)
			} else {
				entries.Refused(t, http.StatusForbidden, "web.scope_missing")
			}
		}
	})
}

func TestContacts_AreNotLookedForWithoutTheirScope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path, reader := o.priced(t), o.Token(t, o.Owner, "loads:read")
		for _, at := range []string{base + "/duplicates?email=ann@example.com", base + "/duplicates?phone=2145550143", path + "/transaction_record", path + "/transaction_record/pdf"} {
			require.Equal(t, "contacts:read", o.Call(t, reader, http.MethodGet, at, nil).Refused(t, http.StatusForbidden, "web.scope_missing").Get("details.scope").String(), at)
		}
		o.Call(t, reader, http.MethodGet, base+"/duplicates?vin=1HGCM82633A004352", nil).OK(t)
		both := o.Token(t, o.Owner, "loads:read", "contacts:read")
		requireNoSecrets(t, "record", o.Call(t, both, http.MethodGet, path+"/transaction_record", nil).OK(t))
	})
}

func TestPatch_SaysWhichOperationSetsAPrice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		for key, by := range map[string]string{"tariff": "PUT /loads/api/v1/loads/{uuid}/price", "carrier_uuid": "POST /loads/api/v1/loads/{uuid}/cover", "payments": "POST /loads/api/v1/loads/{uuid}/payments"} {
			wrong := o.call(t, http.MethodPatch, path, object{key: "1"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
			require.Contains(t, wrong.Get("errors."+key+".0").String(), " set by "+by+". Please leave it out here.")
		}
	})
}
