package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMerge_MovesWhatNamesTheCarrierAndUnmergeGivesItBack(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), tasks.Module, dispatching()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		merge := func(into, from string) moduletest.Response {
			return call(http.MethodPost, carriersPath+"/merge", object{"into": into, "from": []string{from}})
		}
		typo := call(http.MethodPost, carriersPath, object{
			"legal_name": "Sample", "usdot": "990001", "docket": "MC-990001", "rating": 4, "people": []object{{"name": "Bo", "role": "billing", "email": "bo@example.com"}},
			"w9_received": "2026-02-02", "tin_last4": "1234",
		}).OK(t).Get("uuid").String()
		body := sample("9900001")
		body["people"] = []object{{"name": "Ann", "role": "dispatch"}}
		stays := call(http.MethodPost, carriersPath, body).OK(t).Get("uuid").String()
		task := call(http.MethodPost, "/tasks/api/v1/tasks", object{"title": "Call", "item": object{"type": "carriers.carrier", "uuid": typo}}).OK(t).Header.Get("Location")
		incident := call(http.MethodPost, carriersPath+"/"+typo+"/incidents", object{"kind": "late", "title": "Late"}).OK(t).Header.Get("Location")
		override := call(http.MethodPost, area+"/overrides", object{"carrier_uuid": typo, "code": "authority_young", "reason": "x", "until": "2199-01-31"}).OK(t).Header.Get("Location")
		pay := func(id string) string {
			made := call(http.MethodPost, carriersPath+"/"+id+"/remit_to", toBank("email")).OK(t).Header.Get("Location")
			call(http.MethodPost, made+"/verify", object{"via": "in_person", "with": "Bo"}).OK(t)

			return made
		}
		ended, kept := pay(typo), pay(stays)
		field := func(at, key string) string { return call(http.MethodGet, at, nil).OK(t).Get(key).String() }

		into := merge(stays, typo).OK(t)
		require.Equal(t, []string{"9900001", "MC-990001", "4", "2026-01-05", ""}, []string{
			into.Get("usdot").String(), into.Get("docket").String(), into.Get("rating").String(), into.Get("w9_received").String(), into.Get("tin_last4").String(),
		}, "a W-9 stays with its tax id")
		require.Equal(t, `["Ann","Bo"]`, into.Get("people.#.name").Raw)
		require.Equal(t, stays, field(task, "item.uuid"))
		require.Equal(t, stays, field(incident, "carrier_uuid"))
		require.Equal(t, typo, field(override, "carrier_uuid"), "an override allows the carrier that it was given to")
		require.Equal(t, []string{"replaced", "effective"}, []string{field(ended, "state"), field(kept, "state")})
		require.Equal(t, int64(1), call(http.MethodGet, carriersPath, nil).OK(t).Get("data.#").Int())
		require.Equal(t, stays, field(carriersPath+"/"+typo, "merged_into_uuid"))
		found := call(http.MethodPost, "/dispatcher/api/v1/ask/"+typo, nil).OK(t)
		require.Equal(t, []string{stays, typo}, []string{found.Get("carrier.UUID").String(), found.Get("carrier.MergedFrom").String()})
		require.Equal(t, stays, found.Get("verdict.Carrier").String())
		call(http.MethodPatch, carriersPath+"/"+typo, object{"rating": 1}).Refused(t, http.StatusConflict, "carriers.merged")
		call(http.MethodPost, carriersPath+"/"+typo+"/remit_to", toBank("email")).Refused(t, http.StatusConflict, "carriers.merged")
		call(http.MethodPost, carriersPath+"/"+typo+"/incidents", object{"kind": "late", "title": "Late"}).Refused(t, http.StatusConflict, "carriers.merged")
		call(http.MethodDelete, carriersPath+"/"+stays, nil).Refused(t, http.StatusConflict, "carriers.used")
		merge(typo, stays).Refused(t, http.StatusConflict, "carriers.merge_cycle")
		merge(stays, stays).Refused(t, http.StatusConflict, "carriers.merge_cycle")

		call(http.MethodPatch, carriersPath+"/"+stays, object{"rating": 5}).OK(t)
		back := call(http.MethodPost, carriersPath+"/"+typo+"/unmerge", nil).OK(t)
		require.Equal(t, []string{"990001", "MC-990001", "4"}, []string{back.Get("usdot").String(), back.Get("docket").String(), back.Get("rating").String()})
		now := call(http.MethodGet, carriersPath+"/"+stays, nil).OK(t)
		require.Equal(t, []string{"", "5", `["Ann"]`}, []string{now.Get("docket").String(), now.Get("rating").String(), now.Get("people.#.name").Raw})
		require.Equal(t, []string{typo, typo}, []string{field(task, "item.uuid"), field(incident, "carrier_uuid")})
		call(http.MethodPost, carriersPath+"/"+typo+"/unmerge", nil).Refused(t, http.StatusConflict, "carriers.not_merged")
		require.Contains(t, a.EventNames(t, a.Owner), "carriers.carrier.merged")
		require.Contains(t, a.EventNames(t, a.Owner), "carriers.carrier.unmerged")
	}, moduletest.Set(sandbox, "modules.carriers.remit_hold=0s"))
}

func TestMerge_DoesNotTakeABanAwayAndFreesNumbers(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		create := func(name, usdot string) string {
			return call(http.MethodPost, carriersPath, object{"legal_name": name, "usdot": usdot}).OK(t).Get("uuid").String()
		}
		banned, stays := create("Banned", "9900001"), create("Stays", "9900002")
		call(http.MethodPost, carriersPath+"/"+banned+"/ban", object{"reason": "Held a load hostage."}).OK(t)
		into := call(http.MethodPost, carriersPath+"/merge", object{"into": stays, "from": []string{banned}}).OK(t)
		require.Equal(t, "do_not_use", into.Get("status").String())
		again := create("Again", "9900001")
		call(http.MethodPost, carriersPath+"/"+banned+"/unmerge", nil).Refused(t, http.StatusConflict, "carriers.carrier_taken")
		call(http.MethodDelete, carriersPath+"/"+again, nil)
		call(http.MethodPost, carriersPath+"/"+banned+"/unmerge", nil).OK(t)
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodPost, carriersPath+"/merge", object{"into": stays, "from": []string{banned}}).
			Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		a.Call(t, a.Token(t, a.Owner, "carriers:read", "carriers:write"), http.MethodPost, carriersPath+"/merge", object{"into": stays, "from": []string{banned}}).
			Refused(t, http.StatusForbidden, "web.scope_missing")
	}, moduletest.Set(sandbox))
}
