package database_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// It counts goroutines, so it is not parallel.
func TestStop_LeavesNoGoroutineAndStartsAgain(t *testing.T) { //nolint:paralleltest // see above
	databasetest.Sequential(t, func(t *testing.T, url string) {
		before := goleak.IgnoreCurrent()
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		for range 2 {
			require.ErrorIs(t, db.Ping(t.Context()), database.ErrUnavailable)
			require.ErrorIs(t, db.InTx(t.Context(), func(context.Context) error { return nil }), database.ErrUnavailable)
			require.ErrorIs(t, db.Savepoint(t.Context(), func(context.Context) error { return nil }), database.ErrUnavailable)
			for _, handle := range []*gorm.DB{db.Conn(t.Context()), db.Dynamic(t.Context()), db.Raw(t.Context(), "test")} {
				require.ErrorIs(t, handle.Find(&[]setting{}).Error, database.ErrUnavailable)
				require.ErrorIs(t, handle.Exec("SELECT 1").Error, database.ErrUnavailable)
			}
			require.Nil(t, db.SQL())
			require.NoError(t, db.Start(t.Context()))
			require.Error(t, db.Start(t.Context()))
			require.NoError(t, db.Ping(t.Context()))
			require.NoError(t, db.InTx(t.Context(), func(context.Context) error { return nil }))
			require.NoError(t, db.Stop(t.Context()))
			require.NoError(t, db.Stop(t.Context()))
		}
		goleak.VerifyNone(t, before)
	})
}

func TestStop_WaitsForTransactionsInFlight(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Start(t.Context()))
		inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			done <- db.InTx(t.Context(), func(context.Context) error {
				close(inside)
				<-leave

				return nil
			})
		}()
		<-inside
		stopped := make(chan error, 1)
		go func() { stopped <- db.Stop(t.Context()) }()
		require.Never(t, func() bool { return len(stopped) > 0 }, 50*time.Millisecond, 10*time.Millisecond)
		close(leave)
		require.NoError(t, <-done)
		require.NoError(t, <-stopped)
	})
}

func TestStop_WaitsForWritersAndStartWorksAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		errors := make([]error, 32)
		for i := range errors {
			work.Go(func() {
				errors[i] = f.InTx(f.ctx, func(ctx context.Context) error {
					return f.create(ctx, fmt.Sprintf("L%02d", i))
				})
			})
		}
		require.NoError(t, f.Stop(t.Context()))
		work.Wait()
		require.ErrorIs(t, f.Ping(t.Context()), database.ErrUnavailable)
		require.Error(t, f.Conn(f.ctx).Find(&[]thing{}).Error)

		require.NoError(t, f.Start(t.Context()))
		stored := 0
		for _, err := range errors {
			if err == nil {
				stored++
			} else {
				require.ErrorIs(t, err, database.ErrUnavailable)
			}
		}
		require.Len(t, f.names(t), stored)
	})
}

func TestStart_MakesTheDataFolderForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b%", "data")
	db, err := database.New(database.Defaults(), dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoDirExists(t, dir)
	require.NoError(t, db.Start(t.Context()))
	require.NoError(t, db.Stop(t.Context()))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.FileExists(t, filepath.Join(dir, "dispatchd.db"))
}

func TestSQLite_IsDurableAndReadersCannotWrite(t *testing.T) {
	t.Parallel()
	f := setUp(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "cache_size": "-8000",
	} {
		var got string
		require.NoError(t, f.SQL().QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		require.Equal(t, want, got, pragma)
	}
	var pages int
	require.NoError(t, f.SQL().QueryRowContext(t.Context(), "PRAGMA cache_spill").Scan(&pages))
	require.Greater(t, pages, 7000, "what a transaction changes stays in memory beyond the cache")
	err := f.Raw(f.ctx, "test").Raw("/* hidden */ DELETE FROM things RETURNING id").Scan(&[]string{}).Error
	require.ErrorContains(t, err, "readonly")
}

func TestLog_ShowsNoValues(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		var out strings.Builder
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		db, err := database.New(settings, "", log)
		require.NoError(t, err)
		db.LogFrom(time.Nanosecond)
		require.NoError(t, db.Start(t.Context()))
		for _, statement := range tables(db.Dialect()) {
			_, err := db.SQL().ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		f := fixture{DB: db, ctx: companyScope(t.Context())}
		f.add(t, f.ctx, "top secret")
		require.NoError(t, db.Conn(database.AcrossCompanies(t.Context(), "the reason")).First(&thing{}, "name = ?", "top secret").Error)
		var names []string
		require.NoError(t, db.Raw(f.ctx, "test").Raw("SELECT name FROM things WHERE name = ? /* scanned */", "top secret").Scan(&names).Error)
		require.NoError(t, db.Stop(t.Context()))
		require.Contains(t, out.String(), "INSERT INTO")
		require.Contains(t, out.String(), "scanned")
		require.Contains(t, out.String(), "the reason")
		require.NotContains(t, out.String(), "top secret")
	})
}

func TestSettings_NameWhatIsWrongWithoutThePassword(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"mysql://u:hunter2@h/d":              "want postgres://",
		"sqlite:":                            "want sqlite:/path",
		"postgres://u:hunter2@h:notaport/d":  "not a PostgreSQL URL",
		"postgres://u:hunter2@h/d?sslmode=x": "not a PostgreSQL URL",
	} {
		err := database.Settings{URL: config.Secret(url)}.Validate()
		require.ErrorContains(t, err, want, url)
		require.NotContains(t, err.Error(), "hunter2")
	}
	require.Error(t, database.Settings{MaxConnections: -1}.Validate())
	require.NoError(t, database.Defaults().Validate())
	require.NoError(t, database.Settings{URL: "file:/run/secrets/url"}.Validate())
}
