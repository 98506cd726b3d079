package database_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

type remark string

func TestBeforeCommit_RunsOnceAtTheEndOfATransactionThatWroteOrHasNotes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		db := f.DB
		var seen [][]remark
		fail := error(nil)
		db.BeforeCommit(func(ctx context.Context) error {
			seen = append(seen, database.Notes[remark](ctx))

			return fail
		})
		run := func(fn func(context.Context) error) error {
			seen = nil

			return db.InTx(t.Context(), fn)
		}
		boom := errors.New("boom")
		note := func(ctx context.Context, text string) { require.NoError(t, db.Note(ctx, remark(text))) }

		require.Error(t, db.Note(t.Context(), remark("outside")))
		require.NoError(t, run(func(context.Context) error { return nil }))
		require.Empty(t, seen, "it wrote nothing")

		require.NoError(t, run(func(ctx context.Context) error {
			note(ctx, "a")
			require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { note(ctx, "joined"); return nil }))
			require.ErrorIs(t, db.Savepoint(ctx, func(ctx context.Context) error { note(ctx, "undone"); return boom }), boom)
			note(ctx, "b")

			return nil
		}))
		require.Equal(t, [][]remark{{"a", "joined", "b"}}, seen)

		require.ErrorIs(t, run(func(ctx context.Context) error { note(ctx, "a"); return boom }), boom)
		require.Empty(t, seen, "it fails anyway")
		require.ErrorIs(t, run(func(ctx context.Context) error {
			note(ctx, "a")
			_ = db.InTx(ctx, func(context.Context) error { return boom })

			return nil
		}), boom)
		require.Empty(t, seen, "it is doomed")

		fail = boom
		require.ErrorIs(t, run(func(ctx context.Context) error { note(ctx, "a"); return nil }), boom)
	})
}

func TestBeforeCommit_SeesWritesThatReturnRows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		db := f.DB
		ends := 0
		db.BeforeCommit(func(context.Context) error {
			ends++

			return nil
		})
		_, err := db.SQL().ExecContext(t.Context(), "CREATE TABLE notes (n integer)")
		require.NoError(t, err)
		statements := map[string]int{
			"INSERT INTO notes (n) VALUES (1) RETURNING n":              1,
			"update notes set n = n + 1 returning n":                    1,
			"SELECT n FROM notes":                                       0,
			"WITH all_of AS (SELECT n FROM notes) SELECT n FROM all_of": 0,
		}
		if db.Dialect() == database.Postgres { // SQLite knows no writes in WITH
			statements["WITH a AS (INSERT INTO notes (n) VALUES (1) RETURNING n) SELECT n FROM a"] = 1
			statements["with a as (delete from notes returning n) select count(*) from a"] = 1
			statements["WITH a AS (SELECT n FROM notes FOR UPDATE SKIP LOCKED) SELECT n FROM a"] = 0
			statements["SELECT n FROM notes FOR UPDATE"] = 0
		}
		for statement, want := range statements {
			ends = 0
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
				var n int

				return db.Raw(ctx, "test").Raw(statement).Scan(&n).Error
			}))
			require.Equal(t, want, ends, statement)
		}
	})
}
