package migrations_test

import (
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

func TestMigrations_GoUpDownAndUpAndLeaveTheSameSchemaOnBothDatabases(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	schemas := map[database.Dialect]schema{}
	t.Cleanup(func() {
		for _, s := range schemas { // each database searches texts in its own way
			maps.DeleteFunc(s, func(table string, _ []string) bool { return strings.Contains(table, "_search") })
		}
		if len(schemas) == 2 {
			require.Equal(t, schemas[database.Postgres], schemas[database.SQLite], "PostgreSQL above, SQLite below")
		}
	})
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db, log, sources := databasetest.Open(t, url), slog.New(slog.DiscardHandler), folders(t)

		require.NoError(t, migrate.Up(t.Context(), db, sources, log))
		first := readSchema(t, db)
		require.NotEmpty(t, first)
		downAll(t, db, sources)
		require.Empty(t, readSchema(t, db), "what is left after every migration was taken back")
		require.NoError(t, migrate.Up(t.Context(), db, sources, log))
		require.Equal(t, first, readSchema(t, db))

		mu.Lock()
		defer mu.Unlock()
		schemas[db.Dialect()] = first
	})
}

// folders returns the migrations of every folder, the platform's first.
func folders(t *testing.T) []migrate.Source {
	t.Helper()
	entries, err := fs.ReadDir(migrations.FS, ".")
	require.NoError(t, err)
	var sources []migrate.Source
	for _, entry := range entries {
		files, err := fs.Sub(migrations.FS, entry.Name())
		require.NoError(t, err)
		sources = append(sources, migrate.Source{Area: entry.Name(), FS: files})
	}

	return sources
}

// downAll takes everything back, area by area, the platform last.
func downAll(t *testing.T, db *database.DB, sources []migrate.Source) {
	t.Helper()
	applied, err := migrate.Status(t.Context(), db, sources)
	require.NoError(t, err)
	for _, last := range slices.Backward(applied) {
		require.NoError(t, migrate.Down(t.Context(), db, sources, last.Area, 1))
	}
}
