package app

import (
	"context"
	"log/slog"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
)

// MigrateUp brings the tables of the platform, of the given areas and of River up to date.
func MigrateUp(ctx context.Context, db *database.DB, areas []module.Module, log *slog.Logger) error {
	sources, err := migrate.Sources(migrations.FS, areas)
	if err != nil {
		return err
	}

	if err := migrate.Up(ctx, db, sources, log); err != nil {
		return err
	}

	return jobs.MigrateUp(ctx, db, log)
}
