package custommodules_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// rows are records with every kind of value, in the order in which they are created. The module has
// each field twice, indexed and not: a list must answer the same by either.
func rows() []object {
	return []object{
		{"name": "b", "count": 10, "amount": "10.00", "on": true, "day": "2026-01-02", "at": "2026-01-02 10:00:00"},
		{"name": "a", "count": -9, "amount": "-9.50", "on": false, "day": "2025-12-31", "at": "2025-12-31 23:59:59"},
		{"name": "B", "count": 2, "amount": "2.05", "on": true, "day": "2026-01-10", "at": "2026-01-02 09:00:00"},
		{},
		{"name": "ä", "count": -10, "amount": "-9.49", "on": false, "day": "2026-01-02", "at": "2026-01-02 10:00:01"},
		{"name": "", "count": 0, "amount": "0.00"},
		{"name": "a", "count": 9223372036854775807, "amount": "999999999999999999.99", "on": nil, "day": "0001-01-01"},
		{"name": "日", "count": -9223372036854775808, "amount": "-999999999999999999.99", "at": "9999-12-31 00:00:00"},
	}
}

// newTwins makes a module in which each value is held by an indexed field and by one that is not,
// and fills it with rows. It returns its id.
func newTwins(t *testing.T, y yard) string {
	t.Helper()
	types := map[string]string{
		"name": "text", "count": "integer", "amount": "decimal", "on": "boolean", "day": "date", "at": "local_datetime",
	}
	fields := []object{{"key": "number", "type": "integer"}}
	for key, typ := range types {
		fields = append(fields,
			object{"key": key, "type": typ, "indexed": true}, object{"key": "plain_" + key, "type": typ})
	}
	module := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Twins", "fields": fields}).OK(t)
	id := module.Get("uuid").String()
	for i, row := range rows() {
		payload := object{"number": i}
		for key, value := range row {
			payload[key], payload["plain_"+key] = value, value
		}
		y.create(t, id, payload).OK(t)
	}

	return id
}

// numbers lists a module page by page and returns which rows came, in their order.
func (y yard) numbers(t *testing.T, module, query string) string {
	t.Helper()
	var seen []string
	path := recordsPath + "?module_uuid=" + module + "&per_page=3&" + query
	for range 10 {
		page := y.get(t, path).OK(t)
		for _, row := range page.Get("data").Array() {
			seen = append(seen, row.Get("payload.number").String())
		}
		cursor := page.Get("meta.next_cursor").String()
		if cursor == "" {
			break
		}
		path = recordsPath + "?module_uuid=" + module + "&per_page=3&" + query + "&cursor=" + cursor
	}

	return strings.Join(seen, " ")
}

func TestListRecords_FiltersAndSortsTheSameWithAndWithoutAnIndex(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := newTwins(t, y)
		for _, tc := range []struct{ query, want string }{
			{"", "0 1 2 3 4 5 6 7"},
			{"sort=-uuid", "7 6 5 4 3 2 1 0"},
			{"sort=§name", "5 2 1 6 0 4 7 3"},
			{"sort=-§name", "7 4 0 6 1 2 5 3"},
			{"sort=§count", "7 4 1 5 2 0 6 3"},
			{"sort=-§count", "6 0 2 5 1 4 7 3"},
			{"sort=§amount", "7 1 4 5 2 0 6 3"},
			{"sort=-§amount", "6 0 2 5 4 1 7 3"},
			{"sort=§on", "1 4 0 2 3 5 6 7"},
			{"sort=§day", "6 1 0 4 2 3 5 7"},
			{"sort=-§at", "7 4 0 2 1 6 5 3"},
			{"sort=§day,-§amount", "6 1 0 4 2 5 7 3"},
			{"filter[§name]=a", "1 6"},
			{"filter[§name][ne]=a", "0 2 3 4 5 7"},
			{"filter[§name][in]=a,b", "0 1 6"},
			{"filter[§name][starts]=ä", "4"},
			{"filter[§name][like]=b", "0 2"},
			{"filter[§name]=", "5"},
			{"filter[§count][gte]=2", "0 2 6"},
			{"filter[§count]=9223372036854775807", "6"},
			{"filter[§count][lt]=-9", "4 7"},
			{"filter[§amount]=2.05", "2"},
			{"filter[§amount]=2.050", "2"},
			{"filter[§amount][gt]=-9.495", "0 2 4 5 6"},
			{"filter[§amount][lt]=0", "1 4 7"},
			{"filter[§on]=true", "0 2"},
			{"filter[§on]=false", "1 4"},
			{"filter[§on][null]=true", "3 5 6 7"},
			{"filter[§day]=2026-01-02", "0 4"},
			{"filter[§day][lt]=2026-01-01", "1 6"},
			{"filter[§at][gt]=2026-01-02 10:00:00", "4 7"},
			{"filter[§at][null]=false&sort=-§at", "7 4 0 2 1"},
			{"filter[§name]=a&filter[§count][gt]=0", "6"},
			{"filter[or][0][§name]=b&filter[or][1][§count][lt]=-9", "0 4 7"},
		} {
			for _, prefix := range []string{"", "plain_"} {
				query := strings.NewReplacer("§", prefix, " ", "%20").Replace(tc.query)
				require.Equalf(t, tc.want, y.numbers(t, module, query), "query %s", query)
			}
		}
	})
}

func TestListRecords_FiltersByReference(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		mine := y.create(t, y.vehicles, y.documented()).OK(t).Get("uuid").String()
		y.create(t, y.vehicles, object{"vin": "1M8GDM9AXKP042788"}).OK(t)
		list := y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&filter[customer]="+strings.ToUpper(y.customer)).OK(t)
		require.Equal(t, []string{mine}, texts(list, "data.#.uuid"))
	})
}

func TestListRecords_FindsAVINInEitherCase(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.create(t, y.vehicles, y.documented()).OK(t)
		list := y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&filter[vin]=1hgcm82633a004352").OK(t)
		require.Equal(t, int64(1), list.Get("data.#").Int())
	})
}

func TestListRecords_CutsToFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.create(t, y.vehicles, y.documented()).OK(t)
		list := y.get(t, recordsPath+"?module_uuid="+y.vehicles+"&fields=version,payload.vin,payload.year").OK(t)
		require.JSONEq(t, fmt.Sprintf(`{"uuid":%q,"version":1,"payload":{"vin":"1HGCM82633A004352","year":2019}}`,
			made.Get("uuid").String()), list.Get("data.0").Raw)
	})
}

func TestListRecords_CountsWhenAskedTo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := newTwins(t, y)
		path := recordsPath + "?per_page=2&module_uuid=" + module
		require.False(t, y.get(t, path).OK(t).Get("meta.total").Exists())
		require.Equal(t, int64(8), y.get(t, path+"&count=exact").OK(t).Get("meta.total").Int())
		require.Equal(t, int64(2), y.get(t, path+"&count=exact&filter[name]=a").OK(t).Get("meta.total").Int())
	})
}

func TestListRecords_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := recordsPath + "?module_uuid=" + y.vehicles
		for _, query := range []string{"filter[colour]=red", "filter[vin][near]=1", "sort=colour", "sort=notes", "filter[year]=old"} {
			y.get(t, path+"&"+query).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		}
		require.Equal(t, http.StatusUnprocessableEntity, y.get(t, path+"&page=2").Status)
		require.Equal(t, http.StatusUnprocessableEntity, y.get(t, recordsPath).Status)
		require.Equal(t, http.StatusUnprocessableEntity, y.get(t, recordsPath+"?module_uuid=x").Status)
	})
}

func TestListRecords_IsOfOneCompany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.create(t, y.vehicles, y.documented()).OK(t)
		y.get(t, recordsPath+"?module_uuid="+y.vehicles).OK(t)
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, recordsPath+"?module_uuid="+y.vehicles, nil).
			Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestListRecords_WantsAnIndexInALargeModule(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := recordsPath + "?module_uuid=" + newTwins(t, y) + "&"
		for _, query := range []string{
			"", "sort=-uuid", "filter[name]=a", "sort=-count", "filter[day][gte]=2026-01-01&sort=amount", "filter[on][null]=false",
		} {
			y.get(t, path+query).OK(t)
		}
		for query, says := range map[string][2]string{
			"filter[plain_name]=a":  {"filter[plain_name]", "No index supports this query on plain_name, and the module has more than 7 records. Index it with indexed: true in PATCH "},
			"sort=plain_count":      {"sort", "indexed: true in PATCH "},
			"sort=created_at":       {"sort", "sort=uuid"},
			"filter[name][like]=a":  {"filter[name]", "No index supports like by name, and the module has more than 7 records. Use q="},
			"filter[name][ne]=a":    {"filter[name]", "No index serves ne by name, and the module has more than 7 records. Add a filter"},
			"filter[on][null]=true": {"filter[on]", "No index covers the records that have no on"},
			"sort=day,name":         {"sort", "Sort by one key."},
		} {
			answer := y.get(t, path+query).Refused(t, http.StatusUnprocessableEntity, "custom_modules.field_not_indexed")
			problem := answer.Get("errors").Map()[says[0]].Array()[0].String()
			require.Containsf(t, problem, says[1], "query %s", query)
		}
		module := strings.TrimSuffix(strings.TrimPrefix(path, recordsPath+"?module_uuid="), "&")
		field := y.field(t, module, "plain_name")
		require.Contains(t, string(y.get(t, path+"filter[plain_name]=a").Body), "PATCH "+field+".", "the operation that there is")
		views := modulesPath + "/" + module + "/views"
		refused(t, y.post(t, views, object{"name": "Slow", "shared": true, "filter": []object{
			{"field": "count", "op": "gte", "value": "1"}, {"field": "name", "op": "like", "value": "a"},
		}}), "custom_modules.invalid_view", map[string]string{
			"filter.1": "No index supports like by name, and the module has more than 7 records. Use q=, which finds the words of fields with " +
				"searchable: true (PATCH " + modulesPath + "/" + module + "/fields/{field_uuid}), or starts. Indexed are " +
				strings.Join(y.indexedOf(t, module), ", ") + ", uuid.",
		})
	}, moduletest.Set("modules.custom_modules.max_scan=7"))
}

// indexedOf are the keys of the indexed fields of a module.
func (y yard) indexedOf(t *testing.T, module string) (keys []string) {
	t.Helper()
	for _, field := range y.get(t, modulesPath+"/"+module+"/fields").Get("data").Array() {
		if field.Get("indexed").Bool() {
			keys = append(keys, field.Get("key").String())
		}
	}

	return keys
}

func TestListRecords_SeesAFieldThatCameAMomentAgo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.create(t, y.vehicles, y.documented()).OK(t)
		path := recordsPath + "?module_uuid=" + y.vehicles
		y.get(t, path).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.vehicles+"/fields",
			object{"key": "colour", "type": "text", "indexed": true}).OK(t)
		require.Zero(t, y.get(t, path+"&filter[colour]=red").OK(t).Get("data.#").Int())

		payload := y.documented()
		payload["colour"] = "red"
		made := y.create(t, y.vehicles, payload).OK(t).Get("uuid").String()
		require.Equal(t, []string{made}, texts(y.get(t, path+"&filter[colour]=red").OK(t), "data.#.uuid"))
	})
}

func TestListRecords_PagesBackAndForth(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := newTwins(t, y)
		path := recordsPath + "?per_page=3&sort=amount&module_uuid=" + module
		var pages [][]string
		at := path
		for {
			page := y.get(t, at).OK(t)
			pages = append(pages, texts(page, "data.#.payload.number"))
			if page.Get("meta.next_cursor").String() == "" {
				at = path + "&cursor=" + page.Get("meta.prev_cursor").String()

				break
			}
			at = path + "&cursor=" + page.Get("meta.next_cursor").String()
		}
		require.Equal(t, [][]string{{"7", "1", "4"}, {"5", "2", "0"}, {"6", "3"}}, pages)
		for _, want := range slices.Backward(pages[:2]) {
			page := y.get(t, at).OK(t)
			require.Equal(t, want, texts(page, "data.#.payload.number"))
			at = path + "&cursor=" + page.Get("meta.prev_cursor").String()
		}
		y.get(t, path+"&filter[name]=a&cursor="+url.QueryEscape(strconv.Itoa(1))).
			Refused(t, http.StatusUnprocessableEntity, "list.cursor_invalid")
	})
}

func TestListRecords_RefusesAForgedCursor(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		for _, vin := range []string{"1HGCM82633A004352", "1M8GDM9AXKP042788"} {
			y.create(t, y.vehicles, object{"vin": vin}).OK(t)
		}
		path := recordsPath + "?per_page=1&sort=vin&module_uuid=" + y.vehicles
		cursor, err := base64.RawURLEncoding.DecodeString(y.get(t, path).OK(t).Get("meta.next_cursor").String())
		require.NoError(t, err)
		for _, forged := range []string{"\x00", "\xff"} {
			changed := bytes.Replace(cursor, []byte("1HG"), []byte(forged+"HG"), 1)
			require.NotEqual(t, cursor, changed)
			y.get(t, path+"&cursor="+base64.RawURLEncoding.EncodeToString(changed)).
				Refused(t, http.StatusUnprocessableEntity, "list.cursor_invalid")
		}
	})
}

func texts(r moduletest.Response, path string) []string {
	var all []string
	for _, value := range r.Get(path).Array() {
		all = append(all, value.String())
	}

	return all
}
