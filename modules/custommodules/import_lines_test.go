package custommodules_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// lines uploads a file of JSON Lines as the owner.
func (y yard) lines(t *testing.T, module, file string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+module+"/imports", file, "Content-Type", "application/x-ndjson")
}

func TestImportLines_ComeBackAsTheSameRecordsWhateverTheirFields(t *testing.T) {
	t.Parallel()
	eachYardWithFiles(t, func(t *testing.T, y yard, photo string) {
		t.Helper()
		every := custommodules.EveryType{Customers: y.customers, Customer: y.customer, File: photo}
		every.User = y.send(t, y.customers, "name\nx\n").OK(t).Get("created_by").String()
		module := y.post(t, modulesPath, object{"name": "Everything", "fields": every.Fields()}).OK(t).Get("uuid").String()
		const records = 40
		for seed := range records {
			y.create(t, module, every.Payload(seed)).OK(t)
		}
		export := func(module string) string {
			return string(y.get(t, modulesPath+"/"+module+"/export?format=jsonl").OK(t).Body)
		}
		file := export(module)
		same := y.do(t, y.lines(t, module, file).OK(t).Get("uuid").String(), "start")
		require.Equalf(t, []int64{0, 0, records, 0}, counts(same, "progress"), "%s", y.get(t, importsPath+"/"+same.Get("uuid").String()+"/errors").Body)
		require.Equal(t, file, export(module), "no version was made")

		var others strings.Builder
		for line := range strings.Lines(file) {
			others.WriteString(strings.Replace(line, gjson.Get(line, "uuid").String(), uuid.NewString(), 1))
		}
		copied := y.post(t, modulesPath+"/"+module+"/duplicate", object{"name": "Copy"}).OK(t).Get("uuid").String()
		made := y.do(t, y.lines(t, copied, others.String()).OK(t).Get("uuid").String(), "start")
		require.Equalf(t, []int64{records, 0, 0, 0}, counts(made, "progress"), "%s", y.get(t, importsPath+"/"+made.Get("uuid").String()+"/errors").Body)
		_, want := payloads(t, y.get(t, modulesPath+"/"+module+"/export?format=jsonl&sort=uuid").OK(t), every.Computed())
		_, got := payloads(t, y.get(t, modulesPath+"/"+copied+"/export?format=jsonl&sort=created_at").OK(t), every.Computed())
		require.ElementsMatch(t, want, got)
	})
}

func TestImportLines_AreMappedTriedRunAndReportedAsTablesAre(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		// Values alone or in a payload; keys come as they like.
		file := `{"code":"A-1","price":"12.50"}` + "\n\n" + `{"payload":{"Lot code":7,"code":"A-2"},"note":"x"}` + "\r\n" +
			`{"notes":"=1+1","code":"A-3"}` + "\n" + `{"price":1.5,"code":"A-4"}` + "\n" + `{"code":"A-1","price":"1.00"}`
		sent := y.lines(t, lots, file).OK(t)
		id := sent.Get("uuid").String()
		require.Equal(t, "jsonl", sent.Get("format").String())
		require.Equal(t, `["code","price","Lot code","note","notes"]`, sent.Get("columns.#.name").Raw)
		require.Equal(t, `["code","price",null,null,"notes"]`, sent.Get("columns.#.field").Raw)
		require.Equal(t, `{"cell":"\"12.50\"","value":"12.50"}`, sent.Get("columns.1.samples.0").Raw)

		tried := y.do(t, id, "dry_run")
		require.Equal(t, []int64{3, 0, 0, 2}, counts(tried, "dry_run"))
		ran := y.do(t, id, "start")
		require.Equal(t, []int64{3, 0, 0, 2}, counts(ran, "progress"))
		report := y.get(t, importsPath+"/"+id+"/errors").OK(t)
		require.Equal(t, "application/x-ndjson", report.Header.Get("Content-Type"))
		lines := strings.Split(strings.TrimSpace(string(report.Body)), "\n")
		require.Len(t, lines, 2)
		require.Equal(t, `{"import_row":4,"import_line":5,"import_problem":"line 5, price: 1.5 must be a decimal number in a string, such as \"12500.00\".","payload":{"code":"A-4","price":1.5}}`, lines[0])
		require.Equal(t, `{"import_row":5,"import_line":6,"import_problem":"line 6, code: \"A-1\" has already been taken.","payload":{"code":"A-1","price":"1.00"}}`, lines[1])

		// Mended, the report is a file itself. What a line leaves out is no value, unless it is to stay.
		mended := y.lines(t, lots, strings.Replace(lines[0], "1.5}", `"1.50"}`, 1)).OK(t).Get("uuid").String()
		require.Equal(t, []int64{1, 0, 0, 0}, counts(y.do(t, mended, "start"), "progress"))
		patch := `{"code":"A-1","notes":"kept price"}` + "\n" + `{"code":"A-4","price":null}`
		for _, empty := range []string{"keep", "clear"} {
			id := y.lines(t, lots, patch).OK(t).Get("uuid").String()
			y.configure(t, id, object{"mode": "upsert", "by": "code", "empty_cells": empty}).OK(t)
			require.Zero(t, y.do(t, id, "start").Get("progress.failed").Int())
			prices := y.get(t, recordsPath+"?module_uuid="+lots+"&filter[code][in]=A-1,A-4&sort=code").OK(t).Get("data.#.payload.price").Raw
			require.Equal(t, map[string]string{"keep": `["12.50",null]`, "clear": `[null,null]`}[empty], prices)
			require.Equal(t, "undone", y.do(t, id, "undo").Get("state").String())
		}
	})
}

func TestImportLines_RefuseAFileThatTheyCannotRead(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		var wide strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&wide, `{"k%d":1}`+"\n", i)
		}
		for _, tc := range []struct{ name, file, code, message string }{
			{"nothing", "", "custom_modules.import_encoding", "The file is empty."},
			{"no record", "\n \n", "custom_modules.import_file", "The file has no line with a record."},
			{"a table", "code,price\n", "custom_modules.import_file", "Line 1 is no JSON object."},
			{"a list", `{"code":"A"}` + "\n[]", "custom_modules.import_file", "Line 2 is no JSON object."},
			{"two on a line", `{"code":"A"}{"code":"B"}`, "custom_modules.import_file", "Line 1 is no JSON object."},
			{"a broken one", `{"code":"A"`, "custom_modules.import_file", "Line 1 is no JSON object."},
			{"a key twice", `{"code":"A","code":"B"}`, "custom_modules.import_file", "has the key"},
			{"a key in and out of the payload", `{"code":"A","payload":{"code":"B"}}`, "custom_modules.import_file", "has the key"},
			{"no key", `{"":1}`, "custom_modules.import_file", "Line 1 has a key of 0 bytes; 1 to 500 are allowed."},
			{"10,000 keys", wide.String(), "custom_modules.import_file", "Up to line 501, the file has more than 500 different keys."},
			{"a long line", `{"code":"` + strings.Repeat("x", 70_000) + `"}`, "custom_modules.import_file", "Line 1 has more than 65536 bytes."},
			{"another encoding", "{\"code\":\"Sch\xf6n\"}", "custom_modules.import_encoding", "Line 1 has bytes that are not UTF-8."},
			{"deep", strings.Repeat(`{"a":`, 12_000), "custom_modules.import_file", "Line 1 is"},
		} {
			r := y.lines(t, lots, tc.file)
			r.Refused(t, http.StatusUnprocessableEntity, tc.code)
			require.Contains(t, r.Get("errors.file.0").String(), tc.message, tc.name)
		}
		named := y.send(t, lots, `{"code":"A"}`, "file_name=lots.jsonl").OK(t)
		require.Equal(t, "jsonl", named.Get("format").String())
		require.Equal(t, "csv", y.send(t, lots, "code\nA\n", "file_name=lots.jsonl", "format=csv").OK(t).Get("format").String())
	}, moduletest.Set("imports.max_row_size=64KiB"))
}
