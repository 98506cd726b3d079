package custommodules_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestImport_RefusesAFileThatItCannotRead(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		columns := func(n int) string {
			names := make([]string, n)
			for i := range names {
				names[i] = fmt.Sprintf("c%d", i)
			}

			return strings.Join(names, ",") + "\n"
		}
		for _, tc := range []struct{ name, file, query, code, message string }{
			{"nothing", "", "", "custom_modules.import_encoding", "The file is empty."},
			{"no header", "\n\r\n", "", "custom_modules.import_file", "The file has no row with the names of the columns."},
			{"another encoding", "code\nSch\xf6n\x81\n", "", "custom_modules.import_encoding", "Line 2 has bytes that are not UTF-8. Save the file as UTF-8, or say encoding=windows-1252 if it is that."},
			{"UTF-16 without a mark", "c\x00o\x00d\x00e\x00\n\x00", "", "custom_modules.import_file", "Line 1 has a NUL byte: the file is no CSV, or is in another encoding than it seems."},
			{"another mark", "\xef\xbb\xbfcode\n", "encoding=windows-1252", "custom_modules.import_encoding", "The file begins with the mark of utf-8; it is not windows-1252."},
			{"a workbook", "PK\x03\x04abc", "", "custom_modules.import_encoding", "The file is a ZIP archive, as Excel's workbooks are. Save the sheet as CSV."},
			{"a quote that never closes", "code,notes\nA,\"x\nB,y\n", "", "custom_modules.import_file", "The quote that opens in line 2 is never closed."},
			{"a long quote that never closes", "code,notes\nA,\"x" + strings.Repeat("y\n", 40_000), "", "custom_modules.import_file", "A row with more than 65536 bytes: is the quote that opens in line 2 ever closed?"},
			{"something behind a quote", "code\n\"a\"b\n", "", "custom_modules.import_file", "In line 2, something stands behind the quote that ends a value. A quote inside a value is written twice."},
			{"10,000 columns", columns(10_000), "", "custom_modules.import_file", "The row in line 1 has more than 500 columns."},
			{"10,000 cells", "code\n" + columns(10_000), "", "custom_modules.import_file", "The row in line 2 has more than 500 columns."},
			{"duplicate headers", "code,price, code \n", "", "custom_modules.import_file", `The columns 1 and 3 are both called "code". Give each a name of its own.`},
			{"too many rows", lotFile(1, 1001, "1.00"), "", "custom_modules.import_file", "The file has more than 1000 rows. Split it."},
			{"a long name", strings.Repeat("x", 501) + ",b\n", "", "custom_modules.import_file", "The name of column 1 has more than 500 bytes. Is the first row the names of the columns?"},
		} {
			r := y.send(t, lots, tc.file, tc.query)
			r.Refused(t, http.StatusUnprocessableEntity, tc.code)
			require.Contains(t, string(r.Body), strings.Trim(fmt.Sprintf("%q", tc.message), `"`), tc.name)
		}
		tooLarge := y.send(t, lots, strings.Repeat("x", 200<<10))
		tooLarge.Refused(t, http.StatusRequestEntityTooLarge, "web.body_too_large")
		y.send(t, lots, "code\n", "encoding=latin-9").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+lots+"/imports", "{}", "Content-Type", "application/json").
			Refused(t, http.StatusUnsupportedMediaType, "web.unsupported_media")
		require.Empty(t, y.get(t, modulesPath+"/"+lots+"/imports").Get("data").Array(), "nothing is left of them")
	}, moduletest.Set("imports.max_row_size=64KiB", "imports.max_rows=1000", "imports.max_size=128KiB"))
}

func TestImport_ReadsTheEncodingsThatThereAre(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		file := "code,notes\r\nSchön,\"a\rb\"\r\r\n\nZoë,'=1\r"
		in16, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(file)
		require.NoError(t, err)
		in1252, err := charmap.Windows1252.NewEncoder().String(file)
		require.NoError(t, err)
		for _, tc := range []struct{ file, query, encoding string }{
			{file, "", "utf-8"},
			{"\ufeff" + file, "", "utf-8"},
			{in16, "", "utf-16"},
			{in1252, "encoding=windows-1252", "windows-1252"},
		} {
			sent := y.send(t, lots, tc.file, tc.query).OK(t)
			require.Equal(t, tc.encoding, sent.Get("encoding").String())
			require.Equal(t, `["code","notes"]`, sent.Get("columns.#.name").Raw)
			require.EqualValues(t, 2, sent.Get("rows").Int())
			require.Equal(t, `["Schön","Zoë"]`, sent.Get("columns.0.samples.#.value").Raw)
			require.Equal(t, `["a\rb","=1"]`, sent.Get("columns.1.samples.#.value").Raw)
		}
	})
}

func TestImport_SaysWhatIsWrongWithAMapping(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, "Lot code,cost,other\nA,1.00,x\n")
		for _, tc := range []struct {
			body   object
			fields map[string]string
		}{
			{object{"mapping": object{"cots": "price", "cost": "prize"}}, map[string]string{
				"mapping.cots": "The file has no such column; it has Lot code, cost, other.",
				"mapping.cost": "The module has no field prize; it has code, price, notes.",
			}},
			{object{"mapping": object{"cost": "code"}}, map[string]string{"mapping.cost": `The column "Lot code" goes there already.`}},
			{object{"mapping": object{"Lot code": nil}}, map[string]string{"mapping": "No column goes to a field. The module has code, price, notes."}},
			{object{"mode": "upsert"}, map[string]string{"by": "`by` is required: uuid, or the key of a unique field (code)."}},
			{object{"mode": "upsert", "by": "price"}, map[string]string{"by": "`by` must be uuid or the key of a unique field (code)."}},
			{object{"mode": "upsert", "by": "uuid"}, map[string]string{"by": "No column goes to it."}},
			{object{"by": "code"}, map[string]string{"by": "`by` is for the mode upsert."}},
			{object{"mapping": object{"other": "uuid"}}, map[string]string{"mapping.other": `Only an upsert by "uuid" takes a column with uuids. Map it to null, or set by to "uuid".`}},
		} {
			refused(t, y.configure(t, id, tc.body), "custom_modules.import_mapping", tc.fields)
		}
		changed := y.configure(t, id, object{"mapping": object{"cost": "price"}, "empty_cells": "keep"}).OK(t)
		require.Equal(t, `["code","price",null]`, changed.Get("columns.#.field").Raw)
		y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, object{"mode": "create"}, "If-Match", `"1"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
	})
}

func TestImport_CanBeCancelledAndResumedTwice(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, lotFile(1, 2_500, "1.00"))
		y.verb(t, id, "start").OK(t)
		for range 2 {
			if r := y.verb(t, id, "cancel"); r.Status == http.StatusOK {
				require.Equal(t, "cancelled", r.Get("state").String())
				y.verb(t, id, "cancel").Refused(t, http.StatusConflict, "state.not_allowed")
				done := y.get(t, importsPath+"/"+id).Get("progress.created").Int()
				require.Equal(t, done, y.records(t, lots))
				y.verb(t, id, "resume").OK(t)
			}
		}
		require.Equal(t, "completed", y.settled(t, id).Get("state").String())
		require.EqualValues(t, 2_500, y.records(t, lots))
		require.Equal(t, []int64{2_500, 0, 0, 0}, counts(y.get(t, importsPath+"/"+id), "progress"))
	})
}

// records counts the records of a module.
func (y yard) records(t *testing.T, module string) int64 {
	t.Helper()

	return y.get(t, recordsPath+"?module_uuid="+module+"&count=exact&per_page=1").OK(t).Get("meta.total").Int()
}

func TestImport_TwoAtOnceDoEachRowOnce(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		var ids []string
		for _, price := range []string{"1.00", "2.00"} {
			id := y.upload(t, lots, lotFile(1, 600, price))
			y.configure(t, id, object{"mode": "upsert", "by": "code"}).OK(t)
			ids = append(ids, id)
		}
		for _, id := range ids {
			y.verb(t, id, "start").OK(t)
		}
		var created, updated int64
		for _, id := range ids {
			r := y.settled(t, id)
			require.Equal(t, "completed", r.Get("state").String())
			created += r.Get("progress.created").Int()
			updated += r.Get("progress.updated").Int()
			require.Zero(t, r.Get("progress.failed").Int())
		}
		require.EqualValues(t, 600, created)
		require.EqualValues(t, 600, updated)
		require.EqualValues(t, 600, y.records(t, lots))
	})
}

func TestImport_StopsWhenItsModuleOrFieldsGoAndGoesOnWhenTheyAreBack(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		module := modulesPath + "/" + lots
		fields := y.get(t, module+"/fields").Get("data.#.uuid").Array()
		id := y.upload(t, lots, lotFile(1, 10, "1.00"))
		y.verb(t, id, "cancel").OK(t)

		// Renamed, a field is the same.
		y.Call(t, y.Owner.Token, http.MethodPatch, module+"/fields/"+fields[0].String(), object{"key": "lot"}).OK(t)
		y.post(t, module+"/archive", nil).OK(t)
		y.verb(t, id, "resume").Refused(t, http.StatusConflict, "custom_modules.module_archived")
		y.post(t, module+"/unarchive", nil).OK(t)
		require.Equal(t, "completed", y.do(t, id, "resume").Get("state").String())
		require.Equal(t, "L-00010", y.get(t, recordsPath+"?module_uuid="+lots+"&sort=-uuid").Get("data.0.payload.lot").String())

		// A field that is removed while rows are left.
		next := y.upload(t, lots, lotFile(11, 20, "1.00"))
		y.verb(t, next, "cancel").OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, module+"/fields/"+fields[1].String(), nil).OK(t)
		refused(t, y.verb(t, next, "resume"), "custom_modules.import_mapping", map[string]string{"mapping.price": "The field that the column goes to is no longer there, or has another type."})
		y.configure(t, next, object{"mapping": object{"price": nil}}).OK(t)
		require.Equal(t, []int64{10, 0, 0, 0}, counts(y.do(t, next, "resume"), "progress"))

		y.Call(t, y.Owner.Token, http.MethodDelete, module, nil).OK(t)
		y.Call(t, y.Owner.Token, http.MethodGet, importsPath+"/"+next, nil).Refused(t, http.StatusNotFound, "custom_modules.import_not_found")
	})
}

func TestImport_IsForThoseWhoMayWriteAndSeeItsFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		people := y.module(t, "People", object{"key": "name", "type": "text"}, object{"key": "ssn", "type": "text", "sensitive": true})
		id := y.upload(t, people, "name,ssn\nAnn,123\n")
		writer := y.Token(t, y.Owner, "custom_modules:read", "custom_modules:write")
		for _, path := range []string{"", "/errors", "/events", "/transitions"} {
			y.Call(t, writer, http.MethodGet, importsPath+"/"+id+path, nil).Refused(t, http.StatusNotFound, "custom_modules.import_not_found")
		}
		require.Empty(t, y.Call(t, writer, http.MethodGet, modulesPath+"/"+people+"/imports", nil).Get("data").Array())
		own := y.Call(t, writer, http.MethodPost, modulesPath+"/"+people+"/imports", "name,ssn\nBob,1\n", "Content-Type", "text/csv").OK(t)
		require.Equal(t, `["name",null]`, own.Get("columns.#.field").Raw)
		refused(t, y.Call(t, writer, http.MethodPatch, importsPath+"/"+own.Get("uuid").String(), object{"mapping": object{"ssn": "ssn"}}),
			"custom_modules.import_mapping", map[string]string{"mapping.ssn": "The module has no field ssn; it has name."})
		y.Call(t, y.Token(t, y.Owner, "custom_modules:read"), http.MethodGet, importsPath+"/"+id, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}

// upTo is a file of rows that goes on for some bytes, and then does not end until it is closed: who wants to read all of
// it before he answers never does.
type upTo struct {
	left   int
	closed chan struct{}
}

func (u *upTo) Read(p []byte) (int, error) {
	if u.left == 0 {
		<-u.closed

		return 0, io.EOF
	}
	const row = "code,price\n"
	n := copy(p[:min(len(p), u.left)], strings.Repeat(row, 1+len(p)/len(row)))
	u.left -= n

	return n, nil
}

func TestImport_StopsReadingAFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		for name, length := range map[string]int64{"its length is said": 2 << 30, "its length is not known": -1} {
			file := &upTo{left: 70 << 10, closed: make(chan struct{})}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+y.API.Address()+modulesPath+"/"+lots+"/imports", file)
			require.NoError(t, err)
			request.ContentLength = length
			request.Header.Set("Authorization", "Bearer "+y.Owner.Token)
			request.Header.Set("Content-Type", "text/csv")
			response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
			require.NoError(t, err, name)
			close(file.closed)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode, name)
		}
		require.Empty(t, y.get(t, modulesPath+"/"+lots+"/imports").Get("data").Array(), "nothing is left of them")
	}, moduletest.Set("imports.max_size=64KiB"))
}

func TestImport_SaysThatTheTypeOfAFieldHasChangedSinceItsMapping(t *testing.T) {
	t.Parallel()
	eachIdleYard(t, func(t *testing.T, y yard, work func()) {
		t.Helper()
		lots := y.lots(t)
		y.create(t, lots, object{"code": "X", "price": "3.00"}).OK(t)
		mappedBefore, begunBefore := y.upload(t, lots, lotFile(1, 10, "1.25")), y.upload(t, lots, lotFile(11, 20, "1.25"))
		y.verb(t, begunBefore, "start").OK(t)
		y.verb(t, begunBefore, "cancel").OK(t)
		field := modulesPath + "/" + lots + "/fields/" + y.get(t, modulesPath+"/"+lots+"/fields").Get("data.1.uuid").String()
		plan := y.post(t, field+"/plan", object{"change": "type", "type": "integer"}).OK(t).Get("uuid").String()
		y.post(t, field+"/apply", object{"plan_uuid": plan}).OK(t)
		work()
		y.Eventually(t, func() bool {
			return y.get(t, modulesPath+"/"+lots+"/field_changes/"+plan).Get("state").String() == "applied"
		}, "the field is an integer")

		const problem = "The field that the column goes to is no longer there, or has another type."
		for id, verb := range map[string]string{mappedBefore: "start", begunBefore: "resume"} {
			refused(t, y.verb(t, id, verb), "custom_modules.import_mapping", map[string]string{"mapping.price": problem})
			mapped := y.configure(t, id, object{"mapping": object{"price": "price"}}).OK(t)
			require.Equal(t, "integer", mapped.Get("columns.1.type").String())
			require.Equal(t, []int64{0, 0, 0, 10}, counts(y.do(t, id, verb), "progress"), "1.25 is no whole number as it stands")
			require.Contains(t, y.failures(t, id, "run")[1][2], `price: "1.25" is not a whole number; such as 1,250`)
		}
	})
}
