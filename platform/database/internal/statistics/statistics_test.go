package statistics_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/dispatchd/dispatchd/platform/database/internal/statistics"
)

func TestKeep_AnalysesEachIndexOfTablesThatHaveGrown(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	do := func(statement string) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	grow := func(to int) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT (SELECT count(*) FROM "big one") + 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
			INSERT INTO "big one" SELECT i, i % 10, i FROM n`, to)
		require.NoError(t, err)
	}
	due := func() []string {
		t.Helper()
		stale, err := statistics.Stale(t.Context(), db)
		require.NoError(t, err)

		return stale
	}
	do(`CREATE TABLE "big one" (id integer PRIMARY KEY, a integer, b integer)`)
	do(`CREATE INDEX by_a ON "big one" (a, b)`)
	do(`CREATE INDEX by_b ON "big one" (b)`)
	do(`CREATE TABLE plain (n integer)`)
	do(`INSERT INTO plain VALUES (1)`)
	grow(1_000)

	require.ElementsMatch(t, []string{"by_a", "by_b", "plain"}, due())
	require.NoError(t, statistics.Keep(t.Context(), db))
	require.Empty(t, due())
	grow(1_100)
	require.Empty(t, due())

	var stat string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT stat FROM sqlite_stat1 WHERE idx = 'by_a'`).Scan(&stat))
	require.Equal(t, "1000 100 1 noskipscan", stat)

	grow(20_000)
	require.ElementsMatch(t, []string{"by_a", "by_b"}, due())

	do(`DROP INDEX by_a`)
	require.NoError(t, statistics.Run(t.Context(), db, "by_a"), "another process dropped it")
}
