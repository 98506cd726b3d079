package database_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// stopped returns a database in a file of the folder, not started.
func stopped(t *testing.T, dir string) *database.DB {
	t.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret("sqlite:" + filepath.Join(dir, "x.db"))
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	return db
}

// with starts the database for the time of work.
func with(t *testing.T, db *database.DB, work func()) {
	t.Helper()
	require.NoError(t, db.Start(t.Context()))
	work()
	require.NoError(t, db.Stop(t.Context()))
}

func execute(t *testing.T, db *database.DB, statement string) {
	t.Helper()
	_, err := db.SQL().ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

func numbers(ctx context.Context, t *testing.T, db *database.DB) (sum int) {
	t.Helper()
	require.NoError(t, db.SQL().QueryRowContext(ctx, "SELECT sum(n) FROM numbers").Scan(&sum))

	return sum
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := make([]string, 0, len(entries))
	for _, entry := range entries {
		all = append(all, entry.Name())
	}

	return strings.Join(all, " ")
}

func anything(context.Context, *database.DB) error { return nil }

// backedUp makes a database with the number 1 in it and a backup of that; then adds 2.
func backedUp(t *testing.T) (db *database.DB, dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(t.TempDir(), "backup.db")
	db = stopped(t, dir)
	with(t, db, func() {
		execute(t, db, "CREATE TABLE numbers (n integer)")
		execute(t, db, "INSERT INTO numbers VALUES (1)")
		require.NoError(t, db.Backup(t.Context(), file, false))
		execute(t, db, "INSERT INTO numbers VALUES (2)")
	})

	return db, dir, file
}

func TestBackup_IsOneFileForItsOwnerAloneAndReplacesNoneUnasked(t *testing.T) {
	t.Parallel()
	db, _, file := backedUp(t)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	with(t, db, func() {
		require.ErrorIs(t, db.Backup(t.Context(), file, false), fs.ErrExist)
		require.NoError(t, db.Backup(t.Context(), file, true))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.Error(t, db.Backup(ctx, filepath.Join(filepath.Dir(file), "other.db"), false))
	})
	require.Equal(t, "backup.db", names(t, filepath.Dir(file)))
}

func TestRestore_BringsBackWhatTheBackupHasAndKeepsWhatItReplaces(t *testing.T) {
	t.Parallel()
	db, dir, file := backedUp(t)
	_, err := db.Restore(t.Context(), file, false, anything)
	require.ErrorIs(t, err, fs.ErrExist)
	kept, err := db.Restore(t.Context(), file, true, func(ctx context.Context, restored *database.DB) error {
		require.Equal(t, 1, numbers(ctx, t, restored))

		return nil
	})
	require.NoError(t, err)
	with(t, db, func() { require.Equal(t, 1, numbers(t.Context(), t, db)) })
	require.Equal(t, strings.Join([]string{"x.db", "x.db.lock", filepath.Base(kept)}, " "), names(t, dir))

	elsewhere := stopped(t, filepath.Join(dir, "new"))
	none, err := elsewhere.Restore(t.Context(), kept, false, anything)
	require.NoError(t, err)
	require.Empty(t, none)
	with(t, elsewhere, func() { require.Equal(t, 3, numbers(t.Context(), t, elsewhere)) })
}

func TestRestore_ReplacesADatabaseThatCannotBeReadAnyMore(t *testing.T) {
	t.Parallel()
	db, dir, file := backedUp(t)
	for name, text := range map[string]string{"x.db": "nonsense", "x.db-wal": "of another file"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	kept, err := db.Restore(t.Context(), file, true, anything)
	require.NoError(t, err)
	with(t, db, func() { require.Equal(t, 1, numbers(t.Context(), t, db)) })
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "nonsense", string(text))
}

func TestRestore_ThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	db, dir, file := backedUp(t)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	require.NoError(t, os.WriteFile(damaged, text[:len(text)/2], 0o600))
	before := names(t, dir)

	_, err = db.Restore(t.Context(), damaged, true, anything)
	require.Error(t, err)
	_, err = db.Restore(t.Context(), filepath.Join(dir, "none.db"), true, anything)
	require.ErrorIs(t, err, fs.ErrNotExist)
	wrong := errors.New("of another service")
	_, err = db.Restore(t.Context(), file, true, func(context.Context, *database.DB) error { return wrong })
	require.ErrorIs(t, err, wrong)
	other := stopped(t, dir)
	with(t, other, func() {
		_, err = db.Restore(t.Context(), file, true, anything)
		require.ErrorIs(t, err, database.ErrInUse)
		_, err = db.Restore(t.Context(), filepath.Join(dir, "x.db"), true, anything)
		require.ErrorContains(t, err, "is not a backup")
	})
	require.Equal(t, before, names(t, dir))
	with(t, db, func() { require.Equal(t, 3, numbers(t.Context(), t, db)) })
}
