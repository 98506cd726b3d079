// Package loads keeps the transports of a company, from the first call to the last cent.
//
// It owns the loads_* tables and every operation under /loads/api/v1.
//
//	internal/store       a load, which is one row with all its parts, and what follows from the row alone
//	internal/saving      what is decided when loads are stored
//	internal/life, parts, pricing, copying, quick   what people do to loads
//	internal/coverage    what other areas do to them
//	internal/sharing, signing, cardpay   what customers do
//	internal/robot       what time does
package loads

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/admission"
	"github.com/dispatchd/dispatchd/modules/loads/internal/agreement"
	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/cardpay"
	"github.com/dispatchd/dispatchd/modules/loads/internal/copying"
	"github.com/dispatchd/dispatchd/modules/loads/internal/coverage"
	"github.com/dispatchd/dispatchd/modules/loads/internal/identify"
	"github.com/dispatchd/dispatchd/modules/loads/internal/insight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/life"
	"github.com/dispatchd/dispatchd/modules/loads/internal/lookup"
	"github.com/dispatchd/dispatchd/modules/loads/internal/papers"
	"github.com/dispatchd/dispatchd/modules/loads/internal/parts"
	"github.com/dispatchd/dispatchd/modules/loads/internal/partypapers"
	"github.com/dispatchd/dispatchd/modules/loads/internal/pricing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/quick"
	"github.com/dispatchd/dispatchd/modules/loads/internal/rates"
	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/report"
	"github.com/dispatchd/dispatchd/modules/loads/internal/robot"
	"github.com/dispatchd/dispatchd/modules/loads/internal/samples"
	"github.com/dispatchd/dispatchd/modules/loads/internal/saving"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sharing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/similar"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sources"
	"github.com/dispatchd/dispatchd/modules/loads/internal/status"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/internal/vins"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/document"
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

// Module is the loads area.
var Module = module.New(loadsapi.Area, "Loads with stops, vehicles, prices and payment plans",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "margins"),
	identity.Grants(identity.Accountant, "write", "margins"),
	resource.Of(store.Rules()),
	resource.Of(status.Rules()),
	resource.Of(assigning.RuleRules()),
	resource.Of(record.RequestRules()),
	resource.Of(sources.SourceRules()),
	fx.Provide(
		func(s *settings.Store) *settings.Settings[terms.Terms] { return terms.Of(s, loadsapi.Area) }, terms.NewReader, store.NewRepository,
		identify.New, vins.NewIndex, agreement.New, admission.New, lookup.NewAssignable, lookup.NewRecordable,
		saving.NewSurveyor, saving.NewCreditor, saving.NewPlaces, saving.NewSteps, saving.NewPreparer, saving.NewFinisher, saving.NewCloser, saving.New,
		life.New, pricing.New, parts.New, parts.NewVenueMover, copying.New, robot.New, insight.New, samples.NewSampler, cardpay.New,
		quick.NewReader, quick.NewDefaults, quick.NewPricer, quick.New, quick.NewRequests, sources.NewDesk, sources.NewKeys, sources.NewFileKeeper, sources.NewSamples,
		sharing.NewLinks, sharing.NewPage, sharing.NewPortal, sharing.NewSignable, sharing.NewSigner, signing.NewRepository, signing.NewDesk, signing.NewOrders,
		assigning.NewDesk, status.NewDesk, rates.NewLanes, record.NewParties, record.New, record.NewDesk, record.NewStamps, record.NewShared, record.NewRetention, report.New, similar.New, papers.NewDesk, partypapers.NewParties, partypapers.NewPapers,
		fx.Private,
	),
	fx.Provide(
		coverage.NewSales, coverage.NewStandings, coverage.NewCoverage, coverage.NewCarriage, coverage.NewCollections, coverage.NewViews,
		vins.New, rates.New,
	),
	resource.BeforeAll((*saving.Decider).Decide),
	resource.MovesReferences((*parts.VenueMover).MoveReferences),
	resource.BeforeAll((*status.Desk).Decide),
	resource.BeforeAll((*assigning.Desk).Decide),
	resource.BeforeAll((*record.Stamps).Decide),
	limit.Creations[store.Load]("loads_per_month"),
	web.Routes(life.Routes),
	web.Routes(parts.StopRoutes),
	web.Routes(parts.VehicleRoutes),
	web.Routes(pricing.Routes),
	web.Routes(copying.Routes),
	web.Routes(quick.Routes),
	web.Routes(insight.Routes),
	web.Routes(rates.Routes),
	web.Routes(record.Routes),
	web.Routes(record.RequestRoutes),
	web.Routes(record.SharedRoutes),
	link.Declare(record.Reading, link.Rules{Life: record.ReadingLife, MaxLife: sharing.MaxLife}),
	web.Routes(report.Routes),
	web.Routes(similar.Routes),
	web.Routes(assigning.Routes),
	web.Routes(sources.KeyRoutes),
	web.Routes(sources.Routes),
	jobs.On((*sources.FileKeeper).Keep),
	link.Declare(sources.Key, sources.KeyRules()),
	web.Routes(sharing.LinkRoutes),
	web.Routes(sharing.PageRoutes),
	web.Routes(cardpay.Routes),
	events.On((*cardpay.Payer).OnCaptured),
	events.On((*cardpay.Payer).OnCorrected),
	events.On((*cardpay.Payer).OnRefunded),
	events.On((*cardpay.Payer).OnRefundFailed),
	events.On((*cardpay.Payer).OnDisputed),
	events.On((*cardpay.Payer).OnDisputeWon),
	events.On((*cardpay.Payer).OnDisputePrevented),
	events.On((*cardpay.Payer).OnDisputeLost),
	document.Kind(signing.Kind, "Signed order", (*signing.Orders).Model,
		document.About(loadsapi.Load, signing.Item), document.NeedsScopes(loadsapi.Margins), document.For(document.Customer), document.Example(signing.Example)),
	document.Source([]string{loadsapi.Load}, (*signing.Orders).Papers),
	document.Kind(record.Kind, "Record of transaction", (*record.Recorder).Model,
		document.About(loadsapi.Load), document.NeedsScopes(record.Scopes()...), document.Example(record.Example)),
	document.Source([]string{loadsapi.Load}, (*record.Recorder).Papers),
	web.Routes(signing.Routes),
	web.Routes(sharing.SignRoutes),
	web.Routes(papers.Routes),
	document.Kind(partypapers.AgreementKind, "Agreement", (*partypapers.Papers).Agreement,
		document.About(loadsapi.Load), document.NeedsScopes(loadsapi.Margins), document.For(document.Customer), document.Example(partypapers.ExampleAgreement)),
	document.Kind(partypapers.SheetKind, "Dispatch sheet", (*partypapers.Papers).Sheet,
		document.About(loadsapi.Load), document.NeedsScopes(loadsapi.Margins), document.For(document.Carrier), document.Example(partypapers.ExampleSheet)),
	link.Declare(sharing.Purpose, link.Rules{Portal: link.Customers, Life: sharing.Life, MaxLife: sharing.MaxLife}),
	web.Routes(terms.Routes),
	hook.On((*rates.Lanes).Price),
	hook.On((*record.Retention).Erasing),
	hook.On((*sharing.Portal).List),
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
	jobs.On((*robot.Robot).ReleaseHeld),
	jobs.Every(robot.ReleaseEvery, robot.ReleaseHeld{}),
	jobs.On((*robot.Robot).MarkLate),
	jobs.Every(robot.LateEvery, robot.MarkLate{}),
	jobs.On((*robot.Robot).PassOn),
	jobs.Every(robot.PassEvery, robot.PassOn{}),
	jobs.On((*robot.Robot).LoseStale),
	jobs.Every(robot.LoseEvery, robot.LoseStale{}),
	demo.Data(samples.Seed), demo.Data(sources.Seed),
	dashboard.Count("open_loads", "Open loads", (*insight.Insight).CountOpen),
	dashboard.Count("loads_ready_uncovered", "Loads without a carrier", (*insight.Insight).CountReady),
	dashboard.Count("loads_late", "Late loads", (*insight.Insight).CountLate),
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
