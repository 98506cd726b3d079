package shippers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/shippers/api/v1"

type object = map[string]any

type caller func(method, path string, body any) moduletest.Response

func each(t *testing.T, test func(t *testing.T, call caller)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{companies.Module, contacts.Module, shippers.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
	})
}

// newShipper returns the uuids of a new contact that ships, and of the shipper.
func (c caller) newShipper(t *testing.T, name string) (contact, shipper string) {
	t.Helper()
	contact = c(http.MethodPost, "/contacts/api/v1/contacts", object{"name": name}).OK(t).Get("uuid").String()

	return contact, c(http.MethodPost, base+"/shippers", object{"contact_uuid": contact}).OK(t).Get("uuid").String()
}

func TestShipper_NamesCarriersAndNoNegativeLimit(t *testing.T) {
	t.Parallel()
	areas := []module.Module{attachments.Module, carriers.Module, companies.Module, contacts.Module, shippers.Module}
	moduletest.BootEach(t, areas, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := caller(func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
		contact, shipper := call.newShipper(t, "Lee Motors")
		at := base + "/shippers/" + shipper
		carrier := call(http.MethodPost, "/carriers/api/v1/carriers", object{"legal_name": "Haul Co"}).OK(t).Get("uuid").String()
		for _, list := range []string{"allowed_carriers", "denied_carriers"} {
			refused := call(http.MethodPatch, at, object{list: []string{contact}}).Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_shipper")
			require.NotEmpty(t, refused.Get(`errors.`+list+`\.0`).Raw)
		}
		call(http.MethodPatch, at, object{"allowed_carriers": []string{carrier}}).OK(t)
		call(http.MethodPatch, at, object{"credit_limit": "-1.00"}).Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_shipper")
	})
}

func TestShipper_IsThereOnceForEachContact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		contact, shipper := call.newShipper(t, "Lee Motors")
		call(http.MethodPost, base+"/shippers", object{"contact_uuid": contact}).Refused(t, http.StatusConflict, "shippers.shipper_taken")
		call(http.MethodDelete, "/contacts/api/v1/contacts/"+contact, nil).Refused(t, http.StatusConflict, "contacts.contact_in_use")
		at, carrier := base+"/shippers/"+shipper, "01900000-0000-7000-8000-000000000001"
		call(http.MethodPatch, at, object{"allowed_carriers": []string{carrier}, "denied_carriers": []string{carrier}}).
			Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_shipper")
		call(http.MethodPatch, at, object{"credit_limit": "much"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		kept := call(http.MethodPatch, at, object{"denied_carriers": []string{carrier, carrier}, "release_rule": "code"}).OK(t)
		require.Len(t, kept.Get("denied_carriers").Array(), 1)
		require.True(t, kept.Get("release_required").Bool())
	})
}

func TestMerge_OfContactsThatBothShipIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		one, _ := call.newShipper(t, "Lee Motors")
		two, shipper := call.newShipper(t, "Lee Motor")
		merge := object{"into": one, "from": []string{two}}
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", merge).Refused(t, http.StatusConflict, "shippers.shipper_taken")
		call(http.MethodDelete, base+"/shippers/"+shipper, nil).OK(t)
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", merge).OK(t)
	})
}

func TestVenueOfALoad_IsKeptAsALocationOnce(t *testing.T) {
	t.Parallel()
	areas := []module.Module{attachments.Module, companies.Module, contacts.Module, loads.Module, routeengine.Module, shippers.Module, vehicles.Module}
	moduletest.BootEach(t, areas, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		var call caller = func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		contact, shipper := call.newShipper(t, "Lee Motors")
		kept := func() moduletest.Response {
			return call(http.MethodGet, base+"/locations?filter[shipper_uuid]="+shipper, nil).OK(t)
		}
		stops := func(line string) object {
			return object{"customer_uuid": contact, "stops": []object{
				{"kind": "pickup", "save_venue": true, "venue": object{"postal_code": "75201", "line1": line, "name": "Lot 4", "type": "dealership", "appointment_required": true}},
				{"kind": "delivery", "venue": object{"postal_code": "33101"}},
			}}
		}
		made := call(http.MethodPost, "/loads/api/v1/loads", stops("1 Main St")).OK(t)
		require.Empty(t, made.Get("warnings").Raw)
		require.False(t, made.Get("stops.0.save_venue").Exists(), "it is done")
		call(http.MethodPost, "/loads/api/v1/loads", stops("1 MAIN ST")).OK(t)
		all := kept()
		require.Equal(t, []string{"1", "Lot 4", "dealer", "Dallas", "America/Chicago", "required"}, []string{
			all.Get("data.#").Raw, all.Get("data.0.name").String(), all.Get("data.0.venue").String(), all.Get("data.0.address.city").String(),
			all.Get("data.0.time_zone").String(), all.Get("data.0.appointment").String(),
		})
		body := stops("2 Main St")
		body["customer_uuid"] = call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		made = call(http.MethodPost, "/loads/api/v1/loads", body).OK(t)
		require.Equal(t, []string{"loads.venue_not_saved", "stops.0.save_venue"}, []string{made.Get("warnings.0.code").String(), made.Get("warnings.0.field").String()})
		require.Equal(t, "1", kept().Get("data.#").Raw)
	})
}

func TestLocation_RefusesHoursThatAreNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		_, shipper := call.newShipper(t, "Lee Motors")
		create := func(zone string, hours ...object) moduletest.Response {
			return call(http.MethodPost, base+"/locations", object{"shipper_uuid": shipper, "name": "Lot 4", "time_zone": zone, "hours": hours})
		}
		hours := func(day, from, to string) object { return object{"day": day, "from": from, "to": to} }
		for name, wrong := range map[string][]object{
			"backwards":         {hours("mon", "17:00", "08:00")},
			"no time":           {hours("mon", "08:00", "08:00")},
			"overlapping":       {hours("mon", "08:00", "12:00"), hours("mon", "11:59", "17:00")},
			"no day":            {hours("someday", "08:00", "12:00")},
			"no hour":           {hours("mon", "8", "25:00")},
			"before the day is": {hours("mon", "-1:00", "12:00")},
		} {
			require.Equal(t, http.StatusUnprocessableEntity, create("America/Chicago", wrong...).Status, name)
		}
		create("Mars/Olympus").Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_location")
		create("../../etc/passwd").Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_location")
		made := create("America/Chicago", hours("tue", "00:00", "02:00"), hours("mon", "20:00", "24:00"), hours("mon", "08:00", "20:00")).OK(t)
		require.Equal(t, `["08:00","20:00","00:00"]`, made.Get("hours.#.from").Raw, "in the order of the week")
		require.True(t, made.Get("active").Bool())
		require.Equal(t, "shipper", made.Get("release_rule").String())
	})
}
