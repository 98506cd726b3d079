package custommodules_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/workbook"
)

const sheetMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// sheet makes a workbook.
func sheet(t *testing.T, heads []string, rows ...[]workbook.Cell) string {
	t.Helper()
	var file bytes.Buffer
	w, err := workbook.NewWriter(&file, "Loads", heads)
	require.NoError(t, err)
	for _, row := range rows {
		require.NoError(t, w.Row(row))
	}
	require.NoError(t, w.Close())

	return file.String()
}

// sheetOf reads a workbook that was answered with.
func sheetOf(t *testing.T, file []byte) [][]string {
	t.Helper()
	r, err := workbook.Open(bytes.NewReader(file), int64(len(file)), "", workbook.Limits{Sheet: 1 << 20, Texts: 1 << 20, Row: 1 << 20, Columns: 100})
	require.NoError(t, err)
	var rows [][]string
	for {
		cells, _, err := r.Next()
		if errors.Is(err, io.EOF) {
			require.NoError(t, r.Close())

			return rows
		}
		require.NoError(t, err)
		rows = append(rows, cells)
	}
}

func (y yard) sendSheet(t *testing.T, module, file string) string {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+module+"/imports?file_name=loads.xlsx", file, "Content-Type", sheetMedia).
		OK(t).Get("uuid").String()
}

func TestImport_TakesWorkbooksAndExportsThemAgain(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		haul := y.haul(t)
		id := y.sendSheet(t, haul, sheet(t, []string{"Load #", "Pickup", "Due", "Price", "Year", "Runs?", "Status"},
			[]workbook.Cell{
				{Text: "A"},
				{Text: "2026-05-01", Kind: workbook.Date},
				{Text: "2026-05-01 14:30:00", Kind: workbook.Moment},
				{Text: "1250.5", Kind: workbook.Number},
				{Text: "2017", Kind: workbook.Number},
				{Text: "true", Kind: workbook.Truth},
				{Text: "Picked Up"},
			},
			[]workbook.Cell{},
			[]workbook.Cell{{Text: "B"}, {Text: "46143", Kind: workbook.Number}, {}, {Text: "free"}},
			[]workbook.Cell{{Text: "'=C"}, {Text: "46143", Kind: workbook.Number}},
		))
		got := y.get(t, importsPath+"/"+id).OK(t)
		require.Equal(t, "xlsx", got.Get("format").String())
		require.EqualValues(t, 3, got.Get("rows").Int())
		require.Equal(t, []int64{2, 0, 0, 1}, counts(y.do(t, id, "start"), "progress"))
		require.Equal(t, []string{"2", "4", `row 4, Price: "free" is not an amount; such as 1,250.00`}, y.failures(t, id, "run")[1][:3])
		one := y.get(t, recordsPath+"?module_uuid="+haul+"&filter[load]=A").Get("data.0.payload")
		require.JSONEq(t, `{"load":"A","pickup":"2026-05-01","due":"2026-05-01 14:30:00","price":"1250.50","year":2017,"runs":true,
			"status":"picked_up"}`, one.Raw)

		answer := y.get(t, modulesPath+"/"+haul+"/export?format=xlsx&sort=load").OK(t)
		require.Equal(t, sheetMedia, answer.Header.Get("Content-Type"))
		rows := sheetOf(t, answer.Body)
		require.Len(t, rows, 3)
		require.Equal(t, []string{"A", "2026-05-01", "2026-05-01 14:30:00", "1250.5", "2017", "true", "picked_up"}, rows[2][1:8])
		again := y.sendSheet(t, haul, string(answer.Body))
		require.Equal(t, []int64{0, 0, 2, 0}, counts(y.do(t, again, "start"), "progress"), "what was exported is what is there")

		forPeople := sheetOf(t, y.get(t, modulesPath+"/"+haul+"/export?format=xlsx&labels=true&sort=load").OK(t).Body)
		require.Equal(t, []string{"Load #", "Pickup", "Due", "Price", "Year", "Runs?", "Status"}, forPeople[0][:7])
		require.Equal(t, []string{"A", "2026-05-01", "2026-05-01 14:30:00", "1250.5", "2017", "true", "Picked Up"}, forPeople[2][:7])
	})
}

func TestImport_RefusesWhatIsNoWorkbook(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		haul := y.haul(t)
		for file, query := range map[string]string{
			"Load #\nA\n":                "format=xlsx",
			sheet(t, []string{"Load #"}): "sheet=Trucks",
			sheet(t, nil):                "",
		} {
			y.send(t, haul, file, query).Refused(t, http.StatusUnprocessableEntity, "custom_modules.import_file")
		}
		require.Empty(t, y.get(t, modulesPath+"/"+haul+"/imports").Get("data").Array(), "nothing is left of them")
	})
}

// ann makes a user, and returns the id.
func (y yard) ann(t *testing.T) string {
	t.Helper()
	user, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Name: "Ann", Email: "ann@example.com", Role: identity.Owner})
	require.NoError(t, err)

	return user.ID.String()
}

func TestImport_FindsReferencesByUniqueValueTitleAndUsersByMail(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		ann, lots := y.ann(t), y.lots(t)
		first := y.create(t, lots, object{"code": "L-1"}).OK(t).Get("uuid").String()
		people := y.module(t, "People", object{"key": "full_name", "type": "text", "indexed": true})
		jane := y.create(t, people, object{"full_name": "Doe, Jane"}).OK(t).Get("uuid").String()
		y.create(t, people, object{"full_name": "Two"}).OK(t)
		y.create(t, people, object{"full_name": "Two"}).OK(t)
		cars := y.module(t, "Cars", object{"key": "plate", "type": "text"},
			object{"key": "lot", "type": "reference", "options": object{"module_uuid": lots}},
			object{"key": "owner", "type": "reference", "options": object{"module_uuid": people}},
			object{"key": "driver", "type": "user"})

		id := y.upload(t, cars, "plate,lot,owner,driver\nP1,L-1,\"Doe, Jane\",Ann <ANN@example.com>\nP2,"+first+","+jane+",Ann\n"+
			"P3,L-9,,\nP4,,Two,\nP5,,,nobody@example.com\n")
		tried := y.do(t, id, "dry_run")
		require.Equal(t, []int64{2, 0, 0, 3}, counts(tried, "dry_run"), tried.Get("dry_run.problems").Raw)
		ran := y.do(t, id, "start")
		require.Equal(t, []int64{2, 0, 0, 3}, counts(ran, "progress"))
		for _, plate := range []string{"P1", "P2"} {
			require.JSONEq(t, `{"plate":"`+plate+`","lot":{"record_uuid":"`+first+`"},"owner":{"record_uuid":"`+jane+`"},"driver":"`+ann+`"}`,
				y.get(t, recordsPath+"?module_uuid="+cars+"&filter[plate]="+plate).Get("data.0.payload").Raw)
		}
		failures := y.failures(t, id, "run")
		require.Contains(t, failures[1][2], `row 4, lot: "L-9" names nothing`)
		require.Contains(t, failures[2][2], `row 5, owner: "Two" is ambiguous: 2 have it`)
		require.Equal(t, `row 6, driver: "nobody@example.com" is no user's e-mail address or name`, failures[3][2])
	})
}

func TestExport_WithLabelsIsForPeople(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		lot := y.create(t, lots, object{"code": "=L-1"}).OK(t).Get("uuid").String()
		ann := y.ann(t)
		cars := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Cars", "fields": []object{
			{"key": "plate", "label": "License plate", "type": "text"},
			{"key": "lot", "label": "Lot", "type": "reference", "options": object{"module_uuid": lots}},
			{"key": "driver", "label": "Driver", "type": "user"},
			{"key": "colors", "label": "Colors", "type": "multi_select", "options": object{"options": []object{{"id": "r", "label": "Red"}, {"id": "b", "label": "Blue"}}}},
		}}).OK(t).Get("uuid").String()
		y.create(t, cars, object{"plate": "P1", "lot": object{"record_uuid": lot}, "driver": ann, "colors": []string{"b", "r"}}).OK(t)
		y.create(t, cars, object{"plate": "P2"}).OK(t)

		rows := table(t, y.get(t, modulesPath+"/"+cars+"/export?labels=true&fields=payload,created_by"))
		require.Equal(t, []string{"License plate", "Lot", "Driver", "Colors", "Created by"}, rows[0])
		require.Equal(t, []string{"P1", "'=L-1", "Ann", "Red; Blue"}, rows[1][:4])
		require.NotEmpty(t, rows[1][4])
		require.NotContains(t, rows[1][4], "-", "it is a name, and no UUID")
		require.Equal(t, []string{"P2", "", "", ""}, rows[2][:4])

		exact := table(t, y.get(t, modulesPath+"/"+cars+"/export?fields=payload"))
		require.Equal(t, []string{"uuid", "plate", "lot", "driver", "colors"}, exact[0])
		require.Equal(t, []string{"P1", lot, ann, "r;b"}, exact[1][1:])
	})
}
