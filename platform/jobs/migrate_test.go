package jobs_test

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// TestMigrateUp_KeepsTheJobsOfAnEarlierRiver begins with version 6 of River's tables, whose documents are text on SQLite.
func TestMigrateUp_KeepsTheJobsOfAnEarlierRiver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, db.Start(t.Context()))
		var driver riverdriver.Driver[*sql.Tx] = riversqlite.New(db.SQL())
		if db.Dialect() == database.Postgres {
			driver = riverdatabasesql.New(db.SQL())
		}
		migrator, err := rivermigrate.New(driver, nil)
		require.NoError(t, err)
		_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: 6})
		require.NoError(t, err)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Raw(ctx, "test").Exec(`INSERT INTO river_job (args, kind, max_attempts, metadata) VALUES ('{"args": {"to": "old"}}', 'test.hello', 3, '{}')`).Error
		}))
		require.NoError(t, db.Stop(t.Context()))

		b := newBench(t, url, quick())
		b.start(t)
		require.Equal(t, "old", b.next(t).to)
	})
}
