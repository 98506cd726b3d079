package list_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/list"
)

// fill stores n things of owner 1 in one statement; every third has no price.
func fill(t *testing.T, db *gorm.DB, n int) {
	t.Helper()
	statement := `INSERT INTO things (id, owner, code, qty, price, seen)
		SELECT CAST('00000000-0000-7000-8000-' || lpad(CAST(n AS text), 12, '0') AS uuid), 1, 'c' || n, n % 50,
			CASE WHEN n % 3 > 0 THEN n % 70 END, now() FROM generate_series(1, ?) AS n`
	if db.Name() != "postgres" {
		statement = `WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < ?)
			INSERT INTO things (id, owner, code, qty, price, seen)
			SELECT printf('00000000-0000-7000-8000-%012d', n), 1, 'c' || n, n % 50,
				CASE WHEN n % 3 > 0 THEN printf('%010d.0000', 2000000 + n % 70) END, '2026-09-22 10:00:00.000000' FROM s`
	}
	require.NoError(t, db.Exec(statement, n).Error)
}

// plan returns how the database reads a part of a query.
func plan(t *testing.T, db *gorm.DB, part list.Query) string {
	t.Helper()
	var rows []row
	dry := part.Apply(db.Session(&gorm.Session{DryRun: true}).Where("owner = ?", 1)).Find(&rows).Statement
	explain := "EXPLAIN "
	if db.Name() != "postgres" {
		explain = "EXPLAIN QUERY PLAN "
	}
	found, err := db.ConnPool.QueryContext(t.Context(), explain+dry.SQL.String(), dry.Vars...)
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	names, err := found.Columns()
	require.NoError(t, err)
	var text strings.Builder
	for found.Next() {
		var line string
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		cells[len(cells)-1] = &line
		require.NoError(t, found.Scan(cells...))
		text.WriteString(line + "\n")
	}
	require.NoError(t, found.Err())

	return text.String()
}

func TestApply_OneSortKeyIsReadFromItsIndex(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 5000)
		// A few rows are as well sorted; what counts is that the index can give their order.
		if db.Name() == "postgres" {
			require.NoError(t, db.Exec("SET enable_bitmapscan = off").Error)
		}
		for _, statement := range []string{
			"CREATE INDEX things_qty ON things (owner, qty, id)",
			"CREATE INDEX things_price ON things (owner, price, id) WHERE price IS NOT NULL",
			"CREATE INDEX things_code ON things (owner, code, id)",
			"ANALYZE",
		} {
			require.NoError(t, db.Exec(statement).Error)
		}
		for _, sort := range []string{"qty", "-qty", "price", "-price", "code", "-code"} {
			first := find(t, db, url.Values{"sort": {sort}})
			second := find(t, db, url.Values{"sort": {sort}, "cursor": {*first.Meta.NextCursor}})
			for _, cursor := range []*string{new(string), first.Meta.NextCursor, second.Meta.PrevCursor} {
				part := parse(t, db, url.Values{"sort": {sort}, "cursor": {*cursor}}).Parts()[0]
				requireFromIndex(t, plan(t, db, part), "things_"+strings.TrimPrefix(sort, "-"), *cursor != "")
			}
		}
		starts := plan(t, db, parse(t, db, url.Values{"sort": {"code"}, "filter[code][starts]": {"c49"}}))
		require.Regexp(t, `code (COLLATE "C" )?>=? ?.*code (COLLATE "C" )?<|code>\? AND code<\?`, starts)
	})
}

// requireFromIndex wants the rows in the order of the index, and with a cursor, from it on.
func requireFromIndex(t *testing.T, plan, index string, ranged bool) {
	t.Helper()
	require.Contains(t, plan, index)
	require.NotContains(t, plan, "Sort", plan)
	require.NotContains(t, plan, "TEMP B-TREE", plan)
	if ranged {
		require.Regexp(t, `Index Cond: .*ROW\(.*id\)|\(owner=\? AND (price>\? AND )?\(\w+,id\)[<>]\(\?,\?\)\)`, plan)
	}
}

func TestApply_MixedDirectionsBoundTheFirstKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 5000)
		require.NoError(t, db.Exec("CREATE INDEX things_qty ON things (owner, qty, code)").Error)
		require.NoError(t, db.Exec("ANALYZE").Error)
		query := url.Values{"sort": {"-qty,code"}}
		query.Set("cursor", *find(t, db, query).Meta.NextCursor)
		require.Regexp(t, `Index Cond: .*qty <= |owner=\? AND qty<\?`, plan(t, db, parse(t, db, query)))
	})
}
