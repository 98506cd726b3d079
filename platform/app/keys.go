package app

import (
	"context"
	"path/filepath"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// newKeys makes the keys of this deployment. On SQLite the data folder keeps the master key beside
// the data; on PostgreSQL there may be several processes, so they must be told it.
func newKeys(cfg *config.Config, db *database.DB) *secret.Keys {
	file := ""
	if db.Dialect() == database.SQLite {
		file = filepath.Join(DataDir(cfg), secret.FileName)
	}

	return secret.New(config.Get[secret.Settings](cfg, "secret"), file)
}

// startKeys reads the master key before anything else, so that a missing one leaves nothing behind.
func startKeys(lc fx.Lifecycle, keys *secret.Keys) {
	lc.Append(fx.StartHook(keys.Start))
}

// recogniseKeys makes sure that the master key is that of the database, once its tables are there.
func recogniseKeys(lc fx.Lifecycle, keys *secret.Keys, db *database.DB) {
	lc.Append(fx.StartHook(func(ctx context.Context) error { return keys.Recognise(ctx, db) }))
}
