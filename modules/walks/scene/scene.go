// Package scene makes what tests of the trade begin with, over HTTP: a customer, a carrier that may have loads, a load that waits for a
// carrier, a load that has one, an offer. It knows several areas, which the platform may not; a test that uses it boots them.
package scene

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// Body is the body of a request. One that a function takes has what differs from what the function makes.
type Body = map[string]any

// Paths of what a scene makes.
const (
	Carriers = "/carriers/api/v1/carriers"
	Contacts = "/contacts/api/v1/contacts"
	Loads    = "/loads/api/v1/loads"
	Offers   = "/dispatches/api/v1/offers"
)

// VIN is that of a vehicle of which everything is known: a Honda Accord coupe of 2003.
const VIN = "1HGCM82633A004352"

// Scene makes things in the owner's name. The zero Clock is the system's.
type Scene struct {
	App   *moduletest.App
	Clock clock.Clock
}

// Of is the scene of a service.
func Of(a *moduletest.App) Scene { return Scene{App: a} }

func (s Scene) post(t testing.TB, path string, body any) moduletest.Response {
	t.Helper()

	return s.App.Call(t, s.App.Owner.Token, http.MethodPost, path, body).OK(t)
}

func (s Scene) get(t testing.TB, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(s.App.Call(t, s.App.Owner.Token, http.MethodGet, path, nil).OK(t).Body)
}

// Day is a date some days from now.
func (s Scene) Day(days int) string {
	c := s.Clock
	if c == nil {
		c = clock.System{}
	}

	return c.Now().AddDate(0, 0, days).Format(time.DateOnly)
}

// Customer is the uuid of a contact, Ann Lee.
func (s Scene) Customer(t testing.TB, more Body) string {
	t.Helper()

	return s.post(t, Contacts, with(Body{"name": "Ann Lee"}, more)).Get("uuid").String()
}

// Carrier is the uuid of a carrier, Haul Co, whose cargo insurance of 100,000 lasts 300 days: nothing blocks it.
func (s Scene) Carrier(t testing.TB, more Body) string {
	t.Helper()

	return s.post(t, Carriers, with(Body{
		"legal_name": "Haul Co", "usdot": moduletest.USDOT(), "insurance": []Body{s.Insurance(300)},
	}, more)).Get("uuid").String()
}

// Insurance is a cargo insurance of a carrier, which lasts some days.
func (s Scene) Insurance(days int) Body {
	return Body{
		"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "100000.00", "expires": s.Day(days), "verified": s.Day(-120),
	}
}

// Load is the path of a new load: one car from Dallas to Miami for 1,100, of which the carrier gets 900.
func (s Scene) Load(t testing.TB, more Body) string {
	t.Helper()
	body := Body{"available_from": s.Day(1), "stops": Stops(), "vehicles": []Body{Car("1100.00", "900.00")}}
	if more["customer_uuid"] == nil {
		body["customer_uuid"] = s.Customer(t, nil)
	}

	return s.post(t, Loads, with(body, more)).Header.Get("Location")
}

// Stops are Dallas and Miami.
func Stops() []Body {
	return []Body{
		{"kind": "pickup", "venue": Body{"postal_code": "75201"}},
		{"kind": "delivery", "venue": Body{"postal_code": "33101"}},
	}
}

// Car is a vehicle with the price of the customer and the pay of the carrier.
func Car(tariff, pay string) Body { return Body{"vin": VIN, "tariff": tariff, "carrier_pay": pay} }

// Ready is the path of a load, as Load makes it, that is booked with a deposit and waits for a carrier.
func (s Scene) Ready(t testing.TB, more Body) string {
	t.Helper()
	load := s.Load(t, more)
	s.post(t, load+"/payment_plan/propose", Body{"template": "deposit_cod"})
	s.Clear(t, load)

	return load
}

// Clear books a load and clears it for carriers.
func (s Scene) Clear(t testing.TB, load string) {
	t.Helper()
	s.post(t, load+"/book", nil)
	s.post(t, load+"/clear", nil)
}

// Covered is the path of a load, as Ready makes it, that a new carrier has.
func (s Scene) Covered(t testing.TB, more Body) string {
	t.Helper()
	load := s.Ready(t, more)
	s.Cover(t, load, s.Carrier(t, nil))

	return load
}

// Cover gives a load to a carrier, for what the load pays.
func (s Scene) Cover(t testing.TB, load, carrier string) {
	t.Helper()
	s.post(t, load+"/cover", Body{"carrier_uuid": carrier, "carrier_pay": s.get(t, load).Get("carrier_pay").String()})
}

// Offer offers a load to carriers, to all at once.
func (s Scene) Offer(t testing.TB, load string, more Body, carriers ...string) moduletest.Response {
	t.Helper()

	return s.post(t, Offers, with(Body{
		"load_uuid": s.get(t, load).Get("uuid").String(), "carrier_uuids": carriers, "mode": "broadcast",
		"pickup_date": s.Day(3), "delivery_date": s.Day(6),
	}, more))
}

func with(body, more Body) Body {
	maps.Copy(body, more)

	return body
}
