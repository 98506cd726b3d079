package billsoflading_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/billsoflading"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/tracking"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/modules/walks/scene"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

const (
	base      = "/bills_of_lading/api/v1"
	loadsPath = "/loads/api/v1/loads"
	vin       = "1HGCM82633A004352"
)

type object = map[string]any

func areas() []module.Module {
	return []module.Module{
		attachments.Module, billsoflading.Module, carriers.Module, companies.Module, contacts.Module, dispatches.Module, loads.Module, notes.Module, routeengine.Module, tracking.Module, vehicles.Module,
	}
}

func TestMain(m *testing.M) { moduletest.Main(m, billsoflading.Module, areas()...) }

// desk is a company that has loads carried.
type desk struct{ *moduletest.App }

func each(t *testing.T, test func(t *testing.T, d desk)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, desk{a})
	})
}

// halfPast stops the clock at half past an hour: what is limited by the hour is counted from its beginning.
func halfPast() moduletest.Option {
	at := clock.System{}.Now().Truncate(time.Hour).Add(-30 * time.Minute) // jobs are due by the real clock

	return moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return clock.NewFake(at) }))
}

func (d desk) call(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, method, path, body)
}

func (d desk) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.call(t, http.MethodPost, path, body)
}

func (d desk) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(d.call(t, http.MethodGet, path, nil).OK(t).Body)
}

func day(days int) string { return clock.System{}.Now().AddDate(0, 0, days).Format(time.DateOnly) }

// scene makes loads and carriers.
func (d desk) scene() scene.Scene { return scene.Of(d.App) }

func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// haul is a load that a carrier has, its bill of lading, and the link of its driver.
type haul struct {
	desk

	load, bol, link string
	// vehicles are their uuids.
	vehicles []string
}

// covered is a load that a carrier has, from Dallas to Miami, with some vehicles.
func (d desk) covered(t *testing.T, inspection string, vehicles ...object) haul {
	t.Helper()
	if len(vehicles) == 0 {
		vehicles = []object{{"vin": vin, "tariff": "1100.00", "carrier_pay": "900.00"}}
	}
	path := d.scene().Covered(t, object{
		"inspection_type": inspection, "vehicles": vehicles,
		"stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "1 Main St", "name": "Lone Star Auto"}},
			{"kind": "delivery", "venue": object{"postal_code": "33101"}, "contacts": []object{{"name": "Cy Ray", "phones": []string{"305 555 0143"}}}},
		},
	})
	h := haul{desk: d, load: path}
	made := d.post(t, base+"/bols", object{"load_uuid": idOf(path)}).OK(t)
	h.bol = base + "/bols/" + made.Get("bols.0.uuid").String()
	for _, b := range made.Get("bols").Array() {
		for _, v := range b.Get("vehicles.#.vehicle.uuid").Array() {
			h.vehicles = append(h.vehicles, v.String())
		}
	}
	h.link = d.post(t, base+"/loads/"+idOf(path)+"/driver_links", object{}).OK(t).Get("url").String()

	return h
}

// ask is a call by a link.
func (h haul) ask(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return h.Call(t, "", method, path, body)
}

// enter is an entry of the driver.
func (h haul) enter(t *testing.T, what string, body object) moduletest.Response {
	t.Helper()
	for key, value := range map[string]any{"vehicle_uuid": h.vehicles[0], "stage": "pickup"} {
		if _, there := body[key]; !there && what != "signatures" {
			body[key] = value
		}
	}

	return h.ask(t, http.MethodPost, h.link+"/"+what, body)
}

// sign signs as somebody.
func (h haul) sign(t *testing.T, stage, role string, more object) moduletest.Response {
	t.Helper()
	body := object{"bol_uuid": idOf(h.bol), "stage": stage, "role": role, "name": "Bo"}
	maps.Copy(body, more)

	return h.enter(t, "signatures", body)
}

// photo sends a photo; each n is another one.
func (h haul) photo(t *testing.T, n int, fields object) moduletest.Response {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 8, 8))
	picture.Set(n%8, n/8%8, color.RGBA{R: 255, G: uint8(n / 64), A: 255})
	var content bytes.Buffer
	require.NoError(t, png.Encode(&content, picture))
	var form []string
	for key, value := range map[string]any{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "subject": "front"} {
		if _, there := fields[key]; !there {
			form = append(form, key, value.(string))
		}
	}
	for key, value := range fields {
		form = append(form, key, value.(string))
	}

	return h.SendForm(t, "", h.link+"/photos", "car.png", content.Bytes(), form...)
}

// A load has a bill of lading for the vehicles between the same two stops as soon as a carrier has it; both sides sign it twice, and the load follows.
func TestBOL_TakesTheLoadFromPickupToDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		b := d.get(t, h.bol)
		require.Equal(t, []string{"issued", "Haul Co", "Lone Star Auto", "Cy Ray", vin}, []string{
			b.Get("state").String(), b.Get("carrier.name").String(), b.Get("consignor.name").String(), b.Get("consignee.name").String(), b.Get("vehicles.0.vin").String(),
		})
		require.Regexp(t, `^BOL-\d{4}-000001$`, b.Get("number").String())
		d.post(t, base+"/bols", object{"load_uuid": idOf(h.load)}).OK(t)
		require.Equal(t, int64(1), d.get(t, base+"/bols").Get("data.#").Int(), "there is one already")
		require.Equal(t, b.Get("number").String(), d.get(t, h.load+"/transaction_record").Get("bill_of_lading_numbers.0").String())
		lacks := func() string { return d.get(t, h.load+"/billing_readiness").Get("missing.#.what").Raw }
		require.Contains(t, lacks(), "bill_of_lading")

		h.sign(t, "pickup", "driver", nil).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.inspections_missing")
		h.sign(t, "delivery", "driver", nil).Refused(t, http.StatusConflict, "bills_of_lading.not_now")
		for _, stage := range []string{"pickup", "delivery"} {
			h.enter(t, "damages", object{"code": "sc", "side": "left", "x": 500, "y": 300, "stage": stage}).OK(t)
			h.enter(t, "inspections", object{"inspector": "Bo", "odometer": 41200, "keys_count": 2, "stage": stage}).OK(t)
			h.enter(t, "submissions", object{"stage": stage}).OK(t)
			h.sign(t, stage, "driver", object{"method": "drawn", "strokes": "M10 10L20 15L30 12"}).OK(t)
			h.enter(t, "damages", object{"code": "D", "stage": stage}).Refused(t, http.StatusConflict, "bills_of_lading.signed_already")
			other := map[string]string{"pickup": "releasing", "delivery": "receiving"}[stage]
			h.sign(t, stage, other, object{"method": "not_available"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.invalid_signature")
			h.sign(t, stage, other, object{"method": "not_available", "reason": "Night drop"}).OK(t)
			h.sign(t, stage, other, nil).Refused(t, http.StatusConflict, map[string]string{"pickup": "bills_of_lading.signed_already", "delivery": "bills_of_lading.signed_already"}[stage])
			require.Equal(t, map[string]string{"pickup": "picked_up", "delivery": "delivered"}[stage], d.get(t, h.load).Get("state").String())
		}
		require.Contains(t, d.EventNames(t, d.Owner), "bills_of_lading.bol.delivery_signed")
		require.NotContains(t, lacks(), "bill_of_lading")
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("state").String() == "closed" }, "it is printed, and closed")
		file := d.get(t, h.bol).Get("delivery_document_uuid").String()
		require.Equal(t, "application/pdf", d.get(t, "/attachments/api/v1/attachments/"+file).Get("media_type").String())
		require.Contains(t, d.EventNames(t, d.Owner), "bills_of_lading.bol.document_ready")
		d.call(t, http.MethodDelete, "/attachments/api/v1/attachments/"+file, nil).Refused(t, http.StatusConflict, "attachments.held")

		require.Contains(t, papertest.Text(t, d.call(t, http.MethodGet, h.bol+"/pod", nil).OK(t).Body), "Proof of delivery")
		dispatch := d.get(t, h.bol).Get("dispatch_uuid").String()
		papers := d.get(t, "/dispatches/api/v1/dispatches/"+dispatch+"/documents").Get("data")
		for _, kind := range []string{"bill_of_lading", "bill_of_lading", "pod", "rate_confirmation"} {
			require.Contains(t, papers.Get("#.kind").Raw, kind)
		}
		for _, path := range papers.Get("#.path").Array() {
			require.True(t, bytes.HasPrefix(d.call(t, http.MethodGet, path.String(), nil).OK(t).Body, []byte("%PDF")))
		}

		d.post(t, h.bol+"/void", object{"reason": "Wrong"}).Refused(t, http.StatusConflict, "bills_of_lading.signed_already")
		d.post(t, h.bol+"/amend", object{"text": "The odometer was 41,210 mi.", "reason": "Misread"}).OK(t)
		require.True(t, bytes.HasPrefix(d.call(t, http.MethodGet, h.bol+"/pdf", nil).OK(t).Body, []byte("%PDF")))
		require.Equal(t, "Misread", d.get(t, h.bol).Get("amendments.0.reason").String())
	})
}

// Walk 6 of the trade.
func TestInspection_AsksForWhatItsTypeNeeds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "advanced")
		for n := range 5 {
			h.photo(t, n, object{}).OK(t)
		}
		h.photo(t, 4, object{}).OK(t) // the same file
		require.Equal(t, int64(5), d.get(t, base+"/photos").Get("data.#").Int())
		text := "--X\r\nContent-Disposition: form-data; name=\"vehicle_uuid\"\r\n\r\n" + h.vehicles[0] + "\r\n--X\r\nContent-Disposition: form-data; name=\"stage\"\r\n\r\npickup\r\n" +
			"--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"car.jpg\"\r\n\r\nno photo\r\n--X--\r\n"
		h.Call(t, "", http.MethodPost, h.link+"/photos", text, "Content-Type", "multipart/form-data; boundary=X").Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.invalid_entry")
		require.Equal(t, int64(6), d.get(t, "/attachments/api/v1/attachments").Get("data.#").Int(), "what is no photo is not stored")
		few := h.enter(t, "submissions", object{}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.photos_missing")
		require.Contains(t, string(few.Body), "5 of 6 photos; 1 more photo.")
		h.photo(t, 6, object{"subject": "rear"}).OK(t)
		h.enter(t, "submissions", object{}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.position_needed")
		h.enter(t, "inspections", object{"position": object{"lat": 32.78, "lng": -96.8}}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		h.sign(t, "pickup", "releasing", object{"method": "not_available", "reason": "Night"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.signature_needed")
		h.sign(t, "pickup", "releasing", nil).OK(t)
		require.Equal(t, "picked_up", d.get(t, h.load).Get("state").String())
		require.NotContains(t, string(h.photo(t, 9, object{}).Refused(t, http.StatusConflict, "bills_of_lading.signed_already").Body), "attachments")

		coded := d.covered(t, "aiag", object{"year": 2015, "make": "Ford", "model": "F-150", "tariff": "500.00", "carrier_pay": "400.00"})
		coded.enter(t, "damages", object{"code": "1404"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.code_unknown")
		coded.enter(t, "damages", object{"code": "14992", "code_system": "aiag"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.code_unknown")
		client := uuid.NewString()
		coded.photo(t, 1, object{"subject": "damage", "damage_client_id": client}).OK(t) // before the damage
		coded.enter(t, "damages", object{"code": "14042", "code_system": "aiag", "client_id": client}).OK(t)
		coded.enter(t, "submissions", object{}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.photos_missing")
		coded.photo(t, 2, object{"subject": "damage", "damage_client_id": client}).OK(t)
		coded.enter(t, "submissions", object{}).OK(t)
	})
}

// Walk 7 of the trade.
func TestInspection_StopsAnotherVehicleThanTheLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		row := h.enter(t, "inspections", object{"vin_scanned": "1FTEW1EF5FKD00000"}).OK(t).Get("uuid").String()
		require.Equal(t, "differs", d.get(t, base+"/inspections/"+row).Get("vin_check").String())
		require.Contains(t, d.EventNames(t, d.Owner), "bills_of_lading.inspection.vin_differs")
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
		d.Call(t, d.Token(t, d.Owner, "bills_of_lading:write"), http.MethodPost, base+"/inspections/"+row+"/accept_vin", object{"reason": "Swapped"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		d.post(t, base+"/inspections/"+row+"/accept_vin", object{"reason": "The dealer swapped it."}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
	})
}

// Walk 8 of the trade.
func TestSync_TakesWhatAPhoneHasKeptInAnyOrderAndOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard", object{"vin": vin, "tariff": "600.00", "carrier_pay": "500.00"}, object{"year": 2015, "make": "Ford", "model": "F-150", "tariff": "500.00", "carrier_pay": "400.00"})
		entry := func(kind string, data object) object {
			data["client_id"] = uuid.NewString()
			if kind != "signature" {
				data["stage"] = "pickup"
			}

			return object{"kind": kind, "data": data}
		}
		var all []object
		for i, v := range h.vehicles {
			all = append(all, entry("inspection", object{"vehicle_uuid": v, "odometer": 1000 + i, "occurred_at": clock.System{}.Now().Add(3 * time.Hour).UTC().Format(time.RFC3339)}),
				entry("damage", object{"vehicle_uuid": v, "code": "D"}), entry("damage", object{"vehicle_uuid": v, "code": "SC", "side": "top"}),
				entry("damage", object{"vehicle_uuid": v, "code_system": "custom", "note": "Smells of smoke"}), entry("submit", object{"vehicle_uuid": v}))
		}
		all = append(all, entry("signature", object{"bol_uuid": idOf(h.bol), "stage": "pickup", "role": "driver", "name": "Bo"}),
			entry("signature", object{"bol_uuid": idOf(h.bol), "stage": "pickup", "role": "releasing", "name": "Ann"}))
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		first := h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": all}).OK(t)
		require.Len(t, first.Get("results").Array(), 12)
		for i, r := range first.Get("results").Array() {
			require.Equalf(t, int64(200), r.Get("status").Int(), "%v: %s", all[i], r.Raw)
		}
		second := h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": all}).OK(t)
		require.JSONEq(t, first.Get("results").Raw, second.Get("results").Raw)
		require.Equal(t, []int64{2, 6, 2}, []int64{
			d.get(t, base+"/inspections").Get("data.#").Int(), d.get(t, base+"/damages").Get("data.#").Int(), d.get(t, base+"/signatures").Get("data.#").Int(),
		})
		require.Equal(t, "true", d.get(t, base+"/inspections").Get("data.0.clock_ahead").String())
		require.Equal(t, "picked_up", d.get(t, h.load).Get("state").String())

		mixed := h.ask(t, http.MethodPost, h.link+"/sync", object{"operations": []object{
			{"kind": "damage", "data": object{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "code": "D"}},
			{"kind": "damage", "data": object{"vehicle_uuid": uuid.NewString(), "stage": "delivery", "code": "D"}},
			{"kind": "damage", "data": object{"vehicle_uuid": h.vehicles[0], "stage": "delivery", "code": "D", "paint": 1}},
			{"kind": "damage", "data": object{"vehicle_uuid": h.vehicles[0], "stage": "delivery", "code": "D"}},
		}}).OK(t)
		require.JSONEq(t, `[409, 422, 422, 200]`, mixed.Get("results.#.status").Raw, "each by itself")
		require.True(t, mixed.Get("results.2.errors.paint").Exists(), mixed.Get("results.2").Raw)
	})
}

// Walk 9 of the trade.
func TestCompare_TellsWhatIsNewAtTheDelivery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		for _, code := range []string{"D", "SC"} {
			h.enter(t, "damages", object{"code": code, "side": "left"}).OK(t)
		}
		wrong := h.enter(t, "damages", object{"code": "M", "side": "left"}).OK(t).Get("uuid").String()
		d.call(t, http.MethodDelete, base+"/damages/"+wrong, nil).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		h.sign(t, "pickup", "releasing", nil).OK(t)
		fresh := ""
		for _, code := range []string{"D", "SC", "CR"} {
			fresh = h.enter(t, "damages", object{"code": code, "side": "left", "stage": "delivery"}).OK(t).Get("uuid").String()
		}
		c := d.get(t, h.bol+"/compare")
		require.JSONEq(t, `["CR"]`, c.Get("new.#.code").Raw)
		require.JSONEq(t, `["D", "SC"]`, c.Get("unchanged.#.code").Raw)
		require.JSONEq(t, `[]`, c.Get("resolved.#.code").Raw)
		require.Equal(t, "claimed", gjson.ParseBytes(d.call(t, http.MethodPatch, base+"/damages/"+fresh, object{"status": "claimed"}).OK(t).Body).Get("status").String())
		d.call(t, http.MethodPatch, base+"/damages/"+fresh, object{"code": "D"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

// Walks 11 and 12 of the trade.
func TestTouchless_IsSignedOnceByALink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "advanced")
		d.call(t, http.MethodPatch, base+"/settings", object{"photos_per_vehicle": 0}).OK(t)
		h.enter(t, "inspections", object{"position": object{"lat": 32.78, "lng": -96.8}}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		link := h.ask(t, http.MethodPost, h.link+"/sign_links", object{"bol_uuid": idOf(h.bol)}).OK(t).Get("url").String()
		spare := d.post(t, h.bol+"/sign_links", object{}).OK(t).Get("url").String()
		for range 50 { // a mail scanner
			require.Equal(t, "releasing", h.ask(t, http.MethodGet, link, nil).OK(t).Get("role").String())
		}
		for _, bad := range []string{`<svg onload=alert(1)>`, `M10 10"/><script>`, `M1 1L2 2 url(https://example.com)`, "M1,1"} {
			h.ask(t, http.MethodPost, link, object{"name": "Ann", "strokes": bad}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.invalid_signature")
		}
		h.ask(t, http.MethodPost, link, object{}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.invalid_signature")
		h.ask(t, http.MethodPost, link, object{"name": "Ann", "strokes": "M1 1L2 2"}).OK(t)
		h.ask(t, http.MethodPost, link, object{"name": "Ann"}).Refused(t, http.StatusNotFound, "link.used_up")
		h.ask(t, http.MethodPost, spare, object{"name": "Ann"}).Refused(t, http.StatusNotFound, "link.revoked")
		s := d.get(t, base+"/signatures?filter[role]=releasing").Get("data.0")
		require.Equal(t, []string{"Ann", "drawn", "true"}, []string{s.Get("name").String(), s.Get("method").String(), s.Get("touchless").String()})
		require.Equal(t, "picked_up", d.get(t, h.load).Get("state").String())

		read := d.post(t, h.bol+"/shares", object{}).OK(t).Get("url").String()
		require.Equal(t, int64(2), h.ask(t, http.MethodGet, read, nil).OK(t).Get("bol.signatures.#").Int())
		require.True(t, bytes.HasPrefix(h.ask(t, http.MethodGet, read+"/pdf", nil).OK(t).Body, []byte("%PDF")))
	})
}

// A truck breaks down on the way: the vehicles wait at a yard, and another carrier carries them on with a bill of lading of its own.
func TestTransfer_KeepsTheBillsOfBothCarriers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		const dispatch = "/dispatches/api/v1/dispatches"
		one := func() string {
			return dispatch + "/" + d.get(t, dispatch+"?sort=-created_at").Get("data.0.uuid").String()
		}
		d.Eventually(t, func() bool { return d.get(t, dispatch).Get("data.#").Int() == 1 }, "there is a dispatch")
		first := one()
		place := object{"name": "Big Sky Towing", "postal_code": "39401", "contact_name": "Ray", "phone": "601 555 0143"}
		abandoned := object{"reason": "breakdown", "note": "The axle broke", "place": place}
		d.post(t, first+"/abandon", abandoned).Refused(t, http.StatusConflict, "loads.not_on_board")
		h.enter(t, "inspections", object{}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		for _, role := range []string{"driver", "releasing"} {
			h.sign(t, "pickup", role, nil).OK(t)
		}
		d.Eventually(t, func() bool { return d.get(t, first).Get("state").String() == "picked_up" }, "it is on the way")

		wrong := d.post(t, first+"/abandon", object{"reason": "breakdown", "note": "x", "place": object{"name": "Nowhere", "postal_code": "99999"}}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		require.NotEmpty(t, wrong.Get("errors.place\\.postal_code").Array())
		d.post(t, first+"/abandon", object{"reason": "boredom", "note": "x", "place": place}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_dispatch")
		d.Call(t, d.Token(t, d.Owner, "dispatches:write", "dispatches:read"), http.MethodPost, first+"/abandon", abandoned).Refused(t, http.StatusForbidden, "web.scope_missing")
		d.Call(t, d.NewCompany(t).Token, http.MethodPost, first+"/abandon", abandoned).Refused(t, http.StatusNotFound, "dispatches.dispatch_not_found")
		require.Equal(t, "picked_up", d.get(t, h.load).Get("state").String())
		d.post(t, first+"/abandon", abandoned).OK(t)
		l := d.get(t, h.load)
		require.Equal(t, []string{"ready", "transfer", "Hattiesburg", "waiting", l.Get("stops.1.uuid").String(), "null"}, []string{
			l.Get("state").String(), l.Get("stops.1.kind").String(), l.Get("stops.1.venue.city").String(), l.Get("vehicles.0.custody").String(), l.Get("vehicles.0.pickup_stop_uuid").String(), l.Get("carrier_uuid").Raw,
		})
		require.Equal(t, []string{"cancelled_by_broker", "The axle broke"}, []string{d.get(t, first).Get("state").String(), d.get(t, first).Get("cancel_note").String()})
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("state").String() == "transferred" }, "its bill of lading is over, and kept")
		followed := []string{d.post(t, h.load+"/shares", object{}).OK(t).Get("url").String(), d.post(t, "/tracking/api/v1/loads/"+idOf(h.load)+"/codes", object{}).OK(t).Get("share.url").String()}
		says := func(want string) {
			for _, at := range followed {
				page := string(d.Call(t, "", http.MethodGet, at+"?fbclid=1", nil, "Accept", "text/html").OK(t).Body)
				require.Contains(t, page, want)
				require.NotContains(t, page, "waits to be picked up")
			}
		}
		says("in Hattiesburg, MS")
		require.Equal(t, "Haul Co", d.get(t, h.load+"/transaction_record").Get("originating_carrier.name").String(), "though no carrier has it now")
		h.ask(t, http.MethodGet, h.link, nil).Refused(t, http.StatusNotFound, "link.revoked")
		h.post(t, h.bol+"/void", object{"reason": "x"}).Refused(t, http.StatusConflict, "state.not_allowed")

		who := d.post(t, "/carriers/api/v1/carriers", object{"legal_name": "Tow On", "usdot": moduletest.USDOT(), "insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-2", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
		}}}).OK(t).Get("uuid").String()
		d.post(t, dispatch, object{"load_uuid": idOf(h.load), "carrier_uuid": who, "carrier_pay": "900.00", "crew": object{"driver_name": "Cy Driver"}}).OK(t)
		h.link = d.post(t, base+"/loads/"+idOf(h.load)+"/driver_links", object{}).OK(t).Get("url").String() // at once
		says("in Hattiesburg, MS")
		says("<dt>Carrier</dt><dd>Tow On</dd>")
		says("<dt>Driver</dt><dd>Cy</dd>")
		record := d.get(t, h.load+"/transaction_record")
		require.Equal(t, []string{"Haul Co", `["Tow On"]`}, []string{record.Get("originating_carrier.name").String(), record.Get("further_carriers.#.name").Raw})
		var next gjson.Result
		d.Eventually(t, func() bool {
			next = d.get(t, base+"/bols?filter[load_uuid]="+idOf(h.load)+"&filter[state]=issued").Get("data.0")

			return next.Exists()
		}, "the next carrier has a bill of lading of its own")
		require.Equal(t, []string{"Big Sky Towing", "Tow On"}, []string{next.Get("consignor.name").String(), next.Get("carrier.name").String()})
		h.bol = base + "/bols/" + next.Get("uuid").String()
		for _, at := range []struct{ stage, other string }{{"pickup", "releasing"}, {"delivery", "receiving"}} {
			h.enter(t, "inspections", object{"stage": at.stage}).OK(t)
			h.enter(t, "submissions", object{"stage": at.stage}).OK(t)
			h.sign(t, at.stage, "driver", nil).OK(t)
			h.sign(t, at.stage, at.other, nil).OK(t)
		}
		d.Eventually(t, func() bool { return d.get(t, h.load).Get("state").String() == "delivered" }, "the next carrier delivers them")
		require.Len(t, d.get(t, h.load+"/transaction_record").Get("bill_of_lading_numbers").Array(), 2, "both are kept")
		require.Equal(t, int64(2), d.get(t, dispatch).Get("data.#").Int())
	})
}

// Whoever has a link to read a bill of lading sees the photos in small, if the settings allow it.
func TestShared_ShowsThePhotos(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h, other := d.covered(t, "standard"), d.covered(t, "standard", object{"make": "Ford", "model": "F-150", "tariff": "1.00"})
		h.enter(t, "inspections", object{}).OK(t)
		other.enter(t, "inspections", object{}).OK(t)
		shown := h.photo(t, 1, object{"subject": "vin_plate"}).OK(t).Get("uuid").String()
		theirs := other.photo(t, 2, object{}).OK(t).Get("uuid").String()
		link := d.post(t, h.bol+"/shares", object{}).OK(t).Get("url").String()
		require.JSONEq(t, `["`+shown+`"]`, h.ask(t, http.MethodGet, link, nil).OK(t).Get("bol.vehicles.0.pickup.pictures.#.uuid").Raw)
		page := h.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), `/photos/`+shown+`" alt="Vin plate, at the pickup"`)
		require.Contains(t, page.Header.Get("Content-Security-Policy"), "img-src data: 'self'")
		h.Eventually(t, func() bool { return h.ask(t, http.MethodGet, link+"/photos/"+shown, nil).Status == http.StatusOK }, "it is made small")
		image := h.ask(t, http.MethodGet, link+"/photos/"+shown, nil).OK(t)
		require.Equal(t, []string{"image/png", "inline"}, []string{image.Header.Get("Content-Type"), image.Header.Get("Content-Disposition")[:6]})
		h.ask(t, http.MethodGet, link+"/photos/"+theirs, nil).Refused(t, http.StatusNotFound, "bills_of_lading.photo_not_found")

		d.call(t, http.MethodPatch, base+"/settings", object{"share_photos": false}).OK(t)
		require.JSONEq(t, `[]`, h.ask(t, http.MethodGet, link, nil).OK(t).Get("bol.vehicles.0.pickup.pictures").Raw)
		h.ask(t, http.MethodGet, link+"/photos/"+shown, nil).Refused(t, http.StatusNotFound, "bills_of_lading.photo_not_found")
	})
}

// A bill of lading says what the load says until somebody has signed it, and ends with the carrier's turn.
func TestBOL_FollowsTheLoadUntilItIsSigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		stops := d.get(t, h.load).Get("stops").Value().([]any)
		stops[0].(map[string]any)["venue"].(map[string]any)["name"] = "Big D Auction"
		d.call(t, http.MethodPatch, h.load, object{"stops": stops}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("consignor.name").String() == "Big D Auction" }, "it says where the vehicles are now")

		d.post(t, h.bol+"/void", object{"reason": "Wrong terms"}).OK(t)
		again := d.get(t, base+"/bols?filter[state]=issued").Get("data.0")
		require.Equal(t, idOf(h.bol), again.Get("replaces_uuid").String())
		h.enter(t, "inspections", object{"odometer": 1}).OK(t)

		d.post(t, h.load+"/uncover", object{"reason": "Broke down"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, base+"/bols/"+again.Get("uuid").String()).Get("state").String() == "void" }, "the carrier no longer has the load")
		h.ask(t, http.MethodGet, h.link, nil).Refused(t, http.StatusNotFound, "link.revoked")
		other := d.post(t, "/carriers/api/v1/carriers", object{"legal_name": "Tow Co", "usdot": moduletest.USDOT(), "insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-2", "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
		}}}).OK(t).Get("uuid").String()
		d.post(t, h.load+"/cover", object{"carrier_uuid": other, "carrier_pay": d.get(t, h.load).Get("carrier_pay").String()}).OK(t)
		d.Eventually(t, func() bool {
			return d.get(t, base+"/bols?filter[state]=issued").Get("data.0.carrier.name").String() == "Tow Co"
		}, "the next carrier has another one")
		h.ask(t, http.MethodGet, h.link, nil).Refused(t, http.StatusNotFound, "link.revoked")
	})
}

func TestBOL_IsOfOneDispatchAndNotOfOneCarrier(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		who := d.get(t, h.load).Get("carrier_uuid").String()
		d.post(t, h.load+"/uncover", object{"reason": "Broke down"}).OK(t)
		d.post(t, h.load+"/cover", object{"carrier_uuid": who, "carrier_pay": d.get(t, h.load).Get("carrier_pay").String()}).OK(t)
		d.Eventually(t, func() bool {
			return d.get(t, h.bol).Get("state").String() == "void" && d.get(t, base+"/bols?filter[state]=issued").Get("data.#").Int() == 1
		}, "the same carrier has another one")
	})
}

func TestBOL_OfVehiclesThatWerePutBackMakesWayForTheNext(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "inspections", object{}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		for _, role := range []string{"driver", "releasing"} {
			h.sign(t, "pickup", role, nil).OK(t)
		}
		d.post(t, h.load+"/vehicles/"+h.vehicles[0]+"/put_back", object{"reason": "It was the wrong car"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("state").String() == "void" }, "the vehicles were not taken")
		d.post(t, h.load+"/uncover", object{"reason": "Broke down"}).OK(t)
		d.Eventually(t, func() bool {
			return d.get(t, base+"/bols").Get("data.#").Int() == 2 && d.get(t, base+"/bols?filter[state]=void").Get("data.#").Int() == 2
		}, "the one after it is not signed")
		d.post(t, h.load+"/cover", object{"carrier_uuid": d.get(t, h.bol).Get("carrier_uuid").String(), "carrier_pay": d.get(t, h.load).Get("carrier_pay").String()}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, base+"/bols?filter[state]=issued").Get("data.#").Int() == 1 }, "the next dispatch has its own")
	})
}

// 49 CFR 373.101 asks for the names of both sides; without them nothing is signed.
func TestBOL_IsIssuedWithWhatTheLawAsksFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		stops := d.get(t, h.load).Get("stops").Value().([]any)
		delete(stops[0].(map[string]any)["venue"].(map[string]any), "name")
		d.call(t, http.MethodPatch, h.load, object{"stops": stops}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("consignor.name").String() == "" }, "nobody releases the vehicles")
		d.post(t, h.bol+"/void", object{"reason": "Nobody is named"}).OK(t)
		made := d.get(t, base+"/bols?filter[state]=draft").Get("data.0.uuid").String()
		wrong := d.post(t, base+"/bols/"+made+"/issue", nil).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.missing_fields")
		require.True(t, wrong.Get("errors.consignor\\.name").Exists(), string(wrong.Body))
		stops[0].(map[string]any)["contacts"] = []object{{"name": "Ann Lee"}}
		d.call(t, http.MethodPatch, h.load, object{"stops": stops}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, base+"/bols/"+made).Get("state").String() == "issued" }, "somebody is named now")
	})
}

// What a phone was answered is known for 90 days.
func TestReceipts_AreForgottenAfterAWhile(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var queue *jobs.Queue
		var db *database.DB
		at := clock.NewFake(clock.System{}.Now().Add(-100 * 24 * time.Hour)) // jobs are due by the real clock
		d := desk{boot(moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }), fx.Populate(&queue, &db)))}
		h := d.covered(t, "standard")
		link := d.post(t, base+"/loads/"+idOf(h.load)+"/driver_links", object{"expires_at": at.Now().AddDate(0, 0, 200).Format(time.RFC3339)}).OK(t).Get("url").String()
		h.link = link
		entry := object{"code": "D", "client_id": uuid.NewString()}
		first := h.enter(t, "damages", entry).OK(t).Get("uuid").String()
		require.Equal(t, first, h.enter(t, "damages", entry).OK(t).Get("uuid").String())
		at.Advance(91 * 24 * time.Hour)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return queue.Enqueue(ctx, store.Purge{}) }))
		d.Eventually(t, func() bool { return h.enter(t, "damages", entry).OK(t).Get("uuid").String() != first }, "it is forgotten")
	})
}

// phones is the channel sms of the tests.
type phones struct{ to chan string }

func (p phones) ring(_ context.Context, m notify.Message) error {
	p.to <- m.To + " " + m.Text.Reveal()

	return nil
}

// phoneChannel sends text messages to the phones that the service was booted with.
var phoneChannel = module.New("phones", "Sends messages", notify.Channel(notify.SMS, phones.ring))

// A driver's link is no way to text anyone at the company's cost.
func TestDriver_SendsLinksToFewWhoHaveToDoWithTheLoad(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, append(areas(), phoneChannel), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		rung := phones{make(chan string, 50)}
		a := boot(halfPast(), moduletest.With(fx.Supply(rung)), moduletest.Set("web.base_url=https://dispatch.example"))
		h := desk{a}.covered(t, "standard")
		at := h.link[strings.Index(h.link, "/bills_of_lading"):]
		send := func(number string) moduletest.Response {
			return a.Call(t, "", http.MethodPost, at+"/sign_links", object{"bol_uuid": idOf(h.bol), "to": []object{{"channel": "sms", "address": number}}})
		}
		for _, number := range []string{"+881612345678", "+2348031234567", "+37121234567"} {
			refused := send(number).Refused(t, http.StatusUnprocessableEntity, "share.invalid_recipient")
			require.Contains(t, refused.Get(`errors.to\.0\.address.0`).String(), "US, CA")
		}
		require.Empty(t, rung.to)
		require.Equal(t, "sent", send("+13055550143").OK(t).Get("deliveries.0.result").String())
		for n := range 4 {
			send("+1214555014" + strconv.Itoa(n)).OK(t)
		}
		refused := send("+12145550149").Refused(t, http.StatusTooManyRequests, "share.too_many")
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
		require.Len(t, rung.to, 5)
	})
}

func TestDriver_IsSentTheLinkOncePhoneIsKnown(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, append(areas(), phoneChannel), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		rung := phones{make(chan string, 10)}
		a := boot(moduletest.With(fx.Supply(rung)), moduletest.Set("web.base_url=https://dispatch.example"))
		d := desk{a}
		d.call(t, http.MethodPatch, base+"/settings", object{"send_driver_links": true}).OK(t)
		h := d.covered(t, "standard")
		links := func() int64 { return d.get(t, base+"/loads/"+idOf(h.load)+"/driver_links").Get("data.#").Int() }
		before, of := links(), ""
		d.Eventually(t, func() bool {
			of = d.get(t, "/dispatches/api/v1/dispatches").Get("data.0.uuid").String()

			return of != ""
		}, "there is a dispatch")
		path := "/dispatches/api/v1/dispatches/" + of
		d.call(t, http.MethodPatch, path, object{"truck": "12"}).OK(t)
		d.call(t, http.MethodPatch, path, object{"driver_phone": "+12145550199"}).OK(t)
		text := <-rung.to
		require.Contains(t, text, "+12145550199")
		_, link, found := strings.Cut(text, "https://dispatch.example")
		require.True(t, found)
		d.Eventually(t, func() bool { return h.ask(t, http.MethodGet, link, nil).Get("bols.#").Int() == 1 }, "the link is there once its transaction is")
		d.call(t, http.MethodPatch, path, object{"truck": "13"}).OK(t)
		d.call(t, http.MethodPatch, path, object{"driver_phone": "+12145550198"}).OK(t)
		require.Contains(t, <-rung.to, "+12145550198", "nothing was sent in between")
		d.Eventually(t, func() bool { return links() == before+2 }, "each phone has one")
	})
}

// One car goes from the first call to the delivery without a person, in the steps of the demo.
func TestWalk_TakesACarFromTheFirstCallToTheDelivery(t *testing.T) {
	t.Parallel()
	walks := module.Values[demo.Walk](billsoflading.Module)
	require.Len(t, walks, 1)
	each(t, func(t *testing.T, d desk) {
		var said strings.Builder
		require.NoError(t, walks[0].Take(t.Context(), "http://"+d.API.Address(), d.Owner.Token, clock.System{}.Now(), &said))
		require.Contains(t, said.String(), "the bill of lading is BOL-")
		require.Equal(t, []int64{6, 4}, []int64{d.get(t, base+"/photos").Get("data.#").Int(), d.get(t, base+"/signatures").Get("data.#").Int()})
	})
}

// Without JavaScript, the forms of the page lead back to it, and say what is wrong.
func TestDriverPage_WorksWithoutScript(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard", object{"make": "<b>Honda", "model": "Accord", "tariff": "1100.00", "carrier_pay": "900.00"})
		browser := []string{"Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded"}
		page := h.Call(t, "", http.MethodGet, h.link, nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), "&lt;b&gt;Honda Accord")
		require.Contains(t, string(page.Body), "Lone Star Auto")
		form := "vehicle_uuid=" + h.vehicles[0] + "&stage=pickup"
		h.Call(t, "", http.MethodPost, h.link+"/damages", form+"&code=SC&side=left&x=100&y=900", browser...).OK(t)
		wrong := h.Call(t, "", http.MethodPost, h.link+"/inspections", form+"&odometer=many", browser...)
		require.Equal(t, http.StatusUnprocessableEntity, wrong.Status)
		require.Contains(t, string(wrong.Body), "Odometer")
		back := h.Call(t, "", http.MethodPost, h.link+"/submissions", form, browser...).OK(t)
		require.Contains(t, string(back.Body), "SC: Scuffed, left")
		require.Contains(t, string(back.Body), "Sign as the driver")
		require.NotContains(t, string(back.Body), "The inspection is complete")
	})
}

// Photos come in pieces, too, by a link that belongs to the inspection.
func TestDriverPage_HasWhatTheDriverNeeds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard", object{"vin": vin, "tariff": "1100.00", "carrier_pay": "900.00", "gate_pass": "G-77", "buyer_number": "B-12"})
		stops := d.get(t, h.load).Get("stops").Value().([]any)
		first := stops[0].(object)
		first["window"], first["notes"], first["buyer_number"] = object{"from": day(2) + "T08:00", "to": day(2) + "T17:00"}, "Ask at the guard house", "B-99"
		first["contacts"] = []object{{"name": "Di", "phones": []string{"+12145550199"}}}
		venue := first["venue"].(object)
		venue["hours"], venue["appointment_required"] = "Mon-Fri 8-17", true
		d.call(t, http.MethodPatch, h.load, object{"stops": stops}).OK(t)
		for visibility, text := range map[string]string{"driver": "Key is under the mat", "internal": "Margin is thin", "carrier": "Tarp it"} {
			d.post(t, "/notes/api/v1/notes", object{"item": object{"type": "loads.load", "uuid": idOf(h.load)}, "body": text, "visibility": visibility}).OK(t)
		}
		shown := string(d.Call(t, "", http.MethodGet, h.link, nil, "Accept", "text/html").OK(t).Body)
		for _, want := range []string{
			"Gate pass G-77", "Buyer number B-12", "Buyer number B-99", "Hours: Mon-Fri 8-17", "An appointment is required", "Ask at the guard house", "08:00 to 17:00 C", `href="tel:&#43;12145550199"`,
			`href="tel:&#43;13055550143"`, "https://www.google.com/maps/search/?api=1&amp;query=1", "Collect at the delivery", "$900.00 in cash", "Key is under the mat",
		} {
			require.Contains(t, shown, want)
		}
		for _, secret := range []string{"Margin is thin", "Tarp it"} {
			require.NotContains(t, shown, secret)
		}
		seen := h.ask(t, http.MethodGet, h.link, nil).OK(t)
		require.Equal(t, []string{"G-77", "900.00", "cash"}, []string{seen.Get("loads.0.vehicles.0.gate_pass").String(), seen.Get("loads.0.collect.0.amount").String(), seen.Get("loads.0.collect.0.method").String()})
		require.NotContains(t, string(seen.Body), "carrier_pay")
	})
}

func TestCarrierPage_LeadsToTheInspection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		const dispatch = "/dispatches/api/v1/dispatches"
		d.Eventually(t, func() bool { return d.get(t, dispatch).Get("data.#").Int() == 1 }, "there is a dispatch")
		sheet := d.post(t, dispatch+"/"+d.get(t, dispatch).Get("data.0.uuid").String()+"/remind", object{"channels": []string{}}).OK(t).Get("link.url").String()
		require.Contains(t, string(d.Call(t, "", http.MethodGet, sheet, nil, "Accept", "text/html").OK(t).Body), "/driver_links")
		made := h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).OK(t).Get("url").String()
		require.Equal(t, h.vehicles[0], h.ask(t, http.MethodGet, made, nil).OK(t).Get("bols.0.vehicles.0.vehicle.uuid").String())
		for range 9 {
			h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).OK(t)
		}
		h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).Refused(t, http.StatusTooManyRequests, "link.too_often")
		d.post(t, h.bol+"/void", object{"reason": "x"}).OK(t)
		d.post(t, h.load+"/uncover", nil).OK(t)
		require.Equal(t, http.StatusConflict, h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).Status)
		d.Eventually(t, func() bool {
			return h.ask(t, http.MethodPost, sheet+"/driver_links", object{}).Get("code").String() == "dispatches.no_load"
		}, "the carrier no longer has it")
	})
}

func TestBOL_IsPrintedWithNamesZonesAndPages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "inspections", object{"inspector": "Иван"}).OK(t)
		h.photo(t, 1, nil).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", object{"name": "Иван Петров"}).OK(t)
		h.sign(t, "pickup", "releasing", object{"name": "José Peña"}).OK(t)
		text := papertest.Text(t, d.call(t, http.MethodGet, h.bol+"/pdf", nil).OK(t).Body)
		for _, want := range []string{"Иван Петров", "José Peña", vin, d.get(t, h.load).Get("number").String(), "Lone Star Auto", "1 Main St", "2003 Honda Accord"} {
			require.Contains(t, text, want)
		}
		require.Regexp(t, `José Peña\s+\w+ \d+, \d{4}, \d\d:\d\d C[DS]T`, text)
		require.Regexp(t, `(?m)^[0-9a-f]{64}$`, text)
		for page := range strings.SplitSeq(strings.TrimSuffix(text, "\f"), "\f") {
			require.Regexp(t, `Bill of lading `+d.get(t, h.bol).Get("number").String()+` Page \d of \d`, page)
		}
		require.Contains(t, papertest.Text(t, d.call(t, http.MethodGet, base+"/inspections/"+d.get(t, base+"/inspections").Get("data.0.uuid").String()+"/pdf", nil).OK(t).Body), "Condition report")
		d.call(t, http.MethodGet, h.bol+"/pod", nil).Refused(t, http.StatusConflict, "document.not_there")
	})
}

func TestDriverPage_ShowsAFormAgainWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		send := func(values url.Values) moduletest.Response {
			values.Set("vehicle_uuid", h.vehicles[0])
			values.Set("stage", "pickup")

			return d.Call(t, "", http.MethodPost, h.link+"/inspections", []byte(values.Encode()), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
		again := send(url.Values{"odometer": {"many"}, "inspector": {"Bo Driver"}})
		require.Equal(t, http.StatusUnprocessableEntity, again.Status)
		require.Contains(t, string(again.Body), `value="Bo Driver"`)
		require.Contains(t, string(again.Body), `value="`+h.vehicles[0]+`"`)
		send(url.Values{"odometer": {"45,210"}}).OK(t)
		require.Equal(t, int64(45210), h.ask(t, http.MethodGet, h.link, nil).OK(t).Get("bols.0.vehicles.0.pickup.odometer").Int())
	})
}

// byUploadLink sends a picture by an upload link.
func (h haul) byUploadLink(t *testing.T, size int) {
	t.Helper()
	body := object{"vehicle_uuid": h.vehicles[0], "stage": "pickup", "subject": "rear"}
	at := h.ask(t, http.MethodPost, h.link+"/upload_links", body).OK(t).Get("url").String()
	var content, form bytes.Buffer
	require.NoError(t, png.Encode(&content, image.NewRGBA(image.Rect(0, 0, size, size))))
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "car.png")
	require.NoError(t, err)
	_, err = part.Write(content.Bytes())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	h.Call(t, "", http.MethodPost, at, form.Bytes(), "Content-Type", w.FormDataContentType()).OK(t)
}

func TestPhotos_ComeByAnUploadLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.byUploadLink(t, 9)
		d.Eventually(t, func() bool { return d.get(t, base+"/photos").Get("data.0.subject").String() == "rear" }, "it is a photo of the inspection")
	})
}

// A photo that came by an upload link, and for which there is no room, stays an attachment: its delivery is not tried again and again.
func TestPhotos_ByAnUploadLinkAreLeftOutWithoutRoom(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var db *database.DB
		d := desk{boot(moduletest.With(fx.Populate(&db)))}
		h := d.covered(t, "standard")
		h.photo(t, 1, nil).OK(t)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Raw(ctx, "a test").Exec("UPDATE bills_of_lading_photos SET size_bytes = ?", int64(2<<30)-10).Error // less than any picture
		}))
		h.byUploadLink(t, 9)
		jobs := func(states string) (n int64) {
			count := "SELECT count(*) FROM river_job WHERE kind = 'events.deliver' AND state IN (" + states + ")"
			require.NoError(t, db.Raw(t.Context(), "a test").Raw(count).Scan(&n).Error)

			return n
		}
		d.Eventually(t, func() bool {
			stored := d.get(t, "/attachments/api/v1/attachments?filter[category]=rear").Get("data.#").Int()

			return stored == 1 && jobs("'available', 'pending', 'running'") == 0
		}, "it was stored, and delivered to all that listen")
		require.Zero(t, jobs("'retryable', 'scheduled', 'discarded'"), "no delivery failed")
		require.Equal(t, int64(1), d.get(t, base+"/photos").Get("data.#").Int())
	})
}

// What is on a screen or on paper is scanned with a phone, if the service knows at which address it is.
func TestCodes_LeadFromTheScreenAndThePaperToTheBillOfLading(t *testing.T) {
	t.Parallel()
	const host = "https://dispatch.example"
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		d := desk{a}
		h := d.covered(t, "standard")
		h.link = strings.TrimPrefix(h.link, host)
		page := string(h.Call(t, "", http.MethodPost, h.link+"/sign_links", "bol_uuid="+idOf(h.bol), "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded").OK(t).Body)
		require.Contains(t, page, `<svg class="qr"`)
		require.Contains(t, page, host+base+"/sign/", "who cannot scan it can type it")

		h.enter(t, "inspections", object{}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", object{"method": "drawn", "strokes": "M10 10L20 15L30 12"}).OK(t)
		h.sign(t, "pickup", "releasing", object{"method": "not_available", "reason": "Night drop"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("pickup_document_uuid").String() != "" }, "it is printed")
		require.Equal(t, int64(1), d.get(t, h.bol+"/shares").Get("data.#").Int(), "the code of the paper is a link that can be taken back")
	}, moduletest.Set("web.base_url="+host))
}

func TestVIN_ThatDiffersHasTheVehiclesStayWhoeverSaysThatTheyGo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard", object{"vin": vin, "tariff": "1100.00", "carrier_pay": "900.00"}, object{"vin": "1FTFW1ET5DFC10312", "tariff": "900.00", "carrier_pay": "700.00"})
		found := h.enter(t, "inspections", object{"vin_scanned": "1HGCM82633A004353"}).OK(t).Get("uuid").String()
		var dispatch string
		d.Eventually(t, func() bool {
			dispatch = "/dispatches/api/v1/dispatches/" + d.get(t, "/dispatches/api/v1/dispatches").Get("data.0.uuid").String()

			return !strings.HasSuffix(dispatch, "/")
		}, "the load has a dispatch")
		refused := func() {
			d.post(t, dispatch+"/pick_up", object{}).Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
			d.post(t, dispatch+"/deliver", object{}).Refused(t, http.StatusConflict, "loads.vehicles_waiting")
			d.post(t, h.load+"/vehicles/"+h.vehicles[0]+"/pick_up", object{}).Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
		}
		refused()
		d.post(t, h.load+"/vehicles/"+h.vehicles[1]+"/pick_up", object{}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, dispatch).Get("state").String() == "picked_up" }, "the other vehicle goes")
		refused()
		d.post(t, base+"/inspections/"+found+"/accept_vin", object{"reason": "  "}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		d.post(t, base+"/inspections/"+found+"/accept_vin", object{"reason": "The title has it so."}).OK(t)
		d.post(t, dispatch+"/pick_up", object{}).OK(t)
	})
}

// After a cut of the pay that the carrier has not confirmed, the driver is told why the pickup cannot be signed, and whom to ask.
func TestSignature_WaitsUntilTheCarrierHasConfirmedALowerPay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		d.Eventually(t, func() bool { return d.get(t, "/dispatches/api/v1/dispatches").Get("data.#").Int() == 1 }, "the load has a dispatch")
		d.call(t, http.MethodPut, h.load+"/price", object{"carrier_pay": "700.00"}).OK(t)
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		h.sign(t, "pickup", "releasing", nil).Refused(t, http.StatusConflict, "dispatches.terms_unconfirmed")
		require.Equal(t, "dispatched", d.get(t, h.load).Get("state").String())
		page := string(d.Call(t, "", http.MethodGet, h.link+"?problem=dispatches.terms_unconfirmed", nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, page, "Ask your carrier to confirm it by its link, or call the office, and sign again.")
		at := "/dispatches/api/v1/dispatches/" + d.get(t, "/dispatches/api/v1/dispatches").Get("data.0.uuid").String()
		d.Eventually(t, func() bool { return d.get(t, at).Get("revision").Int() == 2 }, "the dispatch has the pay")
		d.post(t, at+"/pick_up", object{"note": "Agreed on the phone"}).OK(t)
	})
}

func TestSignature_OfACarrierThatHasTheLoadNoMoreIsNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", nil).OK(t)
		d.post(t, h.load+"/uncover", nil).OK(t)
		body := object{"stage": "pickup", "role": "releasing", "name": "Ann"}
		require.Equal(t, http.StatusConflict, d.post(t, h.bol+"/signatures", body).Status)
		d.Eventually(t, func() bool { return d.get(t, h.bol).Get("state").String() == "void" }, "what was signed is void")
		require.Equal(t, "ready", d.get(t, h.load).Get("state").String())
	})
}

func TestEntry_IsWhatItIsByWhateverClientID(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		h := d.covered(t, "standard")
		client := uuid.NewString()
		for range 2 {
			h.enter(t, "inspections", object{"client_id": client}).OK(t)
		}
		h.enter(t, "damages", object{"client_id": client, "code": "SC"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.client_id_used")
		h.enter(t, "submissions", object{}).OK(t)
		h.sign(t, "pickup", "driver", object{"method": "drawn", "strokes": "M5 5"}).Refused(t, http.StatusUnprocessableEntity, "bills_of_lading.invalid_signature")
		old := h.sign(t, "pickup", "driver", object{"occurred_at": "1900-01-01T00:00:00Z"}).OK(t).Get("uuid").String()
		signed := d.get(t, base+"/signatures/"+old)
		require.True(t, signed.Get("clock_ahead").Bool())
		require.WithinDuration(t, clock.System{}.Now(), signed.Get("signed_at").Time(), time.Hour)
		require.NotContains(t, d.get(t, h.bol+"/transitions").Get("data.#.verb").Raw, "sign")
		d.post(t, h.bol+"/void", object{"reason": "  "}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}
