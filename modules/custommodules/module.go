// Package custommodules lets a company define modules of its own, with typed fields, and keep
// records in them.
//
// It owns the custom_modules_* tables and every operation under /custom_modules/api/v1. A record is
// a document beside typed columns ("slots") for its indexed fields, so modules and fields come and
// go without any change of the tables.
//
// This package has the routes, and what they are wired of. What they ask stands in packages, each of which knows those above
// it alone:
//
//	definition   modules and fields as they are kept, and as they are ready to read and write records
//	store        the tables, and definitions in memory
//	records      what becomes of records
//	modeling     what becomes of modules and fields
//	rollups      rollups and lookups that are stale
//	fieldchange  fields that change with the values that they have
//	packaging    packs
//	ownfields    fields that companies add to areas' resources
//	moves        references to items that are merged
//	verify       whether all of it agrees
package custommodules

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/moves"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/outside"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/ownfields"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packaging"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/rollups"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the custom_modules area.
var Module = module.New(custommodulesapi.Area, "Modules that a company defines, and their records",
	config.Section(definition.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	provideServices(),
	fx.Provide(newTyped, newImports, fx.Private),
	collection.Family((*records.Service).Collections),
	resource.KeepOwnFields((*ownfields.Service).OwnFields),
	resource.MovesReferences((*moves.Service).MoveItems),
	broadcast.On(ownfields.OwnModulesChanged, (*ownfields.OwnModules).Forget, (*ownfields.OwnModules).ForgetAll),
	web.RoutesUnder("collections", ownFieldRoutes),
	web.DeclareScope(definition.SensitiveAction, "See and set the values of sensitive fields"),
	web.Routes(moduleRoutes),
	web.Routes(recordRoutes),
	web.Routes(linkRoutes),
	web.Routes(groupRoutes),
	dashboard.Count("modules", "Modules", (*modeling.Service).CountModules),
	numbering.Family(definition.NumberFamily),
	item.Type(definition.RecordItem, "Record", (*records.Service).DescribeRecords, (*records.Service).RecordFields, (*records.Service).RecordValues),
	item.Hides((*records.Service).HiddenModules),
	web.Routes(historyRoutes),
	web.Routes(bulkRoutes),
	web.Routes(usageRoutes),
	web.Routes(definitionRoutes),
	web.Routes(exportRoutes),
	web.Routes(importRoutes),
	state.Life(exchange.Lifecycle(custommodulesapi.Area)),
	web.Routes(changeRoutes),
	web.Routes(fieldChangeRoutes),
	web.Routes(changeEventRoutes),
	web.Routes(typedRoutes),
	web.Routes(viewRoutes),
	web.Routes(moduleRecordRoutes),
	web.Routes(packRoutes),
	jobs.On((*modeling.Service).Build, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*records.Service).Forget, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*modeling.Service).Clear, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*fieldchange.Service).Plan, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*fieldchange.Service).ApplyRecords, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*fieldchange.Service).Release, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*rollups.Service).RollUpMarked, jobs.Timeout(modeling.BuildTime), jobs.Together()),
	jobs.On((*rollups.Service).RollBackRecords, jobs.Timeout(modeling.BuildTime)),
	jobs.On((*records.Service).PurgeDeleted, jobs.Timeout(modeling.BuildTime)),
	jobs.Every(records.PurgeEvery, records.Purge{}),
	events.Publishes(custommodulesapi.ModuleCreated{}),
	events.Publishes(custommodulesapi.ModuleUpdated{}),
	events.Publishes(custommodulesapi.ModuleDeleted{}),
	events.Publishes(custommodulesapi.ModuleRestored{}),
	events.Publishes(custommodulesapi.RecordCreated{}),
	events.Publishes(custommodulesapi.RecordUpdated{}),
	events.Publishes(custommodulesapi.RecordDeleted{}),
	events.Publishes(custommodulesapi.RecordRestored{}),
	events.Publishes(custommodulesapi.RecordsChanged{}),
	hook.Declares[custommodulesapi.RecordSaving](custommodulesapi.SavingHook),
	hook.Declares[custommodulesapi.RecordDeleting](custommodulesapi.DeletingHook),
	cli.Command("verify", "Check that records, their indexes, unique values, references and histories agree; fails if some do not",
		(*verify.Service).VerifyCommand, cli.Flag{Name: "company", Usage: "id of the company; all without it"},
		cli.Flag{Name: "repair", Usage: "repair record counts and search words, and compute pending rollups and lookups", Switch: true}),
	cli.Command("pack", "Packs of modules: list, export MODULE_UUID…, plan NAME|FILE, import NAME|FILE", (*packaging.Service).PackCommand,
		cli.Flag{Name: "company", Usage: "id of the company"}, cli.Flag{Name: "name", Usage: "name of the exported pack"}),
	demo.Data(seedDemo),
	demo.Try(demoExample()),
)

// services are the services of the area, a package each.
type services struct {
	fx.In

	Records  *records.Service
	Modeling *modeling.Service
	Rollups  *rollups.Service
	Changes  *fieldchange.Service
	Packs    *packaging.Service
	Verifier *verify.Service
	Own      *ownfields.Service
}

// provideServices are the services of the area, and what they are made of.
func provideServices() fx.Option {
	return fx.Provide(
		store.NewRepository, store.NewDefinitions, store.NewMeter, store.NewCommonWords, records.NewBuses, outside.New,
		records.New, modeling.New, rollups.New, fieldchange.New, packaging.New, verify.New, ownfields.NewOwnModules, ownfields.New, moves.New,
		newService, fx.Private,
	)
}
