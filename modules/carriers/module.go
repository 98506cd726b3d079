// Package carriers stores carriers of companies, and decides whether a carrier may take a load.
//
// It owns the carriers_* tables and the operations under /carriers/api/v1, but for those of the area regulator, which keeps its names.
package carriers

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/boards"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
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
	fx.Provide(registry.New, newRouterTest, fx.Private),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "validate", "merge"),
	identity.Grants(identity.Accountant, "remit"),
	resource.Of(carrierRules()),
	resource.Of(rulebook.RuleRules()),
	resource.Of(rulebook.OverrideRules()),
	resource.Of(remit.Rules()),
	resource.Of(savedRules()),
	resource.Of(incidentRules()),
	resource.Of(packet.Rules()),
	fx.Provide(newRepository, newRoster, rulebook.New, newEvidence, newJudge, newRechecks, newLoadSide, newDesk, newSuggester, fx.Private),
	fx.Provide(remit.New, accounts.New, newApplier, newRemits, newVerifier, newRemitDesk, fx.Private),
	fx.Provide(newShelf, newIncidents, newHistorian, newRemovals, newMergeRules, newMover, merge.New[carrier], newMerger, newAgreements, newCertificates, fx.Private),
	fx.Provide(newConfirmations, newCodeSender, newIdentities, newOnboarding, newPacketStates, fx.Private),
	fx.Provide(packetSettings, newNeighbours, packet.NewOutside, packet.NewDesk, fx.Private),
	fx.Provide(newPayees, newContract, newProver, newProspects, newClaims),
	resource.BeforeAll((*merger).refuse),
	resource.BeforeAll((*certificates).decide),
	resource.BeforeAll((*merger).keepOverrides),
	resource.BeforeAll((*rechecks).afterChange),
	resource.BeforeAll((*rechecks).reportBans),
	resource.BeforeAll((*rechecks).afterRule),
	resource.BeforeAll((*rulebook.Book).Allow),
	resource.BeforeAll((*rechecks).afterOverride),
	resource.BeforeAll((*remit.Payables).Cancelled),
	resource.BeforeAll((*rechecks).afterRemitTo),
	resource.BeforeAll((*packetStates).afterPacket),
	resource.BeforeAll((*shelf).decide),
	resource.BeforeAll((*incidents).decide),
	resource.BeforeAll((*removals).ask),
	fx.Provide(boardAges, boards.New, boards.NewSandbox, boards.NewLookups, fx.Private),
	port.Provides[carriersapi.Board, *boards.Sandbox]("sandbox"),
	web.Routes(boards.Routes),
	jobs.On((*boards.Boards).Ask, jobs.Outside()),
	web.Routes(carrierRoutes),
	web.Routes(remitRoutes),
	web.Routes(identityRoutes),
	web.Routes(mergeRoutes),
	web.Routes(savedRoutes),
	web.Routes(historyRoutes),
	web.Routes(incidentRoutes),
	web.Routes(suggestionRoutes),
	web.Routes(packet.Routes),
	web.Routes(packet.LinkRoutes),
	web.Routes(testRoutes),
	jobs.On((*rechecks).recheck),
	jobs.On((*rechecks).recheckCompany),
	jobs.On((*rechecks).recheckAll),
	jobs.Every(recheckEvery, recheckAll{}),
	jobs.On((*applier).applyHeld),
	jobs.On((*packet.Desk).ExpireAll),
	jobs.Every(packet.ExpireEvery, packet.Expire{}),
	link.Declare(packet.Purpose, packet.LinkRules()),
	events.On((*agreements).onCompleted),
	events.On((*agreements).onStored),
	hook.On((*loadSide).covering),
	hook.On((*loadSide).agreed),
	hook.On((*loadSide).onRecording, hook.Priority(1)), // after who has carried it is known
	hook.Declares[carriersapi.ChangingRemitTo]("carriers.carrier.changing_remit_to"),
	hook.Declares[carriersapi.Removing]("carriers.carrier.removing"),
	secret.Column(accounts.Table, accounts.Column),
	secret.Column(packet.AccountsTable, packet.AccountColumn),
	events.Publishes(carriersapi.ComplianceChanged{}),
	events.Publishes(carriersapi.Banned{}),
	events.Publishes(carriersapi.Merged{}),
	events.Publishes(carriersapi.Unmerged{}),
).Needs(attachmentsapi.Area, companiesapi.Area, contactsapi.Area).Listens(esignapi.Area, loadsapi.Area, regulatorapi.Area)
