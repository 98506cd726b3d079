// Package dispatches offers loads to carriers, and follows those that have them.
//
// It owns the dispatches_* tables and every operation under /dispatches/api/v1.
//
//	desk.go              how offers are sent, countered and ended
//	accept.go            how a carrier gets a load
//	carry.go             what becomes of it then
//	link.go, page.go     what the carrier sees and does by its link
//	internal/store       the rows, and what follows from a row alone
//	internal/loadview    a load as its carrier sees it
package dispatches

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/boards"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/lanes"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the dispatches area.
var Module = module.New(dispatchesapi.Area, "Offers to carriers, and loads that carriers have accepted",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "offer"),
	resource.Of(store.OfferRules()),
	resource.Of(store.DispatchRules()),
	fx.Provide(store.NewRepository, preferences.New, newOnLoads, newOthers, newDesk, newSheets, newReminders, newPapers, newScorer, newRobots, newReporter, newRevisions, preferences.NewSandboxSwitch, boards.NewDesk, lanes.NewAnalyst, boards.NewSandbox, fx.Private),
	resource.BeforeAll((*desk).decide),
	detail.Link(loadsapi.Load, "dispatch", (*store.Repository).DispatchesOfLoads),
	web.Routes(offerRoutes),
	web.Routes(dispatchRoutes),
	web.Routes(endPayRoutes),
	web.Routes(linkRoutes),
	web.Routes(identityRoutes),
	web.Routes(printRoutes),
	web.Routes(remindRoutes),
	web.Routes(paperRoutes),
	web.Routes(lanes.Routes),
	web.Routes(boards.Routes),
	port.Provides[dispatchesapi.PriceBoard, *boards.Sandbox]("sandbox"),
	web.Routes(scoreRoutes),
	web.Routes(preferences.Routes),
	link.Declare(sheet, link.Rules{Life: sheetLife, MaxLife: maxSheetLife}),
	hook.Declares[dispatchesapi.Accepting]("dispatches.dispatch.accepting"),
	hook.Declares[dispatchesapi.LinkingDriver]("dispatches.driver.linking"),
	hook.On((*desk).onRecording),
	hook.On((*desk).onFollowing),
	web.Routes(crewRoutes),
	events.On((*desk).onCovered),
	events.On((*desk).onUncovered),
	events.On((*desk).onUpdated),
	events.On((*desk).onVehicleRemoved),
	events.On(revisions.onUpdated),
	hook.On(revisions.onPickingUp),
	hook.On(revisions.onRepricing),
	events.On((*desk).onPickedUp),
	events.On((*desk).onDelivered),
	events.On((*desk).onReopened),
	events.On((*desk).onCancelled),
	events.On((*desk).onBanned),
	events.On((*desk).onMerged),
	events.On(reporter.reportSent),
	events.On(reporter.reportReactivated),
	events.On(reporter.reportCountered),
	events.On(reporter.reportReplied),
	events.On(reporter.reportDeclined),
	events.On(reporter.reportExpired),
	events.On(reporter.reportWithdrawn),
	events.On(robots.onSent),
	events.On(robots.onReactivated),
	events.On(robots.onReplied),
	events.On(robots.onExpired),
	events.Publishes(dispatchesapi.Cancelled{}),
	events.Publishes(dispatchesapi.Bounced{}),
	jobs.On((*desk).expire),
	jobs.On(robots.giveBack),
	jobs.Every(expireEvery, expire{}),
	jobs.On((*desk).checkOverdue),
	jobs.Every(overdueEvery, checkOverdue{}),
).Needs(attachmentsapi.Area, carriersapi.Area, companiesapi.Area, loadsapi.Area, routeengineapi.Area)
