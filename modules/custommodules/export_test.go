package custommodules_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// table reads an export as CSV.
func table(t *testing.T, r moduletest.Response) [][]string {
	t.Helper()
	require.Equalf(t, http.StatusOK, r.Status, "%s", r.Body)
	from := csv.NewReader(strings.NewReader(string(r.Body)))
	from.FieldsPerRecord = -1 // reports have rows as they were
	rows, err := from.ReadAll()
	require.NoError(t, err)

	return rows
}

func (y yard) export(t *testing.T, query string) moduletest.Response {
	t.Helper()

	return y.get(t, modulesPath+"/"+y.vehicles+"/export?"+query)
}

func TestExport_WritesEveryRecordOnceWithTheColumnsAskedFor(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		for i := range 403 { // three pages
			y.create(t, y.vehicles, object{"vin": fmt.Sprintf("1HGCM82633A%06d", i), "year": 2000 + i%7, "price": "12345678901234567.50"}).OK(t)
		}
		y.create(t, y.vehicles, y.documented()).OK(t)

		all := y.export(t, "")
		require.Equal(t, "text/csv; charset=utf-8", all.Header.Get("Content-Type"))
		require.Contains(t, all.Header.Get("Content-Disposition"), "filename=Vehicles.csv")
		rows := table(t, all)
		require.Len(t, rows, 405)
		require.Equal(t, "uuid,vin,year,price,operable,pickup_date,pickup_time,notes,customer,version,created_at,updated_at", strings.Join(rows[0], ","))
		require.Equal(t, []string{"1HGCM82633A004352", "2019", "12500.00", "true", "2026-12-01", "2026-12-01 09:30:00", "Keys at the desk", y.customer, "1"}, rows[404][1:10])
		require.Equal(t, "12345678901234567.50", rows[1][3])
		seen := map[string]bool{}
		for _, row := range rows[1:] {
			require.False(t, seen[row[0]])
			seen[row[0]] = true
		}

		few := table(t, y.export(t, "filter[year]=2003&sort=-vin&fields=payload.price,payload.vin"))
		require.Equal(t, []string{"uuid", "price", "vin"}, few[0])
		require.Len(t, few, 1+58)
		require.Greater(t, few[1][2], few[2][2])

		lines := strings.Split(strings.TrimSpace(string(y.export(t, "format=jsonl&sort=-uuid").Body)), "\n")
		require.Len(t, lines, 404)
		record := y.get(t, recordsPath+"/"+gjson.Get(lines[0], "uuid").String())
		for _, key := range []string{"uuid", "payload.price", "payload.customer.record_uuid", "version", "created_at", "updated_at"} {
			require.Equal(t, record.Get(key).Raw, gjson.Get(lines[0], key).Raw, key)
		}
		require.Equal(t, `{"uuid":"`+gjson.Get(lines[0], "uuid").String()+`","payload":{"year":2019}}`,
			strings.SplitN(string(y.export(t, "format=jsonl&sort=-uuid&fields=payload.year").Body), "\n", 2)[0])
	})
}

func TestExport_RunsNothingInASpreadsheet(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		y.change(t, y.field(t, y.vehicles, "notes"), object{"options": object{"trim": false}}).OK(t)
		for _, notes := range []string{"=1+1", "+1", "@SUM(A1)", "\tx", "\r=1", "'=1", "'", "", "-2 units", "-5.50", "plain", "＝1"} {
			y.create(t, y.vehicles, object{"vin": "1HGCM82633A004352", "notes": notes, "price": "-7.00"}).OK(t)
		}
		var got []string
		for _, row := range table(t, y.export(t, "fields=payload.notes,payload.price,payload.year"))[1:] {
			require.Equal(t, "-7.00", row[2], "a number does no harm")
			require.Empty(t, row[3], "no value")
			got = append(got, row[1])
		}
		require.Equal(t, []string{"'=1+1", "'+1", "'@SUM(A1)", "'\tx", "'\r=1", "''=1", "''", "'", "'-2 units", "-5.50", "plain", "'＝1"}, got)
	})
}

func TestExport_IsForThoseWhoMayReadAndLeavesOutWhatTheyDoNotSee(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.customers+"/fields",
			object{"key": "ssn", "type": "text", "sensitive": true}).OK(t)
		y.create(t, y.customers, object{"name": "Ann", "ssn": "123"}).OK(t)
		path := modulesPath + "/" + y.customers + "/export"
		reader := y.Token(t, y.Owner, "custom_modules:read")
		require.Equal(t, []string{"uuid", "name", "version", "created_at", "updated_at"}, table(t, y.Call(t, reader, http.MethodGet, path, nil))[0])
		lines := y.Call(t, reader, http.MethodGet, path+"?format=jsonl", nil)
		require.NotContains(t, string(lines.Body), `"123"`)
		require.Contains(t, string(y.get(t, path).Body), "123")
		y.Call(t, reader, http.MethodGet, path+"?filter[ssn]=123", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		y.get(t, path+"?format=xml").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		y.get(t, path+"?filter[nme]=x").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.get(t, path+"?cursor=x").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}
