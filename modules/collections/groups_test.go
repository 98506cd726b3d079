package collections_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func (y yard) groups(t *testing.T, token, name, query string) moduletest.Response {
	t.Helper()

	return y.Call(t, token, http.MethodGet, collectionsPath+"/"+name+"/groups?"+query, nil)
}

func TestGroups_OfAResourceCountAndSumWhatTheCallerFinds(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		north := y.gate(t, object{"name": "North", "lanes": 4, "code": "S1"})
		y.gate(t, object{"name": "South", "lanes": 3, "kind": "one_way", "nearest_uuid": north})
		y.gate(t, object{"name": "East", "lanes": 3, "code": "S1"})
		gone := y.gate(t, object{"name": "Gone", "lanes": 9})
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+gone, nil).OK(t)
		view := y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+gate1+"/views", object{
			"name": "Entries", "filter": []object{{"field": "kind", "op": "eq", "value": "entry"}}, "sort": []object{{"field": "lanes"}}, "columns": []string{"name"},
		}).OK(t).Get("uuid").String()
		for query, want := range map[string]string{
			"group_by=lanes&sum=lanes":                `[{"keys": {"lanes": 3}, "count": 2, "sums": {"lanes": "6"}}, {"keys": {"lanes": 4}, "count": 1, "sums": {"lanes": "4"}}]`,
			"group_by=lanes,name&filter[lanes][lt]=4": `[{"keys": {"lanes": 3, "name": "East"}, "count": 1}, {"keys": {"lanes": 3, "name": "South"}, "count": 1}]`,
			"group_by=lanes&view=" + view:             `[{"keys": {"lanes": 3}, "count": 1}, {"keys": {"lanes": 4}, "count": 1}]`,
			"group_by=lanes&q=nor":                    `[{"keys": {"lanes": 4}, "count": 1}]`,
			"group_by=nearest_uuid":                   `[{"keys": {"nearest_uuid": "` + north + `"}, "count": 1}, {"keys": {"nearest_uuid": null}, "count": 2}]`,
			"group_by=lanes&filter[code]=S1":          `[{"keys": {"lanes": 3}, "count": 1}, {"keys": {"lanes": 4}, "count": 1}]`,
		} {
			require.JSONEq(t, want, y.groups(t, y.Owner.Token, gate1, query).OK(t).Get("data").Raw, query)
		}
		require.Equal(t, "3", y.groups(t, y.Owner.Token, gate1, "group_by=created_at:year").OK(t).Get("meta.total").Raw)

		few := y.user(t, identity.Viewer)
		y.groups(t, few, gate1, "group_by=lanes&filter[code]=S1").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.groups(t, few, gate1, "group_by=code").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.groups(t, y.Owner.Token, gate1, "group_by=lanes&view="+north).Refused(t, http.StatusNotFound, "collection.view_not_found")
		y.groups(t, y.Owner.Token, "port.nothing", "group_by=lanes").Refused(t, http.StatusNotFound, "collection.not_found")
		require.Equal(t, "0", y.groups(t, y.NewCompany(t).Token, gate1, "group_by=lanes").OK(t).Get("meta.total").Raw)
	})
}

func TestGroups_AreByFieldsThatTheCompanyHasAddedToo(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "bay", "type": "text", "indexed": true})
		y.addOwnField(t, object{"key": "toll", "type": "decimal"})
		y.addOwnField(t, object{"key": "secret", "type": "text", "sensitive": true})
		y.gate(t, object{"name": "A", "lanes": 1, "custom": object{"bay": "x", "toll": "0.10", "secret": "s"}})
		y.gate(t, object{"name": "B", "lanes": 2, "custom": object{"bay": "x", "toll": "-2.35"}})
		y.gate(t, object{"name": "C", "lanes": 3, "custom": object{"bay": "y"}})
		y.gate(t, object{"name": "D", "lanes": 4})
		for query, want := range map[string]string{
			"group_by=custom.bay&sum=custom.toll,lanes": `[{"keys": {"custom.bay": "x"}, "count": 2, "sums": {"custom.toll": "-2.25", "lanes": "3"}},
				{"keys": {"custom.bay": "y"}, "count": 1, "sums": {"custom.toll": null, "lanes": "3"}}, {"keys": {"custom.bay": null}, "count": 1, "sums": {"custom.toll": null, "lanes": "4"}}]`,
			"group_by=lanes,custom.bay&filter[custom.toll][lt]=0":    `[{"keys": {"lanes": 2, "custom.bay": "x"}, "count": 1}]`,
			"group_by=custom.secret&filter[custom.toll][null]=false": `[{"keys": {"custom.secret": "s"}, "count": 1}, {"keys": {"custom.secret": null}, "count": 1}]`,
		} {
			require.JSONEq(t, want, y.groups(t, y.Owner.Token, gate1, query).OK(t).Get("data").Raw, query)
		}
		y.groups(t, y.user(t, identity.Viewer), gate1, "group_by=custom.secret").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}

func TestGroups_AddUpAmountsExactly(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		for _, row := range []object{
			{"name": "a", "fee": "999999999999999999.999999999999999999"},
			{"name": "a", "fee": "999999999999999999.000000000000000001"},
			{"name": "b", "fee": "-0.1"},
			{"name": "b", "fee": "-12.25"},
			{"name": "b", "fee": "7"},
			{"name": "c"},
		} {
			y.Call(t, y.Owner.Token, http.MethodPost, "/port/api/v1/permits", row).OK(t)
		}
		require.JSONEq(t, `[
			{"keys": {"name": "a"}, "count": 2, "sums": {"fee": "1999999999999999999.00"}},
			{"keys": {"name": "b"}, "count": 3, "sums": {"fee": "-5.35"}},
			{"keys": {"name": "c"}, "count": 1, "sums": {"fee": null}}]`, y.groups(t, y.Owner.Token, "port.permit", "group_by=name&sum=fee").OK(t).Get("data").Raw)
		y.groups(t, y.Owner.Token, "port.permit", "group_by=fee").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}

func TestGroups_DoNotCountWhatIsHidden(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.Call(t, y.Owner.Token, http.MethodPost, "/port/api/v1/remarks", object{"words": "Open", "about": object{"type": "port.spot", "uuid": vault}}).OK(t)
		require.Equal(t, "1", y.groups(t, y.Owner.Token, remark, "group_by=words").OK(t).Get("meta.total").Raw)
		require.Equal(t, "0", y.groups(t, y.user(t, identity.Viewer), remark, "group_by=words").OK(t).Get("meta.total").Raw)
	})
}

func TestGroups_OfACustomModuleAreThoseOfItsOwnPath(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.lots+"/records", object{"payload": object{"code": "A"}}).OK(t)
		there := y.get(t, modulesPath+"/"+y.lots+"/groups?group_by=code").OK(t)
		require.Equal(t, "1", there.Get("meta.total").Raw)
		require.JSONEq(t, string(there.Body), string(y.groups(t, y.Owner.Token, y.lots, "group_by=code").OK(t).Body))
		y.groups(t, y.NewCompany(t).Token, y.lots, "group_by=code").Refused(t, http.StatusNotFound, "collection.not_found")
	})
}
