package migrate

import (
	"context"
	"log/slog"

	"github.com/dispatchd/dispatchd/platform/database"
)

// RunLocked does the work while no other process migrates the database: for the tables of a library
// that brings its own migrations. It waits as Up does, and must not be called within Up.
func RunLocked(ctx context.Context, db *database.DB, log *slog.Logger, work func() error) error {
	return runLocked(ctx, db, lockWait, log, work)
}
