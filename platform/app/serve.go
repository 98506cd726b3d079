package app

import (
	"context"
	"path/filepath"
	"slices"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
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

// Serving starts what the process is for: running jobs, and, last, the HTTP server, which stops first.
func Serving() fx.Option {
	return fx.Options(fx.Invoke(startTelemetry, startTrail, startInbox, startLinks), fx.Invoke(func(
		lc fx.Lifecycle, cfg *config.Config, db *database.DB, store storage, files *blob.Store, bus *broadcast.Bus, who *identity.Service, queue *jobs.Queue, api *web.API,
	) {
		var checked func(context.Context) error
		lc.Append(fx.StartStopHook(func(ctx context.Context) { checked = store.check(ctx) }, db.StopChecks))
		roles := config.Get[Settings](cfg, "").Roles
		lc.Append(fx.StartStopHook(bus.Start, bus.Stop))
		lc.Append(fx.StartStopHook(who.Start, who.Stop))
		if slices.Contains(roles, Worker) {
			lc.Append(fx.StartStopHook(queue.Start, queue.Stop))
		}
		lc.Append(fx.StartHook(func(ctx context.Context) error { return checked(ctx) }))
		if slices.Contains(roles, API) {
			api.AddReadyCheck(web.ReadyCheck{Name: "database", Check: db.Ready}, web.ReadyCheck{Name: "files", Check: files.Ready})
			lc.Append(fx.StartStopHook(api.Start, api.Stop))
		}
	}))
}

// startInbox writes down which notifications are refused, until nothing is received any more.
func startInbox(lc fx.Lifecycle, inbox *inbound.Inbox) {
	lc.Append(fx.StartStopHook(inbox.Start, inbox.Stop))
}

// startLinks records when links are entered.
func startLinks(lc fx.Lifecycle, links *link.Service) {
	lc.Append(fx.StartStopHook(links.Start, links.Stop))
}

// startTrail seals the audit trail, until all that writes has stopped.
func startTrail(lc fx.Lifecycle, trail *audit.Log) {
	lc.Append(fx.StartStopHook(trail.Start, trail.Stop))
}
