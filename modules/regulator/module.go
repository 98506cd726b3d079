// Package regulator has what the regulator of US carriers (FMCSA) publishes about a carrier: who a USDOT number is, what it may do, what
// insurance is on file, and what all that was before.
//
// Its data belong to no company. It was a part of the carriers area, whose names it keeps: its tables are carriers_regulator_*, its settings
// are under modules.carriers, its operations under /carriers/api/v1.
//
//	internal/feed      imports and fetches the regulator's public files
//	internal/registry  answers from them, from the live sources, or from the sandbox
package regulator

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/internal/registry"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the regulator area.
var Module = module.New(regulatorapi.Area, "FMCSA data: census, authorities, insurance and their history",
	config.Section(defaults()),
	fx.Provide(registrySettings, registry.NewRefreshes, registry.New, fx.Private),
	fx.Provide(fetchSettings, feed.NewRepository, feed.NewImporter, feed.NewFetcher, fx.Private),
	fx.Provide(newLookups, newCommand, fx.Private),
	port.Provides[regulatorapi.Registry, *registry.Registry](regulatorapi.Area),
	web.Routes(lookupRoutes),
	jobs.On((*registry.Registry).Refresh, jobs.Outside()),
	jobs.On((*feed.Fetcher).Run, jobs.Outside()),
	jobs.Every(time.Hour, feed.FetchArgs{}),
	cli.Command("regulator", "The regulator's data: import --set=SET FILE|- reads a file, fetch reads the daily differences, status lists the sets",
		(*command).run,
		cli.Flag{Name: "set", Usage: "which set the file has"},
		cli.Flag{Name: "date", Usage: "of which day the set is (YYYY-MM-DD); the day of the file's last change without it"},
		cli.Flag{Name: "errors", Usage: "file for the rows that cannot be read; FILE.errors.csv without it"},
		cli.Flag{Name: "shrink", Usage: "accept a file with less than half of the rows that the set had", Switch: true}),
).NamesOf("carriers")
