package custommodules_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// deals is a module with numbers that are indexed and such that are not.
func (y yard) deals(t *testing.T) string {
	t.Helper()
	module := y.module(t, "Deals",
		object{"key": "status", "type": "select", "indexed": true, "options": object{"options": []object{{"id": "new", "label": "New"}, {"id": "won", "label": "Won"}}}},
		object{"key": "price", "type": "decimal", "indexed": true},
		object{"key": "cost", "type": "decimal", "options": object{"scale": 3}},
		object{"key": "units", "type": "integer", "indexed": true},
		object{"key": "boxes", "type": "integer"},
		object{"key": "load", "type": "weight"},
		object{"key": "closed", "type": "date", "indexed": true},
		object{"key": "called", "type": "datetime"},
		object{"key": "note", "type": "text", "searchable": true},
		object{"key": "story", "type": "long_text"},
		object{"key": "hot", "type": "boolean", "indexed": true},
		object{"key": "customer", "type": "reference", "options": object{"module_uuid": y.customers}})
	for _, payload := range []object{
		{"status": "new", "price": "999999999999999999.99", "cost": "0.001", "units": 9223372036854775807, "boxes": 9223372036854775807, "closed": "2026-08-31", "hot": true, "note": "red one"},
		{"status": "new", "price": "999999999999999999.99", "cost": "-0.002", "units": 9223372036854775807, "boxes": 9223372036854775807, "closed": "2026-09-06", "note": "blue"},
		{"status": "won", "price": "-0.01", "cost": "-999999999999999999.999", "units": -5, "boxes": -7, "closed": "2026-09-07", "hot": false, "note": "red two", "load": object{"value": "2000", "unit": "lb"}},
		{"status": "won", "price": "-1.00", "called": "2026-09-01T04:59:59Z", "load": object{"value": "1.5", "unit": "kg"}, "customer": object{"record_uuid": y.customer}},
		{"price": "2.5", "called": "2026-09-01T05:00:00Z"},
	} {
		y.create(t, module, payload).OK(t)
	}

	return module
}

func (y yard) groups(t *testing.T, module, query string) moduletest.Response {
	t.Helper()

	return y.get(t, modulesPath+"/"+module+"/groups?"+query)
}

func TestGroups_CountAndSumRecordsExactly(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		company, err := y.Identity.Company(t.Context(), y.Owner.ID)
		require.NoError(t, err)
		company.TimeZone = "America/Chicago"
		_, err = y.Identity.UpdateCompany(t.Context(), company)
		require.NoError(t, err)
		module := y.deals(t)
		for query, want := range map[string]string{
			"group_by=status&sum=price,cost,units,boxes": `[
				{"keys": {"status": "new"}, "count": 2, "sums": {"price": "1999999999999999999.98", "cost": "-0.001", "units": "18446744073709551614", "boxes": "18446744073709551614"}},
				{"keys": {"status": "won"}, "count": 2, "sums": {"price": "-1.01", "cost": "-999999999999999999.999", "units": "-5", "boxes": "-7"}},
				{"keys": {"status": null}, "count": 1, "sums": {"price": "2.50", "cost": null, "units": null, "boxes": null}}]`,
			"group_by=price&filter[price][lt]=100":                    `[{"keys": {"price": "-1.00"}, "count": 1}, {"keys": {"price": "-0.01"}, "count": 1}, {"keys": {"price": "2.50"}, "count": 1}]`,
			"group_by=cost&filter[cost][null]=false":                  `[{"keys": {"cost": "-999999999999999999.999"}, "count": 1}, {"keys": {"cost": "-0.002"}, "count": 1}, {"keys": {"cost": "0.001"}, "count": 1}]`,
			"group_by=units&filter[boxes][lt]=0":                      `[{"keys": {"units": -5}, "count": 1}]`,
			"group_by=boxes&filter[units][gt]=0":                      `[{"keys": {"boxes": 9223372036854775807}, "count": 2}]`,
			"group_by=status&sum=load&filter[status]=won":             `[{"keys": {"status": "won"}, "count": 2, "sums": {"load": "908.68474"}}]`,
			"group_by=closed:week&filter[closed][null]=false":         `[{"keys": {"closed:week": "2026-08-31"}, "count": 2}, {"keys": {"closed:week": "2026-09-07"}, "count": 1}]`,
			"group_by=closed:month,status&filter[closed][null]=false": `[{"keys": {"closed:month": "2026-08-01", "status": "new"}, "count": 1}, {"keys": {"closed:month": "2026-09-01", "status": "new"}, "count": 1}, {"keys": {"closed:month": "2026-09-01", "status": "won"}, "count": 1}]`,
			"group_by=closed&filter[closed][gt]=2026-08-31":           `[{"keys": {"closed": "2026-09-06"}, "count": 1}, {"keys": {"closed": "2026-09-07"}, "count": 1}]`,
			"group_by=called:month&sum=price":                         `[{"keys": {"called:month": "2026-08-01"}, "count": 1, "sums": {"price": "-1.00"}}, {"keys": {"called:month": "2026-09-01"}, "count": 1, "sums": {"price": "2.50"}}, {"keys": {"called:month": null}, "count": 3, "sums": {"price": "1999999999999999999.97"}}]`,
			"group_by=hot":                                            `[{"keys": {"hot": false}, "count": 1}, {"keys": {"hot": true}, "count": 1}, {"keys": {"hot": null}, "count": 3}]`,
			"group_by=customer&filter[customer]=" + y.customer:        `[{"keys": {"customer": "` + y.customer + `"}, "count": 1}]`,
			"group_by=status&q=red&sum=units":                         `[{"keys": {"status": "new"}, "count": 1, "sums": {"units": "9223372036854775807"}}, {"keys": {"status": "won"}, "count": 1, "sums": {"units": "-5"}}]`,
			"group_by=created_by&filter[created_by]=" + y.customer:    `[]`,
		} {
			found := y.groups(t, module, query).OK(t)
			require.JSONEq(t, want, found.Get("data").Raw, query)
		}
		mine := y.groups(t, module, "group_by=created_by,created_at:year").OK(t)
		require.Equal(t, "5", mine.Get("data.0.count").String())
		require.JSONEq(t, `{"groups": 1, "total": 5}`, mine.Get("meta").Raw)

		view := y.post(t, modulesPath+"/"+module+"/views", object{
			"name": "Won", "filter": []object{{"field": "status", "op": "eq", "value": "won"}}, "sort": []object{{"field": "price"}}, "columns": []string{"price"},
		}).OK(t).Get("uuid").String()
		require.Equal(t, int64(2), y.groups(t, module, "group_by=status&view="+view).OK(t).Get("meta.total").Int())
	})
}

func TestGroups_AreOfTheModulesThatTheCallerReads(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.deals(t)
		other := y.NewCompany(t)
		y.Call(t, other.Token, http.MethodGet, modulesPath+"/"+module+"/groups?group_by=status", nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		require.Contains(t, string(y.groups(t, module, "group_by=story&sum=note").Body), `group_by does not know \"story\"; allowed are`)
		y.groups(t, module, "group_by=status&sort=price").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestGroups_OfALargeModuleGoByIndexes(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.deals(t)
		require.Equal(t, int64(5), y.groups(t, module, "group_by=status&sum=price&filter[price][gte]=-2").OK(t).Get("meta.total").Int())
		require.Equal(t, int64(2), y.groups(t, module, "group_by=boxes&q=red").OK(t).Get("meta.total").Int(), "few records have the word")
		refusal := y.groups(t, module, "group_by=boxes,created_by&sum=cost&filter[called][null]=false")
		refusal.Refused(t, http.StatusUnprocessableEntity, "custom_modules.field_not_indexed")
		require.Contains(t, refusal.Get("errors.group_by.0").String(), "Index it with indexed: true in PATCH")
		require.Contains(t, refusal.Get("errors.sum.0").String(), "No index supports this query on cost, and the module has more than 4 records.")
		require.Contains(t, refusal.Get("errors").Raw, "filter[called]")
	}, moduletest.Set("modules.custom_modules.max_scan=4"))
}

func TestLists_WarnBeforeTheyAreRefused(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.deals(t)
		list := recordsPath + "?module_uuid=" + module
		quiet := y.get(t, list+"&filter[cost][gt]=0").OK(t)
		require.False(t, quiet.Get("meta.warnings").Exists(), "5 of 7 records are too few to warn")
		y.create(t, module, object{"price": "1.00"}).OK(t)

		field := modulesPath + "/" + module + "/fields/"
		for path, meta := range map[string]string{
			list + "&filter[cost][gt]=0&filter[price][gt]=0&sort=-created_at":                   "meta.warnings",
			modulesPath + "/" + module + "/groups?filter[cost][gt]=0&group_by=status&sum=boxes": "meta.warnings",
		} {
			warnings := y.get(t, path).OK(t).Get(meta).Array()
			require.Len(t, warnings, 2, path)
			require.Equal(t, "filter[cost]", warnings[0].Get("path").String())
			require.Equal(t, "cost", warnings[0].Get("field").String())
			require.Contains(t, warnings[0].Get("message").String(), "No index supports this query on cost. The module has more than 5 records; beyond 7, this is refused. "+
				"Index it with indexed: true in PATCH "+field)
		}
		require.False(t, y.get(t, list+"&filter[price][gt]=0&sort=price").OK(t).Get("meta.warnings").Exists(), "an index serves it")

		views := modulesPath + "/" + module + "/views"
		body := object{"name": "Dear", "shared": true, "filter": []object{{"field": "price", "op": "gt", "value": "0"}, {"field": "cost", "op": "gt", "value": "0"}}}
		view := y.post(t, views, body).OK(t)
		require.Equal(t, `["filter.1"]`, view.Get("warnings.#.path").Raw)
		for _, read := range []string{y.get(t, views+"/"+view.Get("uuid").String()).OK(t).Get("warnings").Raw, y.get(t, views).OK(t).Get("data.0.warnings").Raw} {
			require.JSONEq(t, view.Get("warnings").Raw, read)
		}
		for range 2 {
			y.create(t, module, object{"price": "1.00"}).OK(t)
		}
		y.get(t, list+"&view="+view.Get("uuid").String()).Refused(t, http.StatusUnprocessableEntity, "custom_modules.field_not_indexed")
		require.Contains(t, y.get(t, views).OK(t).Get("data.0.warnings.0.message").String(), "The module has more than 7 records, so this is refused. Index it with")
	}, moduletest.Set("modules.custom_modules.max_scan=7"))
}

func TestGroups_AreAllOrNone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Many", object{"key": "n", "type": "integer"})
		for from := 0; from < 1001; from += 500 {
			var items []object
			for n := from; n < min(from+500, 1001); n++ {
				items = append(items, object{"do": "create", "payload": object{"n": n}})
			}
			y.bulk(t, module, true, items...).OK(t)
		}
		y.groups(t, module, "group_by=n").Refused(t, http.StatusUnprocessableEntity, "list.too_many_groups")
		found := y.groups(t, module, "group_by=n&"+url.QueryEscape("filter[n][lt]")+"="+strconv.Itoa(1000)).OK(t)
		require.Equal(t, int64(1000), found.Get("meta.groups").Int())
		require.True(t, strings.HasSuffix(found.Get("data.#.keys.n").Raw, ",998,999]"))
	})
}
