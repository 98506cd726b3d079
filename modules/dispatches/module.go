// Package dispatches offers loads to carriers, and follows those that have them.
//
// It owns the dispatches_* tables and every operation under /dispatches/api/v1.
//
// This package wires the rooms below internal, and each knows only those above it:
//
//	loadview      a load as its carrier sees it, in words and in facts that can be compared
//	store         offers and dispatches: rows, states, and what follows from a row alone
//	preferences   how a company works with carriers
//	messages      links to carriers, and the channels that reach them
//	proof         carriers prove who they are
//	assigning     how a dispatch begins and ends
//	offers        offers, counters, acceptances, and how offers end
//	carrying      what becomes of a dispatch until the carrier is paid
//	carrierlink   the page of a carrier, by its link
//	papers        rate confirmations and other documents
//	robot         carriers of a sandbox
//	scorecards, lanes, boards   how carriers perform, and what transports cost
package dispatches

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/boards"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrierlink"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/lanes"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/papers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/robot"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/scorecards"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/document"
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
	fx.Provide(store.NewRepository, preferences.New, preferences.NewReader, messages.NewWriter, proof.NewGate, fx.Private),
	fx.Provide(assigning.NewDrafter, assigning.NewCloser, assigning.NewAssigner, fx.Private),
	web.Routes(preferences.Routes),
	link.Declare(messages.CarrierLink, link.Rules{Portal: link.Carriers, Life: messages.LinkLife, MaxLife: messages.MaxLinkLife}),
	detail.Link(loadsapi.Load, "dispatch", (*store.Repository).DispatchesOfLoads),

	// Offers.
	fx.Provide(offers.NewViews, offers.NewHolder, offers.NewSender, offers.NewSequence, offers.NewReviser, offers.NewRefresher, fx.Private),
	fx.Provide(offers.NewDrafter, offers.NewCandidates, offers.NewCreator, offers.NewReopener, offers.NewReminders, offers.NewLinks, fx.Private),
	fx.Provide(offers.NewCounters, offers.NewConsent, offers.NewAgreements, offers.NewLateResponses, offers.NewAcceptor, offers.NewAnswers, fx.Private),
	fx.Provide(offers.NewEnder, offers.NewExpiry, offers.NewWithdrawals, offers.NewBanned, offers.NewChanges, offers.NewIdentifier, offers.NewReporter, fx.Private),
	web.Routes(offers.CreateRoutes),
	web.Routes(offers.AnswerRoutes),
	web.Routes(offers.ReopenRoutes),
	web.Routes(offers.ReminderRoutes),
	web.Routes(offers.LinkRoutes),
	jobs.On((*offers.Expiry).ExpireAll),
	jobs.Every(offers.ExpireEvery, offers.Expire{}),

	// Dispatches.
	fx.Provide(carrying.NewProgress, carrying.NewReconciler, carrying.NewFollower, carrying.NewRules, carrying.NewRevisions, carrying.NewLoadFacts, fx.Private),
	fx.Provide(carrying.NewDispatching, carrying.NewMoves, carrying.NewBounces, carrying.NewCancellations, carrying.NewAbandonments, carrying.NewOffice, fx.Private),
	fx.Provide(carrying.NewEndPay, carrying.NewOverdue, carrying.NewReminders, carrying.NewLinks, carrying.NewCarrierUpdates, carrying.NewCollecting, fx.Private),
	resource.BeforeAll((*carrying.Rules).Decide),
	web.Routes(carrying.CreateRoutes),
	web.Routes(carrying.Routes),
	web.Routes(carrying.EndPayRoutes),
	web.Routes(carrying.ReminderRoutes),
	web.Routes(carrying.LinkRoutes),
	hook.On((*carrying.LoadFacts).AddHaulers),
	hook.On((*carrying.LoadFacts).AddProgress),
	hook.On((*carrying.Revisions).CheckPickup),
	hook.On((*carrying.Revisions).CheckPrice),
	jobs.On((*carrying.Overdue).Check),
	jobs.Every(carrying.OverdueEvery, carrying.CheckOverdue{}),
	hook.Declares[dispatchesapi.Accepting]("dispatches.dispatch.accepting"),
	events.Publishes(dispatchesapi.Cancelled{}),
	events.Publishes(dispatchesapi.Bounced{}),

	// The page of a carrier, and documents.
	fx.Provide(carrierlink.NewDoor, carrierlink.NewOfferView, carrierlink.NewDispatchView, carrierlink.NewView, carrierlink.NewSheets, fx.Private),
	fx.Provide(carrierlink.NewViewed, carrierlink.NewOfferAnswers, carrierlink.NewDispatchAnswers, carrierlink.NewIdentity, carrierlink.NewDriverLinks, fx.Private),
	web.Routes(carrierlink.Routes),
	web.Routes(carrierlink.ViewedRoutes),
	web.Routes(carrierlink.OfferRoutes),
	web.Routes(carrierlink.DispatchRoutes),
	web.Routes(carrierlink.IdentityRoutes),
	web.Routes(carrierlink.DriverRoutes),
	hook.Declares[dispatchesapi.LinkingDriver]("dispatches.driver.linking"),
	fx.Provide(papers.NewDocuments, papers.NewConfirmations, papers.NewOffice, papers.NewByLink, papers.NewUploads, papers.NewPhotos, fx.Private),
	document.Kind(papers.Confirmation, "Rate confirmation", (*papers.Confirmations).Model,
		document.About(dispatchesapi.Dispatch), document.NeedsScopes(loadsapi.Margins), document.For(document.Carrier), document.Example(papers.Example)),
	document.Source([]string{dispatchesapi.Dispatch, loadsapi.Load}, (*papers.Documents).Papers),
	web.Routes(papers.Routes),
	web.Routes(papers.LinkRoutes),
	web.Routes(papers.UploadRoutes),
	web.Routes(papers.PhotoRoutes),

	// Carriers of a sandbox.
	fx.Provide(robot.NewRoster, robot.NewAcceptances, robot.NewVoice, robot.NewReturns, robot.NewRobots, preferences.NewSandboxSwitch, fx.Private),
	jobs.On((*robot.Returns).GiveBack),

	// Prices and scores.
	fx.Provide(scorecards.NewScorer, lanes.NewAnalyst, boards.NewDesk, boards.NewSandbox, fx.Private),
	web.Routes(scorecards.Routes),
	web.Routes(lanes.Routes),
	web.Routes(boards.Routes),
	port.Provides[dispatchesapi.PriceBoard, *boards.Sandbox]("sandbox"),

	// What is listened to.
	fx.Provide(newLoadListener, newCarrierListener, newOfferListener, newTermsListener, fx.Private),
	events.On(loadListener.onCovered),
	events.On(loadListener.onUncovered),
	events.On(loadListener.onUpdated),
	events.On(loadListener.onVehicleRemoved),
	events.On(loadListener.onPickedUp),
	events.On(loadListener.onDelivered),
	events.On(loadListener.onReopened),
	events.On(loadListener.onCancelled),
	events.On(carrierListener.onBanned),
	events.On(carrierListener.onMerged),
	events.On(offerListener.reportSent),
	events.On(offerListener.reportReactivated),
	events.On(offerListener.reportCountered),
	events.On(offerListener.reportReplied),
	events.On(offerListener.reportDeclined),
	events.On(offerListener.reportExpired),
	events.On(offerListener.reportWithdrawn),
	events.On(offerListener.onSent),
	events.On(offerListener.onReactivated),
	events.On(offerListener.onReplied),
	events.On(offerListener.onExpired),
	events.On(termsListener.onUpdated),
).Needs(attachmentsapi.Area, carriersapi.Area, companiesapi.Area, loadsapi.Area, routeengineapi.Area)
