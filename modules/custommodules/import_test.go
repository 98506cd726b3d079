package custommodules_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const importsPath = "/custom_modules/api/v1/imports"

// send uploads a file as the owner.
func (y yard) send(t *testing.T, module, file string, query ...string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+module+"/imports?"+strings.Join(query, "&"), file, "Content-Type", "text/csv")
}

// upload is send of a file that is taken, and returns the id of the import.
func (y yard) upload(t *testing.T, module, file string) string {
	t.Helper()

	return y.send(t, module, file).OK(t).Get("uuid").String()
}

// configure changes an import.
func (y yard) configure(t *testing.T, id string, body object) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, body)
}

// do takes a step, and waits until nobody works on the import any more.
func (y yard) do(t *testing.T, id, verb string) moduletest.Response {
	t.Helper()
	y.verb(t, id, verb).OK(t)

	return y.settled(t, id)
}

func (y yard) verb(t *testing.T, id, verb string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, importsPath+"/"+id+"/"+verb, nil)
}

func (y yard) settled(t *testing.T, id string) moduletest.Response {
	t.Helper()
	var r moduletest.Response
	y.Eventually(t, func() bool {
		r = y.get(t, importsPath+"/"+id).OK(t)
		state := r.Get("state").String()

		return state != "checking" && state != "running" && state != "undoing"
	}, "the import settles")

	return r
}

// failures is the file of errors of an import.
func (y yard) failures(t *testing.T, id, of string) [][]string {
	t.Helper()

	return table(t, y.get(t, importsPath+"/"+id+"/errors?of="+of))
}

// counts are those of a part of an answer.
func counts(r moduletest.Response, part string) []int64 {
	var all []int64
	for _, key := range []string{"created", "updated", "unchanged", "failed"} {
		all = append(all, r.Get(part+"."+key).Int())
	}

	return all
}

// lots makes a module with a unique field.
func (y yard) lots(t *testing.T) string {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Lots", "fields": []object{
		{"key": "code", "label": "Lot code", "type": "text", "required": true, "unique": true, "indexed": true},
		{"key": "price", "type": "decimal"},
		{"key": "notes", "type": "long_text"},
	}}).OK(t).Get("uuid").String()
}

// lotFile has lots from one number to another.
func lotFile(from, to int, price string) string {
	var file strings.Builder
	file.WriteString("Lot code,price\n")
	for i := from; i <= to; i++ {
		fmt.Fprintf(&file, "L-%05d,%s\n", i, price)
	}

	return file.String()
}

func TestImport_ProposesTriesRunsAndReports(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		sent := y.send(t, lots, "Lot code;Price;NOTES;Colour\nA-1;12.50;ok;red\nA-2;7.5;\"two\r\nlines; \"\"quoted\"\"\";blue\n;3.00;no code;\n"+
			"A-3;12.505;=1+1;y\nA-1;1.00;again;\nA-5;9\n", "file_name=lots.csv").OK(t)
		id := sent.Get("uuid").String()
		require.Equal(t, "ready", sent.Get("state").String())
		require.Equal(t, ";", sent.Get("delimiter").String())
		require.EqualValues(t, 6, sent.Get("rows").Int())
		require.Equal(t, `["code","price","notes",null]`, sent.Get("columns.#.field").Raw)
		require.Equal(t, `{"cell":"7.5","value":"7.50"}`, sent.Get("columns.1.samples.1").Raw)
		require.NotEmpty(t, sent.Get("columns.1.coercion").String())
		require.Zero(t, y.records(t, lots))

		tried := y.do(t, id, "dry_run")
		require.Equal(t, "ready", tried.Get("state").String())
		require.True(t, tried.Get("dry_run.done").Bool())
		require.Equal(t, []int64{2, 0, 0, 4}, counts(tried, "dry_run"))
		require.EqualValues(t, 1, tried.Get("columns.1.wrong").Int())
		require.Zero(t, y.records(t, lots))
		require.Len(t, y.failures(t, id, "dry_run"), 5)

		ran := y.do(t, id, "start")
		require.Equal(t, "completed", ran.Get("state").String())
		require.Equal(t, []int64{2, 0, 0, 4}, counts(ran, "progress"))
		require.EqualValues(t, 2, y.records(t, lots))
		require.Equal(t, "two\r\nlines; \"quoted\"", y.get(t, recordsPath+"?module_uuid="+lots+"&sort=-code").Get("data.0.payload.notes").String())
		require.Equal(t, [][]string{
			{"import_row", "import_line", "import_problem", "Lot code", "Price", "NOTES", "Colour"},
			{"3", "5", "row 4, Lot code: The Lot code is required.", "", "3.00", "no code", ""},
			{"4", "6", `row 5, Price: "12.505" must not have more than 2 digits after the point.`, "A-3", "12.505", "'=1+1", "y"},
			{"5", "7", `row 6, Lot code: "A-1" has already been taken.`, "A-1", "1.00", "again", ""},
		}, y.failures(t, id, "run")[:4])
		require.Contains(t, string(y.get(t, importsPath+"/"+id+"/errors").Body), "6,8,\"row 7: The row has 2 values, and the first row names 4 columns.\",A-5,9\n")

		created := 0
		for _, e := range y.Events(t, y.Owner) {
			if e.Name == "custom_modules.record.created" && e.Get("source").String() == "import:"+id {
				created++
			}
		}
		require.Equal(t, 2, created)
		y.verb(t, id, "start").Refused(t, http.StatusConflict, "state.not_allowed")
	})
}

func TestImport_IsIdempotentByAKeyColumnAndCanBeUndone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		byCode := object{"mode": "upsert", "by": "code"}
		first := y.upload(t, lots, lotFile(1, 450, "1.00"))
		y.configure(t, first, byCode).OK(t)
		require.Equal(t, []int64{450, 0, 0, 0}, counts(y.do(t, first, "start"), "progress"))

		again := y.upload(t, lots, lotFile(1, 450, "1.00"))
		y.configure(t, again, byCode).OK(t)
		require.Equal(t, []int64{0, 0, 450, 0}, counts(y.do(t, again, "start"), "progress"))

		dearer := y.upload(t, lots, lotFile(301, 500, "2.00")+"L-00301,3.00\n")
		y.configure(t, dearer, byCode).OK(t)
		require.Equal(t, []int64{50, 151, 0, 0}, counts(y.do(t, dearer, "start"), "progress"))
		last := func(code string) moduletest.Response {
			return y.get(t, recordsPath+"?module_uuid="+lots+"&filter[code]="+code).OK(t)
		}
		require.Equal(t, "3.00", last("L-00301").Get("data.0.payload.price").String())
		history := y.get(t, recordsPath+"/"+last("L-00301").Get("data.0.uuid").String()+"/history")
		require.Equal(t, `["import:`+dearer+`","import:`+dearer+`"]`, history.Get("data.#.source").Raw)

		// What people changed since stays, whatever the import did to it.
		y.Call(t, y.Owner.Token, http.MethodPatch, recordsPath+"/"+last("L-00302").Get("data.0.uuid").String(), object{"payload": object{"notes": "mine"}}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPatch, recordsPath+"/"+last("L-00500").Get("data.0.uuid").String(), object{"payload": object{"notes": "mine"}}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, recordsPath+"/"+last("L-00499").Get("data.0.uuid").String(), nil).OK(t)
		undone := y.do(t, dearer, "undo")
		require.Equal(t, "undone", undone.Get("state").String())
		require.EqualValues(t, 198, undone.Get("progress.undone").Int())
		require.EqualValues(t, 3, undone.Get("progress.kept").Int())
		require.Equal(t, "1.00", last("L-00301").Get("data.0.payload.price").String())
		require.Equal(t, "1.00", last("L-00450").Get("data.0.payload.price").String())
		require.Equal(t, "2.00", last("L-00302").Get("data.0.payload.price").String())
		require.Empty(t, last("L-00498").Get("data").Array())
		require.EqualValues(t, 451, y.records(t, lots))
		kept := y.failures(t, dearer, "undo")
		require.Len(t, kept, 4)
		require.Equal(t, []string{"2", "3", "The record was changed after the import. It stays unchanged.", "L-00302", "2.00"}, kept[1])
		require.Equal(t, "The record was deleted after the import.", kept[2][2])
		y.verb(t, dearer, "undo").Refused(t, http.StatusConflict, "state.not_allowed")
		y.Audited(t, y.Owner)
	})
}
