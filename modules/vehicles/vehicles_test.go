package vehicles_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base  = "/vehicles/api/v1"
	book  = base + "/vehicles"
	byVIN = base + "/by_vin/"
	vin   = "1HGCM82633A004352"
)

type object = map[string]any

func TestMain(m *testing.M) { moduletest.Main(m, vehicles.Module, modules()...) }

func modules() []module.Module { return []module.Module{vehicles.Module} }

func TestBook_DecodesWhatIsOmittedAndKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		made := call(http.MethodPost, book, object{"vin": "1hgcm82633a004352", "trim": "Special"}).OK(t)
		require.Equal(t, vin, made.Get("vin").String())
		require.Equal(t, int64(2003), made.Get("year").Int())
		require.Equal(t, "Honda Accord coupe", made.Get("make").String()+" "+made.Get("model").String()+" "+made.Get("type").String())
		require.Equal(t, "Special", made.Get("trim").String(), "typed")
		read := call(http.MethodGet, made.Header.Get("Location")+"?expand=vin.decoded", nil).OK(t)
		require.Equal(t, "EX-V6", read.Get("expanded.vin.decoded.trim").String())

		call(http.MethodPost, book, object{"vin": vin}).Refused(t, http.StatusConflict, "vehicles.vehicle_taken")
		call(http.MethodPost, book, object{"vin": "1HGCM82633A00435O"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		call(http.MethodPost, book, object{"vin": "KM8K2CAB4PU001140", "type": "spaceship"}).
			Refused(t, http.StatusUnprocessableEntity, "vehicles.invalid_type")
		own := call(http.MethodPost, book, object{"vin": "KM8K2CAB4PU001140", "make": "Kit car"}).OK(t)
		require.Equal(t, "null", own.Get("year").Raw, "of another make, nothing is filled in")
	})
}

func TestBook_PutCreatesOnceAndThenChanges(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		put := func(vin string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPut, byVIN+vin, body)
		}
		made := put(vin, object{"color": "Silver"}).OK(t)
		again := put("1hgcm82633a004352", object{"notes": "Seen again"}).OK(t)
		require.Equal(t, made.Get("uuid").String(), again.Get("uuid").String())
		require.Equal(t, "Silver", again.Get("color").String())
		require.Equal(t, []string{"vehicles.vehicle.created", "vehicles.vehicle.updated"}, a.Audited(t, a.Owner))
		put("1HGCM82633A00435O", object{}).Refused(t, http.StatusUnprocessableEntity, "vehicles.invalid_vin")
		put("1HGCM826", object{}).Refused(t, http.StatusUnprocessableEntity, "vehicles.invalid_vin")
		formerly := a.Call(t, a.Owner.Token, http.MethodPut, book+"/by_vin/"+vin, object{}).OK(t)
		require.Equal(t, made.Get("uuid").String(), formerly.Get("uuid").String())
		other := a.NewCompany(t)
		require.NotEqual(t, made.Get("uuid").String(),
			a.Call(t, other.Token, http.MethodPut, byVIN+vin, object{}).OK(t).Get("uuid").String())
	})
}

func TestVIN_IsDecodedAndCheckedWithoutAVendor(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, base+path, body)
		}
		batch := call(http.MethodPost, "/decode", object{"vins": []string{vin, "1HGCM82633AO04352", "1M8GDM9AXKP042788"}}).OK(t)
		require.Equal(t, "Accord", batch.Get("data.0.model").String())
		require.False(t, batch.Get("data.1.valid").Bool())
		require.Equal(t, int64(12), batch.Get("data.1.problems.0.position").Int())
		require.Equal(t, int64(1989), batch.Get("data.2.year").Int())
		many := make([]string, 51)
		for i := range many {
			many[i] = vin
		}
		call(http.MethodPost, "/decode", object{"vins": many}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		call(http.MethodPost, "/decode", object{"vins": many[:50]}).OK(t)

		refused := call(http.MethodGet, "/vin/IHGCM82633A004352", nil).Refused(t, http.StatusUnprocessableEntity, "vehicles.invalid_vin")
		require.Equal(t, "I is not used in VINs: 1?", refused.Get("errors.vin.0").String())
		require.Equal(t, int64(1), refused.Get("details.problems.0.position").Int())
		require.Equal(t, int64(2003), call(http.MethodGet, "/vin/"+vin, nil).OK(t).Get("year").Int())

		checked := call(http.MethodPost, "/vin/check", object{"vin": "IHGCM82633AOO4352"}).OK(t)
		require.False(t, checked.Get("valid").Bool())
		require.Equal(t, vin, checked.Get("suggestions.0").String())
		require.Equal(t, "X", call(http.MethodPost, "/vin/check", object{"vin": "1M8GDM9A1KP042788"}).OK(t).Get("expected_check_digit").String())
	})
}

func TestCatalogue_ListsMakesModelsAndTypes(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		get := func(path string) moduletest.Response { return a.Call(t, a.Owner.Token, http.MethodGet, base+path, nil) }
		require.Equal(t, "Honda", get("/makes?q=hon").OK(t).Get("data.0.name").String())
		first := get("/makes?per_page=2").OK(t)
		require.Len(t, first.Get("data").Array(), 2)
		next := get("/makes?per_page=2&cursor=" + first.Get("meta.next_cursor").String()).OK(t)
		require.NotContains(t, first.Get("data.#.name").String(), next.Get("data.0.name").String())
		require.Equal(t, first.Get("meta.total").Int(), next.Get("meta.total").Int())
		require.Equal(t, "null", get("/makes?q=mercedes-benz").OK(t).Get("meta.next_cursor").Raw)
		for _, cursor := range []string{"!", "bm8gc3VjaCBtYWtl"} {
			get("/makes?cursor="+cursor).Refused(t, http.StatusUnprocessableEntity, "list.cursor_invalid")
		}
		require.Equal(t, "Accord", get("/models?make=honda&year=2003&q=acc&type=coupe").OK(t).Get("data.0.name").String())
		get("/models?make=nosuchmake").Refused(t, http.StatusNotFound, "vehicles.make_not_found")
		get("/makes?type=spaceship").Refused(t, http.StatusUnprocessableEntity, "vehicles.invalid_type")
		get("/makes?color=red").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.Equal(t, "other", get("/types").OK(t).Get("data.22.type").String())
	})
}

func TestParse_ReadsAListing(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		parse := func(text string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, base+"/parse", object{"text": text})
		}
		found := parse("2x 2012 BMW X6, INOP").OK(t)
		require.Equal(t, int64(2), found.Get("data.0.count").Int())
		require.Equal(t, "false", found.Get("data.0.operable").Raw)
		require.JSONEq(t, `[]`, parse("hello there").OK(t).Get("data").Raw)
		parse(strings.Repeat("2012 BMW X6 ", 80_000)).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestExpand_DecodesVINsOfResourcesAndCustomModules(t *testing.T) {
	t.Parallel()
	all := []module.Module{vehicles.Module, trucks.Module, drivers.Module, fleets.Module, custommodules.Module}
	moduletest.BootEach(t, all, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		call(http.MethodPost, "/trucks/api/v1/trucks", object{"unit": "12", "vin": "1FUJA6CV45LM12345"}).OK(t)
		call(http.MethodPost, "/trucks/api/v1/trucks", object{"unit": "13"}).OK(t)
		listed := call(http.MethodGet, "/trucks/api/v1/trucks?expand=vin.decoded,driver&sort=unit", nil).OK(t)
		require.Equal(t, "Freightliner", listed.Get("data.0.expanded.vin.decoded.make").String())
		require.False(t, listed.Get("data.1.expanded").Exists(), "without a VIN")
		few := call(http.MethodGet, "/trucks/api/v1/trucks?expand=vin.decoded&sort=unit&fields=expanded.vin.decoded", nil).OK(t)
		require.Equal(t, int64(2005), few.Get("data.0.expanded.vin.decoded.year").Int())

		const api = "/custom_modules/api/v1"
		call(http.MethodPost, api+"/packs/import", object{"install": "vehicle_inspection"}).OK(t)
		inspections := call(http.MethodGet, api+"/modules?filter[name]=Vehicle+inspections", nil).OK(t).Get("data.0.uuid").String()
		inspection := call(http.MethodPost, api+"/records", object{"module_uuid": inspections, "payload": object{
			"kind": "pickup", "status": "draft", "operability": "operable", "vin": "KM8K2CAB4PU001140", "inspected_at": "2026-11-24T10:00:00Z",
		}}).OK(t).Get("uuid").String()
		inspected := call(http.MethodGet, api+"/records/"+inspection+"?expand=vin.decoded", nil).OK(t)
		require.Equal(t, "Kona", inspected.Get("expanded.vin.decoded.model").String(), "of a pack")

		cars := call(http.MethodPost, api+"/modules", object{"name": "Cars", "fields": []object{{"key": "vin", "type": "vin"}, {"key": "note", "type": "text"}}}).
			OK(t).Get("uuid").String()
		visits := call(http.MethodPost, api+"/modules", object{"name": "Visits", "fields": []object{
			{"key": "car", "type": "reference", "options": object{"module_uuid": cars, "on_delete": "set_null"}},
		}}).OK(t).Get("uuid").String()
		car := call(http.MethodPost, api+"/records", object{"module_uuid": cars, "payload": object{"vin": vin}}).OK(t).Get("uuid").String()
		call(http.MethodPost, api+"/records", object{"module_uuid": visits, "payload": object{"car": object{"record_uuid": car}}}).OK(t)
		read := call(http.MethodGet, api+"/records/"+car+"?expand=vin.decoded", nil).OK(t)
		require.Equal(t, "Accord", read.Get("expanded.vin.decoded.model").String())
		require.Equal(t, vin, read.Get("payload.vin").String())
		visit := call(http.MethodGet, api+"/records?module_uuid="+visits+"&expand=car.vin.decoded", nil).OK(t)
		require.Equal(t, "Honda", visit.Get("data.0.payload.car.record.expanded.vin.decoded.make").String())
		refused := call(http.MethodGet, api+"/records?module_uuid="+cars+"&expand=vin.color", nil).
			Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Equal(t, `expand does not know "vin.color"; allowed are vin.decoded.`, refused.Get("errors.expand.0").String())
	})
}

func TestExpand_IsUnknownWithoutTheArea(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{trucks.Module, drivers.Module, fleets.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		refused := a.Call(t, a.Owner.Token, http.MethodGet, "/trucks/api/v1/trucks?expand=vin.decoded", nil).
			Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Equal(t, `expand does not know "vin.decoded"; allowed are driver, fleet.`, refused.Get("errors.expand.0").String())
	})
}

func TestVIN_RefusesTextsThatAreNoVIN(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for text, position := range map[string]int64{
			"IHGCM82633A004352":                    1,  // I
			"1HGCM82633AO04352":                    12, // O
			"1HGCM82633A00435Q":                    17, // Q
			"1HG\u0421M82633A004352":               4,  // the Cyrillic Es
			"1HGCM82633\u0391004352":               11, // the Greek Alpha
			"1HGCM8\uff12633A004352":               7,  // full-width 2
			"1HGCM82633A00435\u0662":               17, // the Arabic-Indic 2
			"\u672c\u7530\u6280\u7814\u5de5\u696d": 1,  // Han
			"1HGCM82633A0\u00434352'; DROP":        0,
			"1HGCM82633A0043521":                   0, // 18 characters
			"1HG":                                  0,
			strings.Repeat("1", 100):               0,
		} {
			decoded := a.Call(t, a.Owner.Token, http.MethodPost, base+"/decode", object{"vins": []string{text, vin}}).OK(t)
			require.False(t, decoded.Get("data.0.valid").Bool(), text)
			require.Equal(t, position, decoded.Get("data.0.problems.0.position").Int(), text)
			require.True(t, decoded.Get("data.1.valid").Bool(), "the others are decoded")
			require.False(t, a.Call(t, a.Owner.Token, http.MethodPost, base+"/vin/check", object{"vin": text}).OK(t).Get("valid").Bool(), text)
			a.Call(t, a.Owner.Token, http.MethodPost, book, object{"vin": text}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		}
		short := a.Call(t, a.Owner.Token, http.MethodPost, base+"/decode", object{"vins": []string{"1HGCM82633A00435"}}).OK(t)
		require.Equal(t, "partial", short.Get("data.0.warnings.0.code").String(), "16 characters are a part of a VIN")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/parse", object{"text": strings.Repeat("x", 1_000_000)}).
			Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/decode", `{"vins": null}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/decode", `{"vins": [1]}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}
