package custommodules_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// payloads reads the lines of an export: the payloads by uuid, without some keys, numbers as they are.
func payloads(t *testing.T, lines moduletest.Response, without []string) (ids []string, all []object) {
	t.Helper()
	for line := range strings.Lines(string(lines.Body)) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var record struct {
			UUID    string
			Payload object
		}
		require.NoError(t, decoder.Decode(&record))
		for _, key := range without {
			delete(record.Payload, key)
		}
		for key, value := range record.Payload {
			if value == nil {
				delete(record.Payload, key) // no value and null are the same
			}
		}
		ids, all = append(ids, record.UUID), append(all, record.Payload)
	}

	return ids, all
}

func TestExport_ComesBackAsTheSameRecordsWhateverTheirFields(t *testing.T) {
	t.Parallel()
	eachYardWithFiles(t, func(t *testing.T, y yard, photo string) {
		t.Helper()
		every := custommodules.EveryType{Customers: y.customers, Customer: y.customer, File: photo}
		probe := y.send(t, y.customers, "name\nx\n").OK(t)
		every.User = probe.Get("created_by").String()
		module := y.post(t, modulesPath, object{"name": "Everything", "fields": every.Fields()}).OK(t).Get("uuid").String()
		const records = 60
		for seed := range records {
			y.create(t, module, every.Payload(seed)).OK(t)
		}
		export := func(module, format string) moduletest.Response {
			return y.get(t, modulesPath+"/"+module+"/export?format="+format).OK(t)
		}
		file, lines := export(module, "csv"), export(module, "jsonl")
		ids, want := payloads(t, lines, nil)
		require.Len(t, want, records)

		same := y.do(t, y.upload(t, module, string(file.Body)), "start")
		for _, id := range ids {
			versions := y.get(t, recordsPath+"/"+id+"/history").OK(t)
			require.JSONEq(t, `["created"]`, versions.Get("data.#.verb").Raw, versions.Get("data.0.changes").Raw)
		}
		require.Equalf(t, []int64{0, 0, records, 0}, counts(same, "progress"), "%s", y.get(t, importsPath+"/"+same.Get("uuid").String()+"/errors").Body)
		require.Equal(t, string(lines.Body), string(export(module, "jsonl").Body), "no version was made")

		// Another module of the same fields gets the same records, under the ids that the file says.
		rows, err := csv.NewReader(bytes.NewReader(file.Body)).ReadAll()
		require.NoError(t, err)
		for i := range rows[1:] {
			rows[i+1][0] = uuid.NewString()
		}
		copied := y.post(t, modulesPath+"/"+module+"/duplicate", object{"name": "Copy"}).OK(t).Get("uuid").String()
		y.elsewhere(t, copied, string(file.Body), records)
		made := y.do(t, y.upload(t, copied, written(t, rows)), "start")
		require.Equal(t, []int64{records, 0, 0, 0}, counts(made, "progress"))
		gotIDs, got := payloads(t, y.get(t, modulesPath+"/"+copied+"/export?format=jsonl&sort=created_at").OK(t), every.Computed())
		byID := map[string]object{}
		for i, id := range gotIDs {
			byID[id] = got[i]
		}
		_, want = payloads(t, lines, every.Computed())
		for i := range ids {
			require.Equal(t, want[i], byID[rows[i+1][0]])
		}
		require.Equal(t, "undone", y.do(t, made.Get("uuid").String(), "undo").Get("state").String())
		require.Zero(t, y.records(t, copied))
		y.Call(t, y.Owner.Token, http.MethodGet, recordsPath+"/"+gotIDs[0], nil).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}

// elsewhere requires that the records of another module are left alone.
func (y yard) elsewhere(t *testing.T, module, file string, records int) {
	t.Helper()
	ran := y.do(t, y.upload(t, module, file), "start")
	require.EqualValues(t, records, ran.Get("progress.failed").Int())
	require.Equal(t, "row 2: The record of this uuid is one of another module.", y.failures(t, ran.Get("uuid").String(), "run")[1][2])
}

func written(t *testing.T, rows [][]string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, csv.NewWriter(&out).WriteAll(rows))

	return out.String()
}
