// Package app builds the service: configuration and modules in, one fx.App out.
//
// The order is fixed and visible in New: read the manifests, select the enabled areas, check their
// needs, and only then build the graph. See docs/adr/0001 and 0002.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/collection/live"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/remark"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	companysettings "github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// startTimeout bounds opening the database and bringing its tables up to date, stopTimeout what
// comes on top of web.drain_delay and web.shutdown_grace.
const (
	startTimeout = 5 * time.Minute
	stopTimeout  = 15 * time.Second
)

// App is a built service. Start and Stop come from fx: Start opens the database, brings its tables
// up to date and then starts what the options asked for, Stop undoes it in reverse.
type App struct {
	*fx.App

	// Areas are the enabled areas, ordered by id.
	Areas []module.Module
	// API, Commands, DB and Identity are the parts that most callers talk to; fx.Populate, as an option of New, gets others.
	API      *web.API
	Commands *Commands
	DB       *database.DB
	Identity *identity.Service
	// Resources are those of the enabled areas.
	Resources *resource.Engine

	keys *secret.Keys
}

// CheckKeys reports what Start would refuse of the master keys. It opens nothing, and makes no key where there is none.
func (a *App) CheckKeys() error { return a.keys.Check() }

// New builds the service of the enabled modules. It runs every constructor and fills every
// registry, and does no I/O but reading mounted secrets. Further options come last: Serving,
// Seeding, parts that the caller asks for (fx.Populate), or replacements in tests (fx.Replace, fx.Decorate).
func New(cfg *config.Config, modules []module.Module, options ...fx.Option) (*App, error) {
	areas, err := module.Select(modules, cfg.Enabled)
	if err != nil {
		return nil, err
	}
	if err := cfg.ResolveSecrets(); err != nil {
		return nil, err
	}

	a := &App{Areas: areas}
	all := []fx.Option{
		platformOptions(cfg),
		fx.Supply(areaList(areas), newOffAreas(modules, areas), newFeatureAreas(cfg, modules, areas)),
		fx.Invoke(warnOfUnread, startKeys, startStorage, startFiles, recogniseKeys, openJobs, followEvents),
	}
	for _, area := range areas {
		all = append(all, area.Options())
	}
	all = append(all, fx.Invoke(limit.Declare, remark.Declare, module.Fill, checkBuses, useFeatures, useCalendar, keepAnswers, rotateKeys, sweepEnded, knowScopes, startResources, verifyLedgers),
		fx.Populate(&a.API, &a.Commands, &a.DB, &a.Identity, &a.Resources, &a.keys))
	a.App = fx.New(append(all, options...)...)

	if err := a.Err(); err != nil {
		return nil, fmt.Errorf("building the service: %w", explainBuild(err))
	}

	return a, nil
}

// areaList is the enabled areas as the graph carries them.
type areaList []module.Module

// platformOptions is what every area stands on.
func platformOptions(cfg *config.Config) fx.Option {
	settings := config.Get[web.Settings](cfg, "web")
	work := config.Get[jobs.Settings](cfg, "jobs")

	return fx.Options(
		fx.Supply(cfg, settings, work),
		fx.Provide(
			func() logOutput { return logOutput{os.Stderr} },
			newLogger,
			newCommands,
			func() clock.Clock { return clock.System{} },
			newDatabase,
			newStorage,
			newKeys,
			secret.NewRotation, secret.NewReencryption,
			broadcast.New,
			newRoles,
			newLinks,
			onetimecode.New,
			newNotifications,
			share.New,
			remark.New,
			companysettings.New,
			newFiles,
			newOutside,
			dashboard.New,
			fx.Annotate(identity.New, fx.As(fx.Self()), fx.As(new(web.Authenticator))),
			newAbout,
			web.New,
			outsider.New,
			demo.NewPlan,
			jobs.New,
			newEvents,
			hook.New,
			newAudit,
			state.NewLog,
			feature.New,
			newKeeper,
			newItems,
			newCollections,
			newImporter, newBulkRequests,
			views.New,
			exchange.NewExporter,
			live.NewHub,
			newCalendar,
			newResources,
			newTimelines,
			newSummaries,
			newDetails,
			newDocuments, document.NewPrinter, document.NewShelf,
			newPorts,
			newNumbers,
			newPapers,
			limit.NewMeter,
			newLedger,
			newInbox,
		),
		observability(),
		fx.WithLogger(func(log *slog.Logger) fxevent.Logger { return telemetry.FxLogger(log) }),
		fx.StartTimeout(startTimeout),
		fx.StopTimeout(settings.DrainDelay+settings.ShutdownGrace+work.StopTimeout()+stopTimeout),
	)
}

// logOutput is where the log goes.
type logOutput struct{ io.Writer }

// LogTo is an option of New: the log goes to w instead of standard error.
func LogTo(w io.Writer) fx.Option {
	return fx.Decorate(func(logOutput) logOutput { return logOutput{w} })
}

func newLogger(cfg *config.Config, out logOutput) *slog.Logger {
	return telemetry.NewLogger(config.Get[telemetry.Settings](cfg, "log"), out.Writer)
}

// warnOfUnread says which variables of the environment set nothing.
func warnOfUnread(cfg *config.Config, log *slog.Logger) {
	for _, v := range cfg.Unread() {
		log.LogAttrs(context.Background(), slog.LevelWarn, "an environment variable has no effect: it matches no key",
			slog.String("variable", v.Name), slog.String("nearest", v.Nearest))
	}
}

func newDatabase(cfg *config.Config, log *slog.Logger) (*database.DB, error) {
	return database.New(config.Get[database.Settings](cfg, "database"), DataDir(cfg), log)
}

// newLinks are links that are void while their company is suspended, or does not use their area.
func newLinks(db *database.DB, c clock.Clock, who *identity.Service, sets *feature.Sets, log *slog.Logger) *link.Service {
	links := link.New(db, c, log)
	links.OnlyFor(func(ctx context.Context, company uuid.UUID, area string) (bool, error) {
		active, err := who.Active(ctx, company)
		if err != nil || !active {
			return false, err
		}

		return sets.Allows(ctx, company, area)
	})

	return links
}

func newFiles(cfg *config.Config) (*blob.Store, error) {
	return blob.New(config.Get[blob.Settings](cfg, "blob"), DataDir(cfg))
}

// startFiles opens the store of files.
func startFiles(lc fx.Lifecycle, files *blob.Store) {
	lc.Append(fx.StartStopHook(files.Start, files.Stop))
}

func newAudit(cfg *config.Config, db *database.DB, c clock.Clock, keys *secret.Keys, log *slog.Logger) *audit.Log {
	return audit.New(db, c, config.Get[audit.Settings](cfg, "audit"), keys, log)
}

func newKeeper(cfg *config.Config, db *database.DB, keys *secret.Keys, c clock.Clock) *idempotency.Keeper {
	return idempotency.New(config.Get[idempotency.Settings](cfg, "idempotency"), db, keys, c)
}

// keepAnswers has the API keep answers for repeated requests, and the queue delete what expired.
func keepAnswers(api *web.API, keeper *idempotency.Keeper, queue *jobs.Queue) error {
	api.KeepAnswers(keeper)

	return keeper.Schedule(queue)
}

// sweepEnded has the queue delete tokens, links and codes that have ended long ago.
func sweepEnded(who *identity.Service, links *link.Service, codes *onetimecode.Service, queue *jobs.Queue) error {
	return errors.Join(who.Schedule(queue), links.Schedule(queue), codes.Schedule(queue))
}

// newNotifications sends by the channels of areas that the company uses.
func newPapers(cfg *config.Config) *paper.Printer {
	return paper.New(config.Get[paper.Settings](cfg, "papers").Fonts...)
}

func newNotifications(sets *feature.Sets) *notify.Service { return notify.New(sets) }

func newInbox(
	cfg *config.Config, db *database.DB, files *blob.Store, queue *jobs.Queue, api *web.API, c clock.Clock, log *slog.Logger,
) (*inbound.Inbox, error) {
	return inbound.New(config.Get[inbound.Settings](cfg, "inbound"), config.Get[web.Settings](cfg, "web"), db, files, queue, api, c, log)
}

func newEvents(cfg *config.Config, db *database.DB, queue *jobs.Queue, c clock.Clock, log *slog.Logger) (*events.Bus, error) {
	return events.New(config.Get[events.Settings](cfg, "events"), db, queue, c, log)
}

// newAbout is what the service says of itself at "/".
func newAbout(areas areaList) web.About {
	about := web.About{Name: "dispatchd", Version: Version()}
	for _, area := range areas {
		about.Areas = append(about.Areas, web.AboutArea{ID: area.ID(), Title: area.Title()})
	}

	return about
}

// startStorage opens the database and brings its tables up to date before anything else starts.
func startStorage(lc fx.Lifecycle, store storage, db *database.DB, cfg *config.Config, areas areaList, log *slog.Logger) {
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			if err := store.open(ctx); err != nil {
				return err
			}
			if !config.Get[database.Settings](cfg, "database").Migrate {
				return nil
			}

			return MigrateUp(ctx, db, areas, log)
		},
		OnStop: db.Stop,
	})
}
