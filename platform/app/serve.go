package app

import (
	"context"
	"path/filepath"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// TokenFile is the name, in the data folder, of the demo company's token.
const TokenFile = "token"

// Seeding adds, on start, the demo company to an empty database. It stands before Serving, so that
// the token is there before the service answers.
func Seeding() fx.Option {
	return fx.Invoke(func(lc fx.Lifecycle, plan *demo.Plan, who *identity.Service, cfg *config.Config) {
		lc.Append(fx.StartHook(func(ctx context.Context) error {
			return plan.Run(ctx, who, filepath.Join(DataDir(cfg), TokenFile))
		}))
	})
}

// Serving starts the HTTP server last and stops it first.
func Serving() fx.Option {
	return fx.Invoke(func(lc fx.Lifecycle, db *database.DB, who *identity.Service, api *web.API) {
		api.AddReadyCheck(web.ReadyCheck{Name: "database", Check: db.Ping})
		lc.Append(fx.StartStopHook(who.Start, who.Stop))
		lc.Append(fx.StartStopHook(api.Start, api.Stop))
	})
}
