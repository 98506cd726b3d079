// Package loads keeps the transports of a company, from the first call to the last cent.
//
// It owns the loads_* tables and every operation under /loads/api/v1.
//
//	load.go       a load, which is one row with all its parts
//	stops.go, vehicles.go, money.go   its parts, and the rules of each (of stops in internal/route)
//	life.go, axes.go   the states of a load and of its vehicles, and what goes on beside
//	service.go, derive.go   what is decided when a load is stored, and what follows from its parts
package loads

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/papers"
	"github.com/dispatchd/dispatchd/modules/loads/internal/rates"
	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/report"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/similar"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sources"
	"github.com/dispatchd/dispatchd/modules/loads/internal/status"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

const base = "/loads/api/v1"

// Module is the loads area.
var Module = module.New(loadsapi.Area, "Loads with stops, vehicles, prices and payment plans",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "margins"),
	identity.Grants(identity.Accountant, "write", "margins"),
	resource.Of(rules()),
	resource.Of(status.Rules()),
	resource.Of(assigning.RuleRules()),
	resource.Of(record.RequestRules()),
	resource.Of(sources.SourceRules()),
	fx.Provide(func(s *settings.Store) *settings.Settings[terms.Terms] { return terms.Of(s, loadsapi.Area) }, newRepository, newOutside, newService, newParts, newAssignable, assigning.NewDesk, status.NewDesk, newCopies, newInsight, newRecordable, rates.NewLanes, record.New, record.NewDesk, report.New, similar.New, newShares, newCardPayer, newPricer, newQuick, newRequests, sources.NewDesk, signing.NewRepository, newSignable, signing.NewDesk, papers.NewDesk, newSigner, fx.Private), fx.Provide(newSales, newCoverage, newVINs, rates.New, record.NewBills),
	resource.BeforeAll((*service).decide),
	resource.MovesReferences((*service).moveReferences),
	resource.BeforeAll((*status.Desk).Decide),
	resource.BeforeAll((*assigning.Desk).Decide),
	resource.BeforeAll((*record.Desk).Decide),
	limit.Creations[load]("loads_per_month"),
	web.Routes(lifeRoutes),
	web.Routes(stopRoutes),
	web.Routes(vehicleRoutes),
	web.Routes(moneyRoutes),
	web.Routes(copyRoutes),
	web.Routes(quickRoutes),
	web.Routes(insightRoutes),
	web.Routes(rates.Routes),
	web.Routes(record.Routes),
	web.Routes(record.RequestRoutes),
	link.Declare(record.Reading, link.Rules{Life: record.ReadingLife, MaxLife: maxShareLife}),
	web.Routes(report.Routes),
	web.Routes(similar.Routes),
	web.Routes(assigning.Routes),
	web.Routes(sources.KeyRoutes),
	web.Routes(sources.Routes),
	jobs.On((*sources.Desk).KeepFiles),
	link.Declare(sources.Key, sources.KeyRules()),
	web.Routes(shareRoutes),
	web.Routes(cardRoutes),
	events.On((*cardPayer).onCaptured),
	events.On((*cardPayer).onCorrected),
	events.On((*cardPayer).onRefunded),
	events.On((*cardPayer).onRefundFailed),
	events.On((*cardPayer).onDisputed),
	events.On((*cardPayer).onDisputeWon),
	events.On((*cardPayer).onDisputePrevented),
	events.On((*cardPayer).onDisputeLost),
	web.Routes(signing.Routes),
	web.Routes(signRoutes),
	web.Routes(papers.Routes),
	link.Declare(sharing, link.Rules{Life: shareLife, MaxLife: maxShareLife}),
	web.Routes(terms.Routes),
	hook.On((*rates.Lanes).Price),
	hook.On((*record.Recorder).Erasing),
	hook.On((*shares).portal),
	hook.Declares[loadsapi.Booking]("loads.load.booking"),
	hook.Declares[loadsapi.AskingCredit]("loads.credit.asking"),
	hook.Declares[loadsapi.ChoosingCarriers]("loads.carrier.choosing"),
	hook.Declares[loadsapi.AskingTerms]("loads.terms.asking"),
	hook.Declares[loadsapi.AskingRelease]("loads.release.asking"),
	hook.Declares[loadsapi.SavingVenue]("loads.venue.saving"),
	hook.Declares[loadsapi.Recording]("loads.load.recording"),
	hook.Declares[loadsapi.Following]("loads.load.following"),
	hook.Declares[loadsapi.Covering]("loads.load.covering"),
	hook.Declares[loadsapi.Repricing]("loads.load.repricing"),
	hook.Declares[loadsapi.PickingUp]("loads.load.picking_up"),
	jobs.On((*service).releaseHeld),
	jobs.Every(releaseEvery, releaseHeld{}),
	jobs.On((*service).markLate),
	jobs.Every(lateEvery, markLate{}),
	jobs.On((*service).passOn),
	jobs.Every(passEvery, passOn{}),
	jobs.On((*service).loseStale),
	jobs.Every(loseEvery, loseStale{}),
	demo.Data(seedDemo), demo.Data(sources.Seed),
	dashboard.Count("open_loads", "Open loads", insight.countOpen),
	dashboard.Count("loads_ready_uncovered", "Loads without a carrier", insight.countReady),
	dashboard.Count("loads_late", "Late loads", insight.countLate),
	events.Publishes(loadsapi.QuotedEvent{}),
	events.Publishes(loadsapi.ChangeOrderNeeded{}),
	events.Publishes(loadsapi.LateEvent{}),
	events.Publishes(loadsapi.BookedEvent{}),
	events.Publishes(loadsapi.ReadyEvent{}),
	events.Publishes(loadsapi.Covered{}),
	events.Publishes(loadsapi.Uncovered{}),
	events.Publishes(loadsapi.HandedOver{}),
	events.Publishes(loadsapi.PickedUpEvent{}),
	events.Publishes(loadsapi.DeliveredEvent{}),
	events.Publishes(loadsapi.CompletedEvent{}),
	events.Publishes(loadsapi.CancelledEvent{}),
	events.Publishes(loadsapi.LostEvent{}),
	events.Publishes(loadsapi.Reopened{}),
	events.Publishes(loadsapi.VehiclePickedUp{}),
	events.Publishes(loadsapi.VehicleDelivered{}),
	events.Publishes(loadsapi.VehicleRemoved{}),
).Needs(attachmentsapi.Area, companiesapi.Area, contactsapi.Area, routeengineapi.Area, vehiclesapi.Area).Listens(cardsapi.Area)
