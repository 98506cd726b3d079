package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// Tables is how often River has changed its tables so far: what copies them is of this number.
func Tables() (int, error) {
	migrator, err := rivermigrate.New(riversqlite.New(nil), nil)
	if err != nil {
		return 0, fmt.Errorf("tables of jobs: %w", err)
	}

	return len(migrator.AllVersions()), nil
}

// MigrateUp brings River's own tables (river_*) up to date, under the lock of the migrations.
// Versions that only a newer River has are left alone.
func MigrateUp(ctx context.Context, db *database.DB, log *slog.Logger) error {
	var driver riverdriver.Driver[*sql.Tx] = riversqlite.New(db.SQL())
	if db.Dialect() == database.Postgres {
		driver = riverdatabasesql.New(db.SQL())
	}
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: riverLogger(log, &atomic.Bool{})})
	if err != nil {
		return fmt.Errorf("tables of jobs: %w", err)
	}
	now, err := migrator.Validate(ctx, nil)
	if err != nil {
		return fmt.Errorf("tables of jobs: %w", database.Translate(err))
	}
	if now.OK {
		return nil
	}

	return migrate.RunLocked(ctx, db, log, func() error {
		result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		if err != nil {
			return fmt.Errorf("tables of jobs: %w", database.Translate(err))
		}
		for _, version := range result.Versions {
			log.InfoContext(ctx, "migration of jobs applied", slog.Int("version", version.Version), slog.String("name", version.Name))
		}

		return nil
	})
}
