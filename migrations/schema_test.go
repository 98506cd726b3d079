package migrations_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

// schema is the tables of a database, in words that both databases share: each line is a column, a
// primary key, a foreign key or an index.
type schema map[string][]string

// The queries give pairs of a table and a line. Types are those of SQLite.
const (
	sqliteColumns = `
		SELECT m.name, 'column ' || c.name || ' ' || lower(c.type) ||
			iif(c."notnull" OR (c.pk AND lower(c.type) = 'integer'), ' not null', '') || iif(c.dflt_value IS NULL, '', ' default')
		FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`
	postgresColumns = `
		SELECT table_name, 'column ' || column_name || ' ' ||
			CASE data_type
				WHEN 'smallint' THEN 'integer' WHEN 'bigint' THEN 'integer' WHEN 'double precision' THEN 'real'
				WHEN 'uuid' THEN 'text' WHEN 'jsonb' THEN 'text' WHEN 'json' THEN 'text' WHEN 'numeric' THEN 'text'
				WHEN 'bytea' THEN 'blob' WHEN 'timestamp with time zone' THEN 'datetime'
				WHEN 'timestamp without time zone' THEN 'timestamp' ELSE data_type
			END || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END || CASE WHEN column_default IS NULL THEN '' ELSE ' default' END
		FROM information_schema.columns WHERE table_schema = current_schema()
			AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = current_schema())`

	sqliteKeys = `
		SELECT name, 'primary key ' || group_concat(column, ', ') FROM (
			SELECT m.name, c.name AS column FROM sqlite_master m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND c.pk > 0 ORDER BY m.name, c.pk)
		GROUP BY name`
	postgresKeys = `
		SELECT conrelid::regclass::text, 'primary key ' || string_agg(a.attname, ', ' ORDER BY k.place)
		FROM pg_constraint CROSS JOIN LATERAL unnest(conkey) WITH ORDINALITY k (number, place)
		JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.number
		WHERE contype = 'p' AND connamespace = current_schema()::regnamespace GROUP BY conrelid`

	sqliteForeign = `
		SELECT name, 'foreign key ' || group_concat(source, ', ') || ' to ' || target || ' (' || group_concat(column, ', ') || ')' ||
			' ' || min(on_delete)
		FROM (
			SELECT m.name, f.id, f."table" AS target, f."from" AS source, f."to" AS column, lower(f.on_delete) AS on_delete
			FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq)
		GROUP BY name, id, target`
	postgresForeign = `
		SELECT conrelid::regclass::text, 'foreign key ' || string_agg(a.attname, ', ' ORDER BY k.place) || ' to ' ||
			confrelid::regclass || ' (' || string_agg(b.attname, ', ' ORDER BY k.place) || ') ' ||
			CASE confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'r' THEN 'restrict' WHEN 'd' THEN 'set default'
				ELSE 'no action' END
		FROM pg_constraint CROSS JOIN LATERAL unnest(conkey, confkey) WITH ORDINALITY k (number, target, place)
		JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.number
		JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = k.target
		WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
		GROUP BY pg_constraint.oid, conrelid, confrelid, confdeltype`

	// The index of a UNIQUE constraint has no name of its own on SQLite; it gets PostgreSQL's.
	sqliteIndexes = `
		SELECT tbl, 'index ' || iif(origin = 'u', tbl || '_' || group_concat(column, '_') || '_key', name) ||
			iif("unique", ' unique', '') || iif(partial, ' partial', '') || ': ' || group_concat(column, ', ')
		FROM (
			SELECT m.name AS tbl, i.name, i."unique", i.partial, i.origin,
				coalesce(x.name, '(expression)') || iif(x.desc, ' desc', '') AS column
			FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_xinfo(i.name) x
			WHERE m.type = 'table' AND i.origin <> 'pk' AND x.key ORDER BY i.name, x.seqno)
		GROUP BY tbl, name`
	postgresIndexes = `
		SELECT i.indrelid::regclass::text, 'index ' || i.indexrelid::regclass ||
			CASE WHEN i.indisunique THEN ' unique' ELSE '' END || CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END || ': ' ||
			string_agg(coalesce(a.attname, '(expression)') || CASE WHEN k.option & 1 = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY k.place)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indoption::int2[]) WITH ORDINALITY k (number, option, place)
		LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
		WHERE NOT i.indisprimary AND c.relnamespace = current_schema()::regnamespace
		GROUP BY i.indrelid, i.indexrelid, i.indisunique, i.indpred`
)

// readSchema reads everything but the version tables, whose form is goose's.
func readSchema(t *testing.T, db *database.DB) schema {
	t.Helper()
	queries := []string{sqliteColumns, sqliteKeys, sqliteForeign, sqliteIndexes}
	if db.Dialect() == database.Postgres {
		queries = []string{postgresColumns, postgresKeys, postgresForeign, postgresIndexes}
	}
	tables := schema{}
	for _, query := range queries {
		rows, err := db.SQL().QueryContext(t.Context(), query+" ORDER BY 1, 2")
		require.NoError(t, err)
		for rows.Next() {
			var table, line string
			require.NoError(t, rows.Scan(&table, &line))
			if !strings.HasPrefix(table, "goose_") && !strings.HasPrefix(table, "sqlite_") {
				tables[table] = append(tables[table], line)
			}
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}

	return tables
}
