package shippers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRelease_IsMissedBeforeThePickup(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, shipper := call.newShipper(t, "Lee Motors")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"release_rule": "code", "default_terms": "cod"}).OK(t)
		load := call.load(t, customer, "", "1000.00")
		missed := func(method, path string, body any) string {
			return call(method, path, body).OK(t).Get(`warnings.#(code=="loads.release_missing").message`).String()
		}
		require.Contains(t, missed(http.MethodPost, load+"/book", nil), "Honda Accord leaves Dallas, TX only with a release code")
		require.NotEmpty(t, missed(http.MethodPost, load+"/clear", nil))
		car := load + "/vehicles/" + call(http.MethodGet, load, nil).OK(t).Get("vehicles.0.uuid").String()
		require.Empty(t, missed(http.MethodPatch, load, object{"references": []object{{"kind": "release", "value": "R-77"}}}))
		require.NotEmpty(t, missed(http.MethodPatch, load, object{"references": []object{{"kind": "po", "value": "77"}}}))
		require.Empty(t, missed(http.MethodPatch, car, object{"gate_pass": "G-7"}))
		call(http.MethodPatch, car, object{"gate_pass": ""}).OK(t)
		call(http.MethodPost, load+"/cover", object{"carrier_uuid": call.hauler(t, "Haul Co", nil), "carrier_pay": call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()}).OK(t)
		require.NotEmpty(t, missed(http.MethodPost, load+"/pick_up", nil), "the last time that it helps")
		require.Empty(t, missed(http.MethodPatch, load, object{"team": "East"}), "the car has left")

		call(http.MethodPost, base+"/locations", object{
			"shipper_uuid": shipper, "name": "Lot 1", "time_zone": "America/Chicago", "release_rule": "id", "address": object{"city": "Dallas", "state": "TX", "postal_code": "75201"},
		}).OK(t)
		require.Empty(t, missed(http.MethodPost, call.load(t, customer, "", "1000.00")+"/book", nil), "this place asks for an ID alone")
	})
}
