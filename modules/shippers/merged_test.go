package shippers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func TestCarrierLists_FollowMergedCarriers(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		customer, shipper := call.newShipper(t, "Lee Motors")
		at := base + "/shippers/" + shipper
		bad, twin, good := call.hauler(t, "Bad Haul", nil), call.hauler(t, "Bad Haul Twin", nil), call.hauler(t, "Good Haul", nil)
		lists := func() (denied, allowed string) {
			row := call(http.MethodGet, at, nil).OK(t)

			return row.Get("denied_carriers").Raw, row.Get("allowed_carriers").Raw
		}
		call(http.MethodPatch, at, object{"denied_carriers": []string{bad}, "allowed_carriers": []string{good, twin}}).OK(t)
		call(http.MethodPost, "/carriers/api/v1/carriers/merge", object{"into": twin, "from": []string{bad}}).OK(t)
		denied, allowed := lists()
		require.Equal(t, []string{`["` + twin + `"]`, `["` + good + `"]`}, []string{denied, allowed}, "the denial stays, and outweighs")
		load := call.load(t, customer, "deposit_cod", "500.00")
		call(http.MethodPost, load+"/book", nil).OK(t)
		call(http.MethodPost, load+"/clear", nil).OK(t)
		for _, carrier := range []string{bad, twin} {
			call(http.MethodPost, load+"/cover", object{"carrier_uuid": carrier, "carrier_pay": call(http.MethodGet, load, nil).OK(t).Get("carrier_pay").String()}).Refused(t, http.StatusConflict, "shippers.carrier_denied")
		}

		call(http.MethodPost, "/carriers/api/v1/carriers/"+bad+"/unmerge", nil).OK(t)
		denied, allowed = lists()
		require.Equal(t, `["`+bad+`"]`, denied)
		require.ElementsMatch(t, []string{good, twin}, stringsIn(allowed))

		call(http.MethodPatch, at, object{"denied_carriers": []string{bad, twin}, "allowed_carriers": []string{}}).OK(t)
		call(http.MethodPost, "/carriers/api/v1/carriers/merge", object{"into": twin, "from": []string{bad}}).OK(t)
		denied, _ = lists()
		require.Equal(t, `["`+twin+`"]`, denied)
		call(http.MethodPost, "/carriers/api/v1/carriers/"+bad+"/unmerge", nil).OK(t)
		denied, _ = lists()
		require.ElementsMatch(t, []string{bad, twin}, stringsIn(denied))
	})
}

func TestLoads_NameTheContactThatAnotherOneWasMergedInto(t *testing.T) {
	t.Parallel()
	eachTrade(t, func(t *testing.T, call caller) {
		t.Helper()
		ann := call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Ann"}).OK(t).Get("uuid").String()
		twin, shipper := call.newShipper(t, "Ann's twin")
		call(http.MethodPatch, base+"/shippers/"+shipper, object{"net_days": 9}).OK(t)
		load := call.load(t, twin, "account", "500.00")
		stops := call(http.MethodGet, load, nil).OK(t).Get("stops").Value().([]any)
		stops[0].(object)["venue"].(object)["contact_uuid"] = twin
		call(http.MethodPatch, load, object{"stops": stops, "bill_to_uuid": twin, "shipper_uuid": twin}).OK(t)
		named := func() []string {
			row := call(http.MethodGet, load, nil).OK(t)

			return []string{row.Get("customer_uuid").String(), row.Get("bill_to_uuid").String(), row.Get("shipper_uuid").String(), row.Get("stops.0.venue.contact_uuid").String()}
		}
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", object{"into": ann, "from": []string{twin}}).OK(t)
		require.Equal(t, []string{ann, ann, ann, ann}, named())
		require.Equal(t, ann, call(http.MethodGet, base+"/shippers/"+shipper, nil).OK(t).Get("contact_uuid").String())
		for _, uuid := range []string{twin, ann} { // the old uuid is the contact that stays
			made := call(http.MethodGet, call.load(t, uuid, "account", "500.00"), nil).OK(t)
			require.Equal(t, []string{ann, "9"}, []string{made.Get("customer_uuid").String(), made.Get("payment_plan.0.due_days").Raw})
		}
		call(http.MethodPost, "/contacts/api/v1/contacts/"+twin+"/unmerge", nil).OK(t)
		require.Equal(t, []string{twin, twin, twin, twin}, named())
	})
}

func stringsIn(list string) (all []string) {
	for _, one := range gjson.Parse(list).Array() {
		all = append(all, one.String())
	}

	return all
}
