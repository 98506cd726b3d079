// Package custommodules lets a company define modules of its own, with typed fields, and keep
// records in them.
//
// It owns the custom_modules_* tables and every operation under /custom_modules/api/v1. A record is
// a document beside typed columns ("slots") for its indexed fields, so modules and fields come and
// go without any change of the tables.
package custommodules

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
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
	config.Section(defaults()),
	fx.Provide(newRepository, newDefinitions, newBuses, newOthers, newMeter, newCommonWords, newOwnModules, newService, fx.Private),
	fx.Provide(newTyped, fx.Private),
	fx.Provide(newImports, fx.Private),
	collection.Family((*service).collections),
	resource.KeepOwnFields((*service).ownFields),
	broadcast.On(ownModulesChanged, (*ownModules).forget, (*ownModules).forgetAll),
	web.RoutesUnder("collections", ownFieldRoutes),
	web.DeclareScope(sensitiveAction, "See and set the values of sensitive fields"),
	web.Routes(moduleRoutes),
	web.Routes(recordRoutes),
	web.Routes(linkRoutes),
	web.Routes(groupRoutes),
	dashboard.Count("modules", "Modules", (*service).countModules),
	numbering.Family(numberFamily),
	item.Type(recordItem, "Record", (*service).describeRecords, (*service).recordFields, (*service).recordValues),
	item.Hides((*service).hiddenModules),
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
	jobs.On((*service).build, jobs.Timeout(buildTime)),
	jobs.On((*service).forget, jobs.Timeout(buildTime)),
	jobs.On((*service).clear, jobs.Timeout(buildTime)),
	jobs.On((*service).plan, jobs.Timeout(buildTime)),
	jobs.On((*service).applyRecords, jobs.Timeout(buildTime)),
	jobs.On((*service).release, jobs.Timeout(buildTime)),
	jobs.On((*service).rollUpMarked, jobs.Timeout(buildTime)),
	jobs.On((*service).rollBackRecords, jobs.Timeout(buildTime)),
	jobs.On((*service).purgeDeleted, jobs.Timeout(buildTime)),
	jobs.Every(purgeEvery, purge{}),
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
		(*service).verifyCommand, cli.Flag{Name: "company", Usage: "id of the company; all without it"},
		cli.Flag{Name: "repair", Usage: "mend the counts of records and the words that they are found by, and compute the rollups and lookups that no job has seen to", Switch: true}),
	cli.Command("pack", "Packs of modules: list, export MODULE_UUID…, plan NAME|FILE, import NAME|FILE", (*service).packCommand,
		cli.Flag{Name: "company", Usage: "id of the company"}, cli.Flag{Name: "name", Usage: "name of the exported pack"}),
	demo.Data(seedDemo),
	demo.Try(demoExample()),
)
