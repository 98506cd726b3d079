package walks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// A dealer ships seven cars to two of its lots, on account and by ACH. One of the cars that the auction releases is another one than was ordered.
func TestDealer_ShipsSevenCarsToTwoLots(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		dealer := o.contact(t, "Granite Motors", object{"kind": "company"})
		o.post(t, "/shippers/api/v1/shippers", object{"contact_uuid": dealer, "code": "GRANITE", "credit_limit": "5000.00", "net_days": 15})
		const peach, palm = "0190d0c0-0000-7000-8000-00000000000a", "0190d0c0-0000-7000-8000-00000000000b"
		cars := make([]object, 7)
		for i := range cars {
			cars[i] = object{"year": 2015 + i, "make": "Ford", "model": "Fusion", "type": "sedan", "delivery_stop_uuid": peach}
			if i >= 4 {
				cars[i]["delivery_stop_uuid"] = palm
			}
		}
		cars[2] = object{"vin": "1HGCM82633A004352", "delivery_stop_uuid": peach}
		load := o.load(t, object{
			"customer_uuid": dealer, "available_from": day(1), "vehicles": cars,
			"stops": []object{
				{"kind": "pickup", "venue": object{"postal_code": "75201", "name": "Lone Star Auto"}},
				{"uuid": peach, "kind": "delivery", "venue": object{"postal_code": "30303", "name": "Peach Cars"}},
				{"uuid": palm, "kind": "delivery", "venue": object{"postal_code": "33101", "name": "Palm Cars"}},
			},
		})
		o.try(t, http.MethodPut, load+"/price", object{"tariff": "4000.00", "carrier_pay": "3333.33"}).OK(t)
		o.post(t, load+"/payment_plan/propose", object{"template": "account"})
		l := o.get(t, load)
		require.Equal(t, []string{"4000.00", "3333.33", "666.67", `["4000.00","3333.33"]`}, values(l, "tariff", "carrier_pay", "broker_fee", "payment_plan.#.amount"))
		require.Equal(t, "571.43", l.Get("vehicles.0.tariff").String(), "the odd cents go to some of the seven")
		o.ready(t, load)
		another := o.load(t, object{
			"customer_uuid": dealer, "available_from": day(1), "vehicles": []object{{"make": "Ford", "model": "Focus", "year": 2012, "tariff": "1000.01", "carrier_pay": "900.00"}},
			"stops": []object{{"kind": "pickup", "venue": object{"postal_code": "75201"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}},
		})
		o.post(t, another+"/payment_plan/propose", object{"template": "account"})
		over := o.try(t, http.MethodPost, another+"/book", nil).Refused(t, http.StatusConflict, "shippers.credit_limit")
		require.Equal(t, []string{"5000.00", "4000.00", "1000.01"}, []string{over.Get("details.credit_limit").String(), over.Get("details.owed").String(), over.Get("details.amount").String()})

		hauler := o.carrier(t, "Hauler")
		link := linkOf(o.offer(t, load, nil, hauler)[0])
		require.Contains(t, o.page(t, link), "$3,333.33")
		o.accept(t, link, object{"crew": object{"driver_name": "Bo Driver"}}).OK(t)
		dispatch := o.dispatchOf(t, load)
		require.Contains(t, o.paper(t, dispatch+"/rate_confirmation"), "Carrier pay in all $3,333.33")

		driving, ids := o.driver(t, load), l.Get("vehicles.#.uuid").Array()
		first, second := o.billOf(t, load, ids[0].String()), o.billOf(t, load, ids[4].String())
		require.NotEqual(t, first, second, "one for each lot")
		require.Equal(t, []string{"4", "3"}, []string{o.get(t, first).Get("vehicles.#").Raw, o.get(t, second).Get("vehicles.#").Raw})
		o.pickUpSwapped(t, load, driving, ids, first, second)

		for i, id := range ids[:4] {
			if i == 1 {
				o.by(t, driving, "/damages", object{"vehicle_uuid": id.String(), "stage": "delivery", "code": "D", "side": "left"}).OK(t)
			}
			o.inspect(t, driving, id.String(), "delivery", nil)
		}
		o.sign(t, driving, first, "delivery", "Ann Peach")
		require.Equal(t, []string{"picked_up", "4"}, values(o.get(t, load), "state", "delivered_count"), "three cars are still on board")
		require.Equal(t, "1", o.get(t, first+"/compare").Get("new.#").Raw, "the dent is new")
		for _, id := range ids[4:] {
			o.inspect(t, driving, id.String(), "delivery", nil)
		}
		o.sign(t, driving, second, "delivery", "Cy Palm")
		require.Equal(t, []string{"delivered", "4000.00", "3333.33"}, values(o.get(t, load), "state", "customer_balance", "carrier_balance"))
		o.Eventually(t, func() bool {
			return o.get(t, "/deliveries/api/v1/deliveries?filter[state]=delivered&filter[load_uuid]="+idOf(load)).Get("data.#").Int() == 2
		}, "both lots have their cars")

		o.pay(t, load, "customer", "broker", "ACH 1")
		o.pay(t, load, "broker", "carrier", "ACH 2")
		o.done(t, load)
		for n, bill := range []string{first, second} {
			o.Eventually(t, func() bool { return o.get(t, bill).Get("state").String() == "closed" }, "the bill of lading is printed")
			paper := o.paper(t, bill+"/pdf")
			require.Contains(t, paper, []string{"Peach Cars", "Palm Cars"}[n])
			require.Contains(t, paper, o.get(t, bill).Get("number").String())
		}
		require.Len(t, o.get(t, load+"/transaction_record").Get("bill_of_lading_numbers").Array(), 2)
		o.post(t, another+"/book", nil)
	})
}

// pickUpSwapped has the driver find another car in the place of the third one, which the auction swaps before anything is signed.
func (o office) pickUpSwapped(t *testing.T, load, driving string, ids []gjson.Result, first, second string) {
	t.Helper()
	for i, id := range ids {
		seen := object{"odometer": 1000 + i}
		if i == 2 {
			seen["vin_scanned"] = "5YJSA1E26HF000337"
		}
		o.inspect(t, driving, id.String(), "pickup", seen)
	}
	swapped := o.by(t, driving, "/signatures", object{"bol_uuid": idOf(first), "stage": "pickup", "role": "driver", "name": "Bo Driver"})
	if swapped.Status == http.StatusOK {
		swapped = o.by(t, driving, "/signatures", object{"bol_uuid": idOf(first), "stage": "pickup", "role": "releasing", "name": "Lone Star"})
	}
	swapped.Refused(t, http.StatusConflict, "bills_of_lading.vin_differs")
	for _, vin := range []string{"1HGCM82633A004352", "5YJSA1E26HF000337"} {
		require.Contains(t, swapped.Get("message").String()+swapped.Get("details").Raw, vin)
	}
	require.Equal(t, "waiting", o.get(t, load).Get("vehicles.2.custody").String())
	o.inspect(t, driving, ids[2].String(), "pickup", object{"vin_scanned": "1HGCM82633A004352", "odometer": 1002})
	require.Equal(t, "1HGCM82633A004352", o.get(t, load).Get("vehicles.2.vin").String())
	for _, bill := range []string{first, second} {
		o.sign(t, driving, bill, "pickup", "Lone Star")
	}
	require.Equal(t, []string{"picked_up", "7"}, values(o.get(t, load), "state", "picked_up_count"))
}
