package app

import (
	"context"
	"errors"
	"path/filepath"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// newKeys makes the keys of this deployment. On SQLite the data folder keeps the master key beside
// the data; on PostgreSQL there may be several processes, so they must be told it.
func newKeys(cfg *config.Config, db *database.DB, c clock.Clock) *secret.Keys {
	file := ""
	if db.Dialect() == database.SQLite {
		file = filepath.Join(DataDir(cfg), secret.FileName)
	}

	keys := secret.New(config.Get[secret.Settings](cfg, "secret"), file)
	keys.UseClock(c)

	return keys
}

// startKeys reads the master key before anything else, so that a missing one leaves nothing behind.
func startKeys(lc fx.Lifecycle, keys *secret.Keys) {
	lc.Append(fx.StartHook(keys.Start))
}

// recogniseKeys makes sure that the master key is that of the database, once its tables are there, and
// reads the data keys.
func recogniseKeys(lc fx.Lifecycle, keys *secret.Keys, rotation *secret.Rotation, db *database.DB) {
	lc.Append(fx.StartHook(func(ctx context.Context) error {
		if err := keys.Recognise(ctx, db); err != nil {
			return err
		}

		return rotation.Start(ctx)
	}))
}

// rotateKeys has the queue seal old values again when the key changes, those of the platform as well.
func rotateKeys(rotation *secret.Rotation, again *secret.Reencryption, keeper *idempotency.Keeper, queue *jobs.Queue) error {
	return errors.Join(rotation.Join(), rotation.Declare(keeper.SealedIn()), again.Schedule(queue))
}
