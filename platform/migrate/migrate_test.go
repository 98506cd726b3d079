package migrate_test

import (
	"bytes"
	"database/sql"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// source is an area with one file per text, numbered from 1.
func source(area string, texts ...string) migrate.Source {
	files := fstest.MapFS{}
	for i, text := range texts {
		files["0000"+strconv.Itoa(i+1)+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
	}

	return migrate.Source{Area: area, FS: files}
}

// creating is a file that makes a table, and removes it on the way back.
func creating(table string) string {
	return "-- +goose Up\nCREATE TABLE " + table + " (id uuid NOT NULL PRIMARY KEY, at timestamptz DEFAULT now());\n" +
		"INSERT INTO " + table + " (id) VALUES ('0190d0c0-0000-7000-8000-000000000001');\n" +
		"-- +goose Down\nDROP TABLE " + table + ";\n"
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func count(t *testing.T, db *database.DB, table string) int {
	t.Helper()
	var n int
	require.NoError(t, db.SQL().QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))

	return n
}

func exists(t *testing.T, db *database.DB, table string) bool {
	t.Helper()
	query := `SELECT count(*) FROM sqlite_master WHERE name = '` + table + `'`
	if db.Dialect() == database.Postgres {
		query = `SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = '` + table + `'`
	}
	var n int
	require.NoError(t, db.SQL().QueryRowContext(t.Context(), query).Scan(&n))

	return n > 0
}

func TestUp_AppliesWhatIsPendingOnce(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		first := []migrate.Source{source("sms", creating("sms_a")), source("loads", creating("loads_a"))}
		require.NoError(t, migrate.Up(t.Context(), db, first, quiet()))
		require.NoError(t, migrate.Up(t.Context(), db, first, quiet()))
		require.Equal(t, 1, count(t, db, "sms_a"))

		more := []migrate.Source{source("sms", creating("sms_a"), creating("sms_b")), source("loads", creating("loads_a"))}
		require.NoError(t, migrate.Up(t.Context(), db, more, quiet()))
		require.Equal(t, 1, count(t, db, "sms_a"))
		require.Equal(t, 1, count(t, db, "sms_b"))
		require.Equal(t, 1, count(t, db, "loads_a"))
	})
}

func TestUp_ProcessesMayStartTogether(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		sources := []migrate.Source{
			source("platform", creating("identity_a")),
			source("sms", creating("sms_a"), creating("sms_b"), creating("sms_c")), source("loads", creating("loads_a")),
		}
		var running sync.WaitGroup
		results := make(chan error, 6)
		for range cap(results) {
			db := databasetest.Open(t, url)
			running.Go(func() { results <- migrate.Up(t.Context(), db, sources, quiet()) })
		}
		running.Wait()
		for range cap(results) {
			require.NoError(t, <-results)
		}
		db := databasetest.Open(t, url)
		for _, table := range []string{"identity_a", "sms_a", "sms_b", "sms_c", "loads_a"} {
			require.Equal(t, 1, count(t, db, table))
		}
	})
}

func TestUp_LeavesNothingOfAFileThatFails(t *testing.T) {
	t.Parallel()
	const broken = "-- +goose Up\nCREATE TABLE sms_b (a text);\nINSERT INTO sms_nowhere (a) VALUES (1);\n-- +goose Down\nDROP TABLE sms_b;\n"
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		err := migrate.Up(t.Context(), db, []migrate.Source{source("sms", creating("sms_a"), broken, creating("sms_c"))}, quiet())
		require.ErrorContains(t, err, `area "sms": 00002_step.sql: INSERT INTO sms_nowhere`)
		require.True(t, exists(t, db, "sms_a"))
		require.False(t, exists(t, db, "sms_b"))
		require.False(t, exists(t, db, "sms_c"))

		mended := []migrate.Source{source("sms", creating("sms_a"), creating("sms_b"), creating("sms_c"))}
		require.NoError(t, migrate.Up(t.Context(), db, mended, quiet()))
		require.True(t, exists(t, db, "sms_c"))
	})
}

func TestUp_RefusesTablesOfOtherAreas(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		err := migrate.Up(t.Context(), db, []migrate.Source{source("sms", creating("loads_a"))}, quiet())
		require.ErrorContains(t, err, `area "sms": 00001_step.sql: loads_a does not begin with sms_: CREATE TABLE loads_a`)
		require.False(t, exists(t, db, "loads_a"))
	})
}

func TestUp_NamesAVersionThatCameTooLate(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		file := func(table string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(creating(table))} }
		require.NoError(t, migrate.Up(t.Context(), db, []migrate.Source{
			{Area: "sms", FS: fstest.MapFS{"00001_a.sql": file("sms_a"), "00003_c.sql": file("sms_c")}},
		}, quiet()))
		err := migrate.Up(t.Context(), db, []migrate.Source{
			{Area: "sms", FS: fstest.MapFS{"00001_a.sql": file("sms_a"), "00002_b.sql": file("sms_b"), "00003_c.sql": file("sms_c")}},
		}, quiet())
		require.ErrorContains(t, err, `area "sms"`)
		require.ErrorContains(t, err, "version 2")
		require.False(t, exists(t, db, "sms_b"))
	})
}

func TestUp_LeavesTheVersionsOfANewerBinaryAlone(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		newer := []migrate.Source{source("sms", creating("sms_a"), creating("sms_b"))}
		older := []migrate.Source{source("sms", creating("sms_a"))}
		require.NoError(t, migrate.Up(t.Context(), db, newer, quiet()))

		var log bytes.Buffer
		require.NoError(t, migrate.Up(t.Context(), db, older, slog.New(slog.NewTextHandler(&log, nil))))
		require.Contains(t, log.String(), "newer version")
		require.True(t, exists(t, db, "sms_b"))

		list, err := migrate.Status(t.Context(), db, older)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Empty(t, list[1].Name)
		require.ErrorContains(t, migrate.Down(t.Context(), db, older, "sms", 1), "newer version")
	})
}

func TestUp_PassesOverFilesForTheOtherDatabase(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		sources := []migrate.Source{{Area: "sms", FS: fstest.MapFS{
			"00001_a.sql":          {Data: []byte(creating("sms_a"))},
			"00002_b.postgres.sql": {Data: []byte(creating("sms_postgres"))},
			"00002_b.sqlite.sql":   {Data: []byte("-- +goose Up\nCREATE TABLE sms_sqlite (a text) STRICT;\n-- +goose Down\nDROP TABLE sms_sqlite;\n")},
			"00003_c.sqlite.sql":   {Data: []byte("-- +goose Up\nPRAGMA user_version = 7;\n-- +goose Down\nPRAGMA user_version = 0;\n")},
			"00004_d.sql":          {Data: []byte(creating("sms_d"))},
		}}}
		require.NoError(t, migrate.Up(t.Context(), db, sources, quiet()))
		require.Equal(t, db.Dialect() == database.SQLite, exists(t, db, "sms_sqlite"))
		require.Equal(t, db.Dialect() == database.Postgres, exists(t, db, "sms_postgres"))
		require.NoError(t, migrate.Up(t.Context(), db, sources, quiet()))

		require.NoError(t, migrate.Down(t.Context(), db, sources, "sms", 9))
		for _, table := range []string{"sms_a", "sms_sqlite", "sms_postgres", "sms_d"} {
			require.False(t, exists(t, db, table))
		}
	})
}

func TestUp_StoresTheDefaultPresentAsTheServiceStoresTimes(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		require.NoError(t, migrate.Up(t.Context(), db, []migrate.Source{source("sms", creating("sms_a"))}, quiet()))
		var at time.Time
		require.NoError(t, db.SQL().QueryRowContext(t.Context(), `SELECT at FROM sms_a`).Scan(&at))
		require.WithinDuration(t, time.Now(), at, time.Minute) //nolint:forbidigo // the database's clock

		later := "SELECT at < $1 FROM sms_a"
		var less sql.NullBool
		require.NoError(t, db.SQL().QueryRowContext(t.Context(), later, at.Add(time.Microsecond)).Scan(&less))
		require.True(t, less.Bool, "comparable with a time that the service writes")
	})
}

func TestStatus_ChangesNothingAndTellsWhatIsPending(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		sources := []migrate.Source{source("sms", creating("sms_a"), creating("sms_b")), source("loads", creating("loads_a"))}
		list, err := migrate.Status(t.Context(), db, sources)
		require.NoError(t, err)
		require.Equal(t, []migrate.Applied{
			{Area: "loads", Version: 1, Name: "00001_step.sql"},
			{Area: "sms", Version: 1, Name: "00001_step.sql"},
			{Area: "sms", Version: 2, Name: "00002_step.sql"},
		}, list)
		require.False(t, exists(t, db, "goose_sms"))

		require.NoError(t, migrate.Up(t.Context(), db, sources, quiet()))
		require.NoError(t, migrate.Down(t.Context(), db, sources, "sms", 1))
		list, err = migrate.Status(t.Context(), db, sources)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), list[1].AppliedAt, time.Minute) //nolint:forbidigo // the database's clock
		require.True(t, list[2].AppliedAt.IsZero())
	})
}

func TestDown_TakesBackTheNewestOfOneArea(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		sources := []migrate.Source{
			source("sms", creating("sms_a"), creating("sms_b"), creating("sms_c")), source("loads", creating("loads_a")),
		}
		require.ErrorContains(t, migrate.Down(t.Context(), db, sources, "sms", 1), "no migration is applied")
		require.NoError(t, migrate.Up(t.Context(), db, sources, quiet()))
		require.NoError(t, migrate.Down(t.Context(), db, sources, "sms", 2))
		require.True(t, exists(t, db, "sms_a"))
		require.False(t, exists(t, db, "sms_b"))
		require.True(t, exists(t, db, "loads_a"))

		require.ErrorContains(t, migrate.Down(t.Context(), db, sources, "smss", 1), "loads, sms")
		require.ErrorContains(t, migrate.Down(t.Context(), db, sources, "sms", 0), "want 1 or more")
		require.NoError(t, migrate.Up(t.Context(), db, sources, quiet()))
		require.True(t, exists(t, db, "sms_c"))
	})
}
