package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// linked returns who points at a record, as "title field", page by page.
func (y yard) linked(t *testing.T, record, query string) string {
	t.Helper()
	var all []string
	path := recordsPath + "/" + record + "/links?per_page=2" + query
	cursor := ""
	for range 10 {
		page := y.get(t, path+cursor).OK(t)
		for _, row := range page.Get("data").Array() {
			all = append(all, row.Get("title").String()+" "+row.Get("field").String())
		}
		next := page.Get("meta.next_cursor").String()
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}

	return strings.Join(all, ", ")
}

func TestLinks_AreWhoRefersToARecord(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		loads := y.module(t, "Loads", object{"key": "name", "type": "text"}, reference("from", y.customers), reference("payer", y.customers))
		bills := y.module(t, "Bills", object{"key": "name", "type": "text"}, reference("customer", y.customers))
		path := recordsPath + "/" + y.customer + "/links"
		require.JSONEq(t, `[]`, y.get(t, path).OK(t).Get("data").Raw)
		require.JSONEq(t, `[]`, y.get(t, path+"/counts").OK(t).Get("data").Raw)

		first := y.made(t, loads, object{"name": "1", "from": to(y.customer), "payer": to(y.customer)})
		for _, name := range []string{"2", "3", "4"} {
			y.made(t, loads, object{"name": name, "from": to(y.customer)})
		}
		gone := y.made(t, loads, object{"name": "5", "from": to(y.customer)})
		y.made(t, bills, object{"name": "b", "customer": to(y.customer)})
		y.made(t, bills, object{"name": "c"})
		y.Call(t, y.Owner.Token, http.MethodDelete, recordsPath+"/"+gone, nil).OK(t)

		require.Equal(t, "1 from, 2 from, 3 from, 4 from, 1 payer, b customer", y.linked(t, y.customer, ""))
		require.Equal(t, "1 from, 2 from, 3 from, 4 from, 1 payer", y.linked(t, y.customer, "&module_uuid="+loads))
		require.Equal(t, "1 payer", y.linked(t, y.customer, "&field=payer&module_uuid="+loads))
		require.Equal(t, "1 from, 2 from, 3 from, 4 from", y.linked(t, y.customer, "&field=from&module_uuid="+loads))
		require.Empty(t, y.linked(t, first, ""))
		require.Equal(t, int64(6), y.get(t, path+"?count=exact").OK(t).Get("meta.total").Int())

		row := y.get(t, path+"?field=payer&module_uuid="+loads).OK(t).Get("data.0")
		require.Equal(t, first, row.Get("uuid").String())
		require.Equal(t, loads, row.Get("module_uuid").String())
		require.Equal(t, "Loads", row.Get("module").String())

		counts := y.get(t, path+"/counts").OK(t)
		require.Equal(t, []string{"Bills", "Loads", "Loads"}, texts(counts, "data.#.module"))
		require.Equal(t, []string{"customer", "from", "payer"}, texts(counts, "data.#.field"))
		require.Equal(t, []string{"1", "4", "1"}, texts(counts, "data.#.count"))

		y.Call(t, y.Owner.Token, http.MethodPost, recordsPath+"/"+gone+"/restore", nil).OK(t)
		require.Equal(t, "b customer", y.linked(t, y.customer, "&module_uuid="+bills))
		require.Equal(t, "5", y.get(t, path+"/counts").OK(t).Get("data.1.count").String(), "restored")
	})
}

func TestLinks_RefuseWhatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := recordsPath + "/" + y.customer + "/links"
		for query, code := range map[string]string{
			"?sort=uuid": "list.invalid_query", "?filter[uuid]=" + y.customer: "list.invalid_query", "?q=x": "list.invalid_query",
			"?field=customer": "custom_modules.invalid_record", "?field=vin&module_uuid=" + y.vehicles: "custom_modules.invalid_record",
		} {
			y.get(t, path+query).Refused(t, http.StatusUnprocessableEntity, code)
		}
		y.get(t, path+"?module_uuid="+y.customer).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		other := y.NewCompany(t).Token
		y.Call(t, other, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.Call(t, other, http.MethodGet, path+"/counts", nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}
