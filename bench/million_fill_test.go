package main

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planted is a record as it is left by a create, and the sample that it is of.
func planted() (sample, []row) {
	s := sample{id: "0191-ab", module: "m-0", vin: "1FTKZKYK4JKLMNPRS", price: plotPrice, searchable: true}
	text := func(name, value string) cell { return cell{column: name, kind: "text", pieces: s.cut(value)} }

	return s, []row{
		{table: "custom_modules_records", cells: []cell{
			{column: "company_id", kind: "text", key: true, pieces: s.cut("c-0")},
			{column: "id", kind: "text", key: true, pieces: s.cut(s.id)},
			text("module_id", "m-0"),
			{column: "version", kind: "integer", pieces: s.cut("1")},
			text("data", `{"1":"1FTKZKYK4JKLMNPRS","2":"65432.19"}`),
			text("created_at", "2026"), text("text_1", s.vin), text("numeric_1", "106543219"),
			{column: "deleted_at", kind: "null", null: true},
		}},
		{table: "custom_modules_search", cells: []cell{
			text("company_id", "c-0"), text("record_id", s.id), text("words", "k1ftkzkyk4jklmnprs kjklmnprs klmnprs"),
		}},
		{table: "events_log", cells: []cell{text("company_id", "c-0"), text("payload", s.id)}},
	}
}

func TestFillings_MakeRecordsAfterThatOfTheirModule(t *testing.T) {
	t.Parallel()
	s, rows := planted()
	all := fillings(rows)
	require.Len(t, all, 2) // what happened is no part of a record

	db := besideSQLite{&sqlite{dir: t.TempDir()}}
	sc := &scene{sizes: sizes{large: 5, small: 3, modules: 1}, sample: s, rows: rows, plots: []plot{
		{place: place{company: "c-0", module: "m-0", number: 0, records: 5}, record: s.id},
		{place: place{company: "c-1", module: "m-1", number: 1, records: 3}, record: "0191-cd"},
	}}
	require.NoError(t, db.with(t.Context(), "dispatchd.db", func(conn *sql.Conn) error {
		for _, statement := range []string{
			`CREATE TABLE custom_modules_records (company_id TEXT, id TEXT, module_id TEXT, version INTEGER, data TEXT, created_at TEXT,
				text_1 TEXT, numeric_1 TEXT, deleted_at TEXT, PRIMARY KEY (company_id, id))`,
			`CREATE INDEX custom_modules_records_text_1 ON custom_modules_records (company_id, module_id, text_1, id) WHERE text_1 IS NOT NULL`,
			`CREATE TABLE custom_modules_search (company_id TEXT, record_id TEXT, words TEXT)`,
			`CREATE TABLE custom_modules_usage (company_id TEXT, module_id TEXT, records INTEGER)`,
			`INSERT INTO custom_modules_usage VALUES ('c-0', 'm-0', 1), ('c-1', 'm-1', 1)`,
			`INSERT INTO custom_modules_records VALUES
				('c-0', '0191-ab', 'm-0', 1, '{"1":"1FTKZKYK4JKLMNPRS","2":"65432.19"}', '2026', '1FTKZKYK4JKLMNPRS', '106543219', NULL),
				('c-1', '0191-cd', 'm-1', 1, '{"1":"1FTKZKYK4JKLMNPRS","2":"65432.19"}', '2026', '1FTKZKYK4JKLMNPRS', '106543219', NULL)`,
			`INSERT INTO custom_modules_search VALUES
				('c-0', '0191-ab', 'k1ftkzkyk4jklmnprs kjklmnprs klmnprs'), ('c-1', '0191-cd', 'z1ftkzkyk4jklmnprs zjklmnprs zlmnprs')`,
		} {
			_, err := conn.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		require.NoError(t, db.fillMillion(t.Context(), conn, sc))
		rows, err := strs(t.Context(), conn, `SELECT r.id || ' ' || r.module_id || ' ' || r.data || ' ' || r.text_1 || ' ' || r.numeric_1 || ' ' || s.words
			FROM custom_modules_records AS r JOIN custom_modules_search AS s ON s.record_id = r.id WHERE r.company_id = 'c-1' AND r.id < '0191' ORDER BY r.id`)
		require.NoError(t, err)
		require.Len(t, rows, 3)
		end := millionVINEnd(2)
		require.Equal(t, millionID(1, 2)+` m-1 {"1":"`+millionVIN(2)+`","2":"25838.02"} `+millionVIN(2)+" 102583802 z2ft00000x"+end+" z"+end+" z"+end[2:], rows[1])
		rows, err = strs(t.Context(), conn, "SELECT module_id || ' ' || records FROM custom_modules_usage ORDER BY 1")
		require.NoError(t, err)
		require.Equal(t, []string{"m-0 6", "m-1 4"}, rows)
		rows, err = strs(t.Context(), conn, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
		require.NoError(t, err)
		require.Equal(t, []string{"custom_modules_records_text_1"}, rows)

		return nil
	}))
}

func TestErrandStatements_AskForWhatTheProductAsks(t *testing.T) {
	t.Parallel()
	s, rows := planted()
	table, err := findRecordTable(rows, s)
	require.NoError(t, err)
	table = table.recordsIn(place{company: "c-9", module: "m-9"})
	w := wanted{id: "?", vin: "?", after: "7"}
	const from = "SELECT r.id, r.module_id, r.version, r.data, r.created_at, r.updated_at FROM custom_modules_records AS r"
	const in = " WHERE r.company_id = 'c-9' AND r.module_id = 'm-9'"
	for what, want := range map[task]string{
		taskGet:    from + " WHERE r.company_id = 'c-9' AND r.id = ? AND r.deleted_at IS NULL",
		taskFilter: from + in + " AND r.text_1 = ? AND r.deleted_at IS NULL ORDER BY r.id LIMIT 21",
		taskRange:  from + in + " AND r.numeric_1 IS NOT NULL AND r.numeric_1 >= 7 AND r.deleted_at IS NULL ORDER BY r.numeric_1, r.id LIMIT 21",
		taskSort:   from + in + " AND r.numeric_1 IS NOT NULL AND r.deleted_at IS NULL ORDER BY r.numeric_1 DESC, r.id DESC LIMIT 21",
		taskDeep:   from + in + " AND r.id > 7 AND r.deleted_at IS NULL ORDER BY r.id LIMIT 21",
		taskSearch: strings.Replace(from, "FROM ", "FROM (words LIMIT 1001) AS s CROSS JOIN ", 1) + in +
			" AND r.id = s.record_id AND r.deleted_at IS NULL ORDER BY r.id LIMIT 21",
		taskCommon: from + in + " AND words AND r.deleted_at IS NULL ORDER BY r.id LIMIT 21",
	} {
		require.Equal(t, want, table.errand(what, w, "words"), what)
	}
	require.Equal(t, `UPDATE custom_modules_records SET version = version + 1, "data" = ?, "text_1" = ?, "numeric_1" = ?, "deleted_at" = NULL `+
		`WHERE company_id = 'c-9' AND id = ?`, table.patch(rows[0], "'c-9'", "?", func(cell) string { return "?" }))
}

func TestBulkInsert_BindsWhatDiffersAlone(t *testing.T) {
	t.Parallel()
	_, rows := planted()
	statement := bulkInsert(rows[2], "there")
	require.Contains(t, statement, `INSERT INTO there ("company_id", "payload") VALUES (CAST('c-0' AS text), CAST(CAST($1 AS text) AS text)), (CAST('c-0'`)
	require.Contains(t, statement, "CAST($500 AS text)")
	require.NotContains(t, statement, "$501")
}

func TestTarget_LeavesLogsAndHistoryOfTheProductAlone(t *testing.T) {
	t.Parallel()
	p := besidePostgres{}
	require.Equal(t, `"custom_modules_records"`, p.target("custom_modules_records"))
	for _, table := range []string{"custom_modules_history", "events_log", "audit_entries"} {
		require.Equal(t, copyOf(table), p.target(table))
	}
}
