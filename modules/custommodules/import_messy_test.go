package custommodules_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// haul makes a module with the fields of a sheet as dispatchers keep it.
func (y yard) haul(t *testing.T) string {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Hauls", "fields": []object{
		{"key": "load", "label": "Load #", "type": "text", "required": true, "unique": true, "indexed": true},
		{"key": "pickup", "label": "Pickup", "type": "date"},
		{"key": "due", "label": "Due", "type": "local_datetime"},
		{"key": "price", "label": "Price", "type": "decimal"},
		{"key": "year", "label": "Year", "type": "integer"},
		{"key": "runs", "label": "Runs?", "type": "boolean"},
		{"key": "status", "label": "Status", "type": "select", "options": object{"options": []object{
			{"id": "picked_up", "label": "Picked Up"}, {"id": "delivered", "label": "Delivered"},
		}}},
		{"key": "phone", "label": "Phone", "type": "phone"},
		{"key": "email", "label": "E-mail", "type": "email"},
		{"key": "weight", "label": "Weight", "type": "weight"},
	}}).OK(t).Get("uuid").String()
}

// messy is a sheet of rows as people type them, and how many of them nobody could read.
func messy(rows int) (file string, wrong int) {
	among := func(i int, of ...string) string { return of[i%len(of)] }
	var b strings.Builder
	b.WriteString("Load #,Pickup,Due,Price,Year,Runs?,Status,Phone,E-mail,Weight\n")
	for i := range rows {
		day := i%28 + 1
		pickup := among(i, fmt.Sprintf("%02d/%02d/2026", i%12+1, day), fmt.Sprintf("2026-%02d-%02d", i%12+1, day), fmt.Sprintf("%d/%d/26", i%12+1, day),
			fmt.Sprintf("%d.%d.2026", day, i%12+1), fmt.Sprintf("May %d, 2026", day), fmt.Sprintf("%d-May-2026", day), strconv.Itoa(46143+i%300), "")
		price := among(i, "1250.00", `"$1,250.00"`, "$950", `"(1,200.00)"`, `"1.250,50 €"`, "USD 800", "-75.5", `"1,250"`, "", "1 250.00")
		if i%100 == 42 {
			price, wrong = "call office", wrong+1
		}
		if i%100 == 77 {
			pickup, wrong = "13/45/2026", wrong+1
		}
		cells := []string{
			fmt.Sprintf("L-%05d", i), pickup, among(i, "05/25/2026 2:30 PM", "46143.604166667", "2026-05-01T14:30:00", "5/1/26 0930", ""), price,
			among(i, "2017", "2017.0", `"2,017"`, ""), among(i, "yes", "No", "x", "TRUE", "0", "ja", "Y", ""),
			among(i, "Picked Up", "picked_up", "DELIVERED", "delivered ", ""), among(i, "(202) 555-0143", "202.555.0143", "+1 202 555 0143", ""),
			among(i, "Jane Doe <jane@example.com>", "jane@example.com", ""), among(i, `"42,000 lbs"`, "18000 kg", "950", ""),
		}
		if quoted := cells[2]; strings.Contains(quoted, ",") {
			cells[2] = `"` + quoted + `"`
		}
		if strings.HasPrefix(cells[1], "May") {
			cells[1] = `"` + cells[1] + `"`
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}

	return b.String(), wrong
}

func TestImport_TakesFilesAsPeopleHaveThem(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		const rows = 2_000
		haul := y.haul(t)
		file, wrong := messy(rows)
		sent := y.send(t, haul, file).OK(t)
		id := sent.Get("uuid").String()
		require.Equal(t, `[null,"MM/DD/YYYY","MM/DD/YYYY","1,234.56","1,234.56",null,null,null,null,"1,234.56"]`, sent.Get("columns.#.format").Raw)
		require.Empty(t, sent.Get("columns.1.note").String())

		tried := y.do(t, id, "dry_run")
		require.Equal(t, []int64{int64(rows - wrong), 0, 0, int64(wrong)}, counts(tried, "dry_run"), tried.Get("dry_run.problems").Raw)
		require.Equal(t, `{"row":44,"column":"Price","cell":"call office","problem":"\"call office\" is not an amount; such as 1,250.00"}`,
			tried.Get("dry_run.problems.0").Raw)
		require.Len(t, tried.Get("dry_run.problems").Array(), 20)

		ran := y.do(t, id, "start")
		require.Equal(t, "completed", ran.Get("state").String())
		require.Equal(t, []int64{int64(rows - wrong), 0, 0, int64(wrong)}, counts(ran, "progress"))
		failures := y.failures(t, id, "run")
		require.Equal(t, `row 44, Price: "call office" is not an amount; such as 1,250.00`, failures[1][2])
		require.Equal(t, `row 79, Pickup: "13/45/2026" is not a date; such as 05/01/2026`, failures[2][2])

		first := y.get(t, recordsPath+"?module_uuid="+haul+"&filter[load]=L-00003").Get("data.0.payload")
		require.JSONEq(t, `{"load":"L-00003","pickup":"2026-04-04","due":"2026-05-01 09:30:00","price":"-1200.00","year":null,"runs":true,
			"status":"delivered","phone":null,"email":"jane@example.com","weight":null}`, first.Raw)
	})
}

func TestImport_FormatsAreSaidByColumn(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		haul := y.haul(t)
		sent := y.send(t, haul, "Load #;Pickup;Price;Other\nA;04/05/2026;1.250;05/25/2026\nB;06/07/2026;2.500;\n").OK(t)
		id := sent.Get("uuid").String()
		require.Contains(t, sent.Get("columns.1.note").String(), "ambiguous")
		require.Contains(t, sent.Get("columns.2.note").String(), "ambiguous")
		require.Contains(t, sent.Get("warnings").Raw, "Pickup: The column is ambiguous")
		require.Equal(t, `{"cell":"04/05/2026","value":"2026-04-05"}`, sent.Get("columns.1.samples.0").Raw)

		changed := y.configure(t, id, object{"mapping": object{
			"Pickup": object{"format": "DD/MM/YYYY"}, "Price": object{"field": "price", "format": "1.234,56"}, "Other": "due",
		}}).OK(t)
		require.Equal(t, `[null,"DD/MM/YYYY","1.234,56","MM/DD/YYYY"]`, changed.Get("columns.#.format").Raw, "what is not said is proposed for the new field")
		y.do(t, id, "start")
		one := y.get(t, recordsPath+"?module_uuid="+haul+"&filter[load]=A").Get("data.0.payload")
		require.Equal(t, "2026-05-04", one.Get("pickup").String())
		require.Equal(t, "1250.00", one.Get("price").String())

		other := y.upload(t, haul, "Load #,Pickup\nC,04/05/2026\n")
		y.configure(t, other, object{"mapping": object{"Pickup": object{"format": "1,234.56"}}}).Refused(t, http.StatusUnprocessableEntity, "custom_modules.import_mapping")
		y.configure(t, other, object{"mapping": object{"Load #": object{"format": "MM/DD/YYYY"}}}).Refused(t, http.StatusUnprocessableEntity, "custom_modules.import_mapping")
		y.configure(t, other, object{"mapping": object{"Pickup": object{"bad": "ignore"}}}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		y.configure(t, other, object{"mapping": object{"Pickup": object{"format": nil}}}).OK(t)
		require.Contains(t, y.do(t, other, "dry_run").Get("dry_run.problems.0.problem").String(), "say the format of the column")
	})
}

func TestImport_SaysByColumnWhatEmptyAndBadCellsDo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		haul := y.haul(t)
		y.do(t, y.upload(t, haul, "Load #,Price,Year,Status\nA,10,2017,delivered\nB,20,2018,delivered\n"), "start")

		id := y.upload(t, haul, "Load #,Price,Year,Status\nA,abc,,\nB,,n/a,\nC,1,,picked up\nD,many,2019,gone\n")
		y.configure(t, id, object{"mode": "upsert", "by": "load", "mapping": object{
			"Price":  object{"bad": "leave_empty"},
			"Year":   object{"bad": "leave_empty", "empty": "keep"},
			"Status": object{"empty": "refuse"},
		}}).OK(t)
		tried := y.do(t, id, "dry_run")
		require.Equal(t, []int64{1, 0, 0, 3}, counts(tried, "dry_run"))
		y.configure(t, id, object{"mapping": object{"Status": object{"empty": nil, "bad": "leave_empty"}}}).OK(t)
		tried = y.do(t, id, "dry_run")
		require.Equal(t, []int64{2, 2, 0, 0}, counts(tried, "dry_run"))
		require.EqualValues(t, 4, tried.Get("dry_run.left_empty").Int())
		require.Equal(t, "[0,2,1,1]", tried.Get("columns.#.left_empty").Raw)
		require.Equal(t, `row 2, Price: "abc" is not an amount; such as 1,250.00; left empty`, y.failures(t, id, "notes")[1][2])

		ran := y.do(t, id, "start")
		require.Equal(t, []int64{2, 2, 0, 0}, counts(ran, "progress"))
		require.EqualValues(t, 4, ran.Get("progress.left_empty").Int())
		require.Len(t, y.failures(t, id, "notes"), 4)
		require.Len(t, y.failures(t, id, "run"), 1)
		found := y.get(t, recordsPath+"?module_uuid="+haul+"&sort=load").Get("data.#.payload")
		require.Equal(t, `[null,null,"1.00",null]`, found.Get("#.price").Raw)
		require.Equal(t, `[2017,2018,2019]`, found.Get("#.year").Raw)
		require.Equal(t, `[null,null,"picked_up",null]`, found.Get("#.status").Raw)
	})
}
