// Package carriers stores carriers of companies and the data of the regulator of US carriers (FMCSA), and decides whether a carrier may take a load.
//
// It owns the carriers_* tables and every operation under /carriers/api/v1. All companies share the regulator's data, in internal/regulator.
package carriers

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator/feed"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the carriers area.
var Module = module.New(carriersapi.Area, "Carriers with verdicts, insurance and FMCSA data",
	config.Section(defaults()),
	fx.Provide(regulatorSettings, regulator.NewRefreshes, regulator.NewRegistry, fetchSettings, feed.NewRepository, feed.NewImporter, feed.NewFetcher, newLookups, newRegulatorCommand, fx.Private),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "validate", "merge"),
	identity.Grants(identity.Accountant, "remit"),
	resource.Of(carrierRules()),
	resource.Of(ruleRules()),
	resource.Of(overrideRules()),
	resource.Of(remitRules()),
	resource.Of(savedRules()),
	resource.Of(incidentRules()),
	resource.Of(packet.Rules()),
	fx.Provide(newRepository, newBook, newJudge, newDesk, newAccounts, newRemits, newShelf, newIncidents, newHistorian, newMerger, newAgreements, newCertificates, fx.Private),
	fx.Provide(packetSettings, newIdentities, newNeighbours, packet.NewOutside, packet.NewDesk, fx.Private),
	fx.Provide(newPayees, newContract, newProver, newProspects, newClaims),
	resource.BeforeAll((*merger).refuse),
	resource.BeforeAll((*certificates).decide),
	resource.BeforeAll((*merger).keepOverrides),
	resource.BeforeAll((*judge).afterChange),
	resource.BeforeAll((*judge).reportBans),
	resource.BeforeAll((*judge).afterRule),
	resource.BeforeAll((*book).allow),
	resource.BeforeAll((*judge).afterOverride),
	resource.BeforeAll((*judge).afterRemitTo),
	resource.BeforeAll((*judge).afterPacket),
	resource.BeforeAll((*shelf).decide),
	resource.BeforeAll((*incidents).decide),
	resource.BeforeAll((*historian).removing),
	fx.Provide(newBoards, newBoardSandbox, newBoardLookups, fx.Private),
	port.Provides[carriersapi.Board, *boardSandbox]("sandbox"),
	web.Routes(boardRoutes),
	jobs.On((*boards).ask, jobs.Outside()),
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
	web.Routes(regulatorRoutes),
	jobs.On((*judge).recheck),
	jobs.On((*judge).recheckCompany),
	jobs.On((*judge).recheckAll),
	jobs.Every(recheckEvery, recheckAll{}),
	jobs.On((*remits).applyHeld),
	jobs.On((*packet.Desk).ExpireAll),
	jobs.Every(packet.ExpireEvery, packet.Expire{}),
	link.Declare(packet.Purpose, packet.LinkRules()),
	events.On((*agreements).onCompleted),
	events.On((*agreements).onStored),
	hook.On((*judge).covering),
	hook.On((*judge).agreed),
	hook.On((*judge).onRecording, hook.Priority(1)), // after who has carried it is known
	hook.Declares[carriersapi.ChangingRemitTo]("carriers.carrier.changing_remit_to"),
	hook.Declares[carriersapi.Removing]("carriers.carrier.removing"),
	secret.Column(accountsTable, accountColumn),
	secret.Column(packet.AccountsTable, packet.AccountColumn),
	events.Publishes(carriersapi.ComplianceChanged{}),
	events.Publishes(carriersapi.Banned{}),
	events.Publishes(carriersapi.Merged{}),
	events.Publishes(carriersapi.Unmerged{}),
	jobs.On((*regulator.Registry).Refresh, jobs.Outside()),
	jobs.On((*feed.Fetcher).Run, jobs.Outside()),
	jobs.Every(time.Hour, feed.FetchArgs{}),
	cli.Command("regulator", "The regulator's data: import --set=SET FILE|- reads a file, fetch reads the daily differences, status lists the sets",
		(*regulatorCommand).run,
		cli.Flag{Name: "set", Usage: "which set the file has"},
		cli.Flag{Name: "date", Usage: "of which day the set is (YYYY-MM-DD); the day of the file's last change without it"},
		cli.Flag{Name: "errors", Usage: "file for the rows that cannot be read; FILE.errors.csv without it"},
		cli.Flag{Name: "shrink", Usage: "accept a file with less than half of the rows that the set had", Switch: true}),
).Needs(attachmentsapi.Area, companiesapi.Area, contactsapi.Area).Listens(esignapi.Area, loadsapi.Area)
