// Package esign has documents signed: accounts at vendors of electronic signatures, their templates and how these are
// filled, envelopes, and the receiver of the vendors' notifications.
//
// It owns the esign_* tables and every operation under /esign/api/v1. Vendors stand behind internal/provider.
//
// This package has the routes, the receiver, what other areas ask, and what they are wired of. The rest stands in packages below
// internal, each of which knows those above it alone:
//
//	provider    what a vendor of signatures can do; connect, docusign and sandbox speak to them
//	fill        what fills the tabs of a template
//	settings    the keys under modules.esign
//	store       the tables, and the lives that envelopes lead
//	accounts    accounts at providers
//	connection  how notifications arrive, and what verifies them
//	templates   templates, and the mappings that fill them
//	documents   signed documents, fetched and kept
//	reports     what providers report of envelopes
//	envelopes   envelopes before they are sent, and what people order of them
//	sending     envelopes made at the provider, and orders performed there
package esign

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connection"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sending"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the e-signature area.
var Module = module.New(esignapi.Area, "Electronic signatures: accounts, templates and envelopes",
	config.Section(settings.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "send"),
	fx.Provide(store.NewRepository, store.NewSummaries, store.NewStore, accounts.NewVendors, fx.Private),

	// Accounts and providers.
	fx.Provide(accounts.NewProviders, accounts.New, sandbox.New, newTeller, fx.Private),
	web.Routes(accountRoutes),
	jobs.On((*accounts.Service).CheckAll),
	jobs.Every(accounts.CheckEvery, accounts.CheckAll{}),
	jobs.On((*accounts.Service).CheckOne, jobs.Outside()),
	web.Routes(sandbox.Routes),
	link.Declare(sandbox.Viewing, link.Rules{Uses: 1, Life: sandbox.ViewingLife}),
	link.Declare(sandbox.Signing, link.Rules{Life: sandbox.SigningLife}),
	jobs.On((*sandboxCourier).deliverNotices, jobs.Outside(), jobs.Timeout(2*time.Minute)),
	jobs.On((*sandbox.Sandbox).Expire),
	dashboard.Count("failing_accounts", "Accounts at providers of signatures that do not work", (*store.Store).CountFailing),

	// Templates, mappings, envelopes and documents.
	fx.Provide(templates.New, templates.NewMappings, envelopes.NewHoldings, envelopes.NewGate, envelopes.NewComposer, envelopes.NewFiller, envelopes.NewStarter, envelopes.NewDrafts, envelopes.New, envelopes.NewOrders, envelopes.NewSigning, fx.Private),
	fx.Provide(sending.NewOutcomes, sending.NewContents, sending.NewFinisher, sending.NewSender, sending.NewPerformer, sending.NewSweeper, documents.NewRequests, documents.NewFiling, documents.NewArchive, fx.Private),
	fx.Provide(newContract),
	port.Provides[esignapi.Envelopes, esignapi.Envelopes]("esign"),
	fx.Provide(newListener, newDemoAccountSeed, newDemoPapersSeed, newDemoSeeds, fx.Private),
	fx.Provide(newAccountHandlers, newConnectionHandlers, newTemplateHandlers, newMappingHandlers, newDetails, newEnvelopeHandlers, newActionHandlers,
		newSigningHandlers, fx.Private),
	web.Routes(templateRoutes),
	web.Routes(mappingRoutes),
	resource.Of(templates.MappingRules()),
	resource.BeforeAll((*templates.Mappings).CheckChanges),
	web.Routes(envelopeRoutes),
	web.Routes(actionRoutes),
	web.Routes(signingRoutes),
	web.Routes(documentRoutes),
	item.Type(store.EnvelopeItem, "Envelope", (*envelopes.Service).Describe, (*envelopes.Service).ItemFields, (*envelopes.Service).Values),
	resource.Pointer("esign_envelopes", "item_type", "item_id"),
	summary.Section("esign", store.Summaries.Summarize),
	timeline.Source("esign", []string{"envelope"}, (*store.Repository).Timeline),
	dashboard.Count("envelopes_under_way", "Envelopes that wait for signatures", (*store.Repository).CountUnderWay),
	dashboard.Count("unknown_envelopes", "Envelopes of which nobody knows whether they were sent", (*store.Repository).CountUnknown),
	dashboard.Count("failed_envelopes", "Envelopes that could not be sent", (*store.Repository).CountFailed),
	jobs.On((*templates.Service).SyncAll, jobs.Timeout(templates.SyncTime)),
	jobs.Every(templates.SyncEvery, templates.SyncAllJob{}),
	jobs.On((*templates.Service).SyncOne, jobs.Outside(), jobs.Timeout(templates.SyncTime)),
	jobs.On((*sending.Sender).Send, jobs.Outside(), jobs.Timeout(sending.SendTime)),
	jobs.On((*sending.Performer).Perform, jobs.Outside()),
	jobs.On((*sending.Sweeper).SweepAll, jobs.Timeout(sending.SweepTime)),
	jobs.Every(sending.SweepEvery, sending.Sweep{}),
	jobs.On((*documents.Archive).Fetch, jobs.Outside(), jobs.Timeout(documents.FetchTime)),
	demo.Data(seedDemo),
	events.On((*listener).onDeclined),
	events.On((*listener).onVoided),
	events.On((*listener).onExpired),
	events.On((*listener).onDeleted),

	// Notifications.
	fx.Provide(connection.NewKeys, connection.NewClients, connection.NewVerifier, connection.New, newReceiver, fx.Private),
	fx.Provide(reports.NewMatcher, reports.NewProgress, reports.New, reports.NewLeftovers, reports.NewSchedule, reports.NewReconciler, fx.Private),
	web.Routes(connectionRoutes),
	web.DeclareScope(connection.CallbackScope, "To send notifications of envelopes to the receiver"),
	inbound.Receiver(connectKind()),
	jobs.On((*reports.Leftovers).DeleteOldUnmatched),
	jobs.Every(reports.UnmatchedSweep, reports.DeleteUnmatchedJob{}),
	jobs.On((*connection.Clients).DeleteExpiredTokens),
	jobs.Every(reports.UnmatchedSweep, connection.DeleteTokens{}),
	jobs.On((*reports.Schedule).StartAll),
	jobs.Every(reports.ReconcileEvery, reports.ReconcileAll{}),
	jobs.On((*reports.Reconciler).ReconcilePage, jobs.Outside(), jobs.Timeout(reports.ReconcileTime)),
	secret.Column(store.TableAccounts, vendoraccount.Credentials),
	secret.Column(store.TableKeys, store.ColumnSecret),
	state.Life(store.Lifecycle),
	events.Publishes(esignapi.EnvelopeSent{}),
	events.Publishes(esignapi.EnvelopeDelivered{}),
	events.Publishes(esignapi.EnvelopeCompleted{}),
	events.Publishes(esignapi.EnvelopeDeclined{}),
	events.Publishes(esignapi.EnvelopeVoided{}),
	events.Publishes(esignapi.EnvelopeExpired{}),
	events.Publishes(esignapi.EnvelopeDeleted{}),
	events.Publishes(esignapi.EnvelopeFailed{}),
	events.Publishes(esignapi.DocumentsStored{}),
	events.Publishes(esignapi.RecipientChanged{}),
).Needs(attachmentsapi.Area)
