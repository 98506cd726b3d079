package database_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// spoil writes nonsense over the first page of a table in the file.
func spoil(t *testing.T, db *database.DB, table string) {
	t.Helper()
	var page, size int64
	require.NoError(t, db.SQL().QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", table).Scan(&page))
	require.NoError(t, db.SQL().QueryRowContext(t.Context(), "PRAGMA page_size").Scan(&size))
	execute(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	file, err := os.OpenFile(db.File(), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\xff", int(size))), (page-1)*size)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestChecks_FindAFileThatIsDamagedAtTheStart(t *testing.T) {
	t.Parallel()
	db := stopped(t, t.TempDir())
	with(t, db, func() {
		checked := db.StartChecks(t.Context())
		require.NoError(t, checked(t.Context()))
		db.StopChecks()
		execute(t, db, "CREATE TABLE numbers (n integer)")
		spoil(t, db, "numbers")
	})
	err := db.Start(t.Context()) // which may meet it itself
	if err == nil {
		checked := db.StartChecks(t.Context())
		<-db.Damaged()
		err = checked(t.Context())
		db.StopChecks()
		require.ErrorIs(t, db.Ready(t.Context()), database.ErrDamaged)
		require.NoError(t, db.Stop(t.Context()))
	}
	require.ErrorIs(t, err, database.ErrDamaged)
	require.ErrorContains(t, err, "x.db")
}

func TestChecks_FindWhatAStatementMeets(t *testing.T) {
	t.Parallel()
	db := stopped(t, t.TempDir())
	with(t, db, func() {
		execute(t, db, "CREATE TABLE numbers (n integer)")
		execute(t, db, "CREATE TABLE unread (n integer)")
		db.StartChecks(t.Context())
		defer db.StopChecks()
		spoil(t, db, "unread")
		var n int
		err := db.Raw(t.Context(), "test").Raw("SELECT count(*) FROM unread").Scan(&n).Error
		require.ErrorIs(t, database.Translate(err), database.ErrUnavailable)
		select {
		case <-db.Damaged():
		case <-time.After(time.Minute):
			require.Fail(t, "the damage was not found")
		}
	})
}

func TestReady_TriesAWrite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.Error(t, f.Ready(t.Context()), "before there are tables")
		write := func(statement string) {
			require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error { return f.Raw(ctx, "test").Exec(statement).Error }))
		}
		write("CREATE TABLE database_probes (id integer PRIMARY KEY, probed_at timestamp NOT NULL)")
		for range 3 {
			require.NoError(t, f.Ready(t.Context()))
		}
		write("DROP TABLE database_probes")
		require.NoError(t, f.Ready(t.Context()), "it did a moment ago")
		require.Eventually(t, func() bool { return f.Ready(t.Context()) != nil }, time.Minute, 100*time.Millisecond)
	})
}

func TestPostgres_ThatTakesNoWritesIsUnavailableAndNotReady(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		conn, err := f.Connect(t.Context(), map[string]string{"default_transaction_read_only": "off"})
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), "CREATE TABLE database_probes (id integer PRIMARY KEY, probed_at timestamp NOT NULL)")
		require.NoError(t, err)
		alter := func(readOnly string) { // which sessions take up as they begin
			_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = "+readOnly+"', current_database()); END $$")
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			require.NoError(t, err)
		}
		add := func() error {
			return database.Translate(f.InTx(f.ctx, func(ctx context.Context) error { return f.create(ctx, uuid.NewString()) }))
		}
		alter("on")
		require.Eventually(t, func() bool {
			err := add()

			return errors.Is(err, database.ErrUnavailable) && strings.Contains(err.Error(), "25006")
		}, time.Minute, 10*time.Millisecond)
		require.ErrorIs(t, f.Ready(t.Context()), database.ErrUnavailable)
		alter("off")
		require.Eventually(t, func() bool { return add() == nil && f.Ready(t.Context()) == nil }, time.Minute, 10*time.Millisecond)
		require.NoError(t, conn.Close(t.Context()))
	})
}

func TestTranslate_AFileThatTakesNoWritesIsUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	with(t, stopped(t, dir), func() {})
	settings := database.Defaults()
	settings.URL = config.Secret("sqlite:file:" + filepath.Join(dir, "x.db") + "?mode=ro")
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	with(t, db, func() {
		err := db.InTx(t.Context(), func(ctx context.Context) error { return db.Raw(ctx, "test").Exec("CREATE TABLE a (n integer)").Error })
		require.ErrorIs(t, database.Translate(err), database.ErrUnavailable)
	})
}

func TestStart_MakesFilesThatOnlyTheirOwnerReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	with(t, stopped(t, dir), func() {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.NotEmpty(t, entries)
		for _, entry := range entries {
			info, err := entry.Info()
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode(), entry.Name())
		}
	})
}
