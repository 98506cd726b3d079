// Package carriers stores carriers of companies, and decides whether a carrier may take a load.
//
// It owns the carriers_* tables and the operations under /carriers/api/v1, but for those of the area regulator, which keeps its names.
//
// This package wires the rooms below internal, and each knows only those above it:
//
//	number       USDOT numbers and dockets
//	registry     what the area regulator knows
//	verdict      rules, and what follows from them
//	packet       onboarding packets: rows, entries, steps, settings and account numbers
//	store        carriers, incidents and saved carriers: rows, and what follows from a row alone
//	papers       certificates of insurance, and agreements in envelopes
//	directory    how users and other areas find carriers
//	proof        carriers prove who they are
//	rulebook     the rules and overrides of a company
//	accounts     sealed account numbers
//	remit        how carriers are paid, and how that changes
//	compliance   verdicts on carriers, and when they are checked again
//	suggest      carriers for a lane, ranked
//	incidents    what went wrong with carriers
//	history      what happened with a carrier
//	merging      carriers that are the same
//	bookmarks    carriers that users want at hand
//	onboarding   the company sends packets, and decides on them
//	packetlink   the page on which a carrier fills in its packet
//	boards       what load boards know
package carriers

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/boards"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/bookmarks"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/compliance"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/directory"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/history"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/incidents"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/merging"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/onboarding"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packetlink"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/papers"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/proof"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/suggest"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/merge"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the carriers area.
var Module = module.New(carriersapi.Area, "Carriers with verdicts, certificates of insurance and payees",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "validate", "merge"),
	identity.Grants(identity.Accountant, "remit"),
	fx.Provide(remitSettings, mergeSettings, packetSettings, boardAges, fx.Private),

	// Carriers.
	resource.Of(store.CarrierRules()),
	resource.Of(rulebook.RuleRules()),
	resource.Of(rulebook.OverrideRules()),
	resource.Of(remit.Rules()),
	resource.Of(store.SavedRules()),
	resource.Of(store.IncidentRules()),
	resource.Of(packet.Rules()),
	fx.Provide(store.NewRepository, store.NewRoster, registry.New, registry.NewRouterTest, fx.Private),
	fx.Provide(directory.NewReader, directory.NewChanges, papers.NewAgreements, papers.NewCertificates, fx.Private),
	fx.Provide(directory.NewCarriers, directory.NewProspects),
	web.Routes(directory.Routes),
	web.Routes(registry.Routes),
	events.On((*papers.Agreements).OnCompleted),
	events.On((*papers.Agreements).OnStored),
	hook.Declares[carriersapi.Removing]("carriers.carrier.removing"),
	events.Publishes(carriersapi.Banned{}),

	// Verdicts.
	fx.Provide(rulebook.New, compliance.NewEvidence, compliance.NewJudge, compliance.NewScheduler, compliance.NewRechecks, fx.Private),
	fx.Provide(compliance.NewDesk, compliance.NewLoads, suggest.NewSuggester, fx.Private),
	fx.Provide(compliance.NewVerdicts),
	web.Routes(compliance.Routes),
	web.Routes(rulebook.Routes),
	web.Routes(suggest.Routes),
	jobs.On((*compliance.Rechecks).Check),
	jobs.On((*compliance.Rechecks).CheckCompany),
	jobs.On((*compliance.Rechecks).CheckAll),
	jobs.Every(compliance.RecheckEvery, compliance.RecheckAll{}),
	hook.On((*compliance.Loads).Covering),
	hook.On((*compliance.Loads).Agreed),
	hook.On((*compliance.Loads).AddAddresses, hook.Priority(1)), // after who has carried it is known
	events.Publishes(carriersapi.ComplianceChanged{}),

	// Incidents, history, merging and bookmarks.
	fx.Provide(incidents.NewIncidents, history.NewHistorian, bookmarks.NewBookmarks, fx.Private),
	fx.Provide(merging.NewMover, merging.NewRules, merge.New[store.Carrier], merging.NewMerger, fx.Private),
	fx.Provide(incidents.NewReports),
	web.Routes(incidents.Routes),
	web.Routes(history.Routes),
	web.Routes(bookmarks.Routes),
	web.Routes(merging.Routes),
	events.Publishes(carriersapi.Merged{}),
	events.Publishes(carriersapi.Unmerged{}),

	// Identities.
	fx.Provide(proof.NewConfirmations, proof.NewCodeSender, proof.NewIdentities, fx.Private),
	fx.Provide(proof.NewProver, proof.NewClaims),
	web.Routes(proof.Routes),

	// How carriers are paid.
	fx.Provide(accounts.New, remit.New, remit.NewApplier, remit.NewProposer, remit.NewVerifier, remit.NewDesk, fx.Private),
	fx.Provide(remit.NewPayees),
	web.Routes(remit.Routes),
	jobs.On((*remit.Applier).ApplyHeld),
	hook.Declares[carriersapi.ChangingRemitTo]("carriers.carrier.changing_remit_to"),
	secret.Column(accounts.Table, accounts.Column),

	// Onboarding packets.
	fx.Provide(packet.NewRepository, packet.NewCompanySettings, onboarding.NewCarriers, onboarding.NewCourier, onboarding.NewProgress, fx.Private),
	fx.Provide(onboarding.NewSender, onboarding.NewReader, onboarding.NewDecisions, onboarding.NewCloser, onboarding.NewApprover, fx.Private),
	fx.Provide(onboarding.NewDecider, onboarding.NewExpirer, onboarding.NewStates, fx.Private),
	web.Routes(packet.SettingsRoutes),
	web.Routes(onboarding.SendRoutes),
	web.Routes(onboarding.ReadRoutes),
	web.Routes(onboarding.ApproveRoutes),
	web.Routes(onboarding.DecideRoutes),
	jobs.On((*onboarding.Expirer).ExpireAll),
	jobs.Every(onboarding.ExpireEvery, onboarding.Expire{}),
	secret.Column(packet.AccountsTable, packet.AccountColumn),
	link.Declare(packet.Purpose, packet.LinkRules()),
	fx.Provide(packetlink.NewEntrance, packetlink.NewRequests, packetlink.NewViewer, packetlink.NewSheets, packetlink.NewSaver, fx.Private),
	fx.Provide(packetlink.NewPayment, packetlink.NewAgreements, packetlink.NewInviter, packetlink.NewDocuments, packetlink.NewAgents, fx.Private),
	fx.Provide(packetlink.NewIdentity, packetlink.NewSubmitter, fx.Private),
	web.Routes(packetlink.ReadRoutes),
	web.Routes(packetlink.EntryRoutes),
	web.Routes(packetlink.PaymentRoutes),
	web.Routes(packetlink.AgreementRoutes),
	web.Routes(packetlink.AgentRoutes),
	web.Routes(packetlink.IdentityRoutes),
	web.Routes(packetlink.SubmitRoutes),
	web.Routes(packetlink.UploadRoutes),

	// Load boards.
	fx.Provide(boards.New, boards.NewSandbox, boards.NewLookups, fx.Private),
	port.Provides[carriersapi.Board, *boards.Sandbox]("sandbox"),
	web.Routes(boards.Routes),
	jobs.On((*boards.Boards).Ask, jobs.Outside()),

	// What is decided about rows before they are stored, in this order.
	resource.BeforeAll((*merging.Merger).Refuse),
	resource.BeforeAll((*papers.Certificates).Decide),
	resource.BeforeAll((*merging.Merger).KeepOverrides),
	resource.BeforeAll((*compliance.Scheduler).AfterChange),
	resource.BeforeAll((*directory.Changes).ReportBans),
	resource.BeforeAll((*compliance.Scheduler).AfterRule),
	resource.BeforeAll((*rulebook.Book).Allow),
	resource.BeforeAll((*compliance.Scheduler).AfterOverride),
	resource.BeforeAll((*remit.Payables).Cancelled),
	resource.BeforeAll((*compliance.Scheduler).AfterRemitTo),
	resource.BeforeAll((*onboarding.States).AfterPacket),
	resource.BeforeAll((*bookmarks.Bookmarks).Decide),
	resource.BeforeAll((*incidents.Incidents).Decide),
	resource.BeforeAll((*directory.Changes).AskBeforeRemoval),
).Needs(attachmentsapi.Area, companiesapi.Area, contactsapi.Area).Listens(esignapi.Area, loadsapi.Area, regulatorapi.Area)
