// Package esign has documents signed: accounts at vendors of electronic signatures, their templates and how these are
// filled, envelopes, and the receiver of the vendors' notifications.
//
// It owns the esign_* tables and every operation under /esign/api/v1. Vendors stand behind internal/provider.
package esign

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	inbox "github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the e-signature area.
var Module = module.New(esignapi.Area, "Electronic signatures: accounts, templates and envelopes",
	config.Section(defaults()),
	fx.Provide(newRepository, newStore, newVendors, newGround, newCore, fx.Private),

	// Accounts and providers.
	fx.Provide(newProviders, newAccounts, sandbox.New, newTeller, fx.Private),
	web.Routes(accountRoutes),
	jobs.On((*accounts).checkAll),
	jobs.Every(checkEvery, checking{}),
	jobs.On((*accounts).checkOne, jobs.Outside()),
	web.Routes(sandbox.Routes),
	link.Declare(sandbox.Viewing, link.Rules{Uses: 1, Life: sandbox.ViewingLife}),
	link.Declare(sandbox.Signing, link.Rules{Life: sandbox.SigningLife}),
	jobs.On((*teller).tell, jobs.Outside(), jobs.Timeout(2*time.Minute)),
	jobs.On((*sandbox.Sandbox).Expire),
	dashboard.Count("failing_accounts", "Accounts at providers of signatures that do not work", (*store).CountFailing),

	// Templates, mappings, envelopes and documents.
	fx.Provide(newTemplates, newEnvelopes, newSender, newSigning, newArchive, fx.Private),
	fx.Provide(newContract),
	web.Routes(templateRoutes),
	web.Routes(mappingRoutes),
	resource.Of(mappingRules()),
	resource.BeforeAll((*core).decide),
	web.Routes(envelopeRoutes),
	web.Routes(actionRoutes),
	web.Routes(signingRoutes),
	web.Routes(documentRoutes),
	item.Type(envelopeItem, "Envelope", (*envelopes).describe, (*envelopes).itemFields, (*envelopes).values),
	timeline.Source("esign", []string{"envelope"}, (*repository).timeline),
	dashboard.Count("envelopes_under_way", "Envelopes that wait for signatures", (*repository).countUnderWay),
	dashboard.Count("unknown_envelopes", "Envelopes of which nobody knows whether they were sent", (*repository).countUnknown),
	dashboard.Count("failed_envelopes", "Envelopes that could not be sent", (*repository).countFailed),
	jobs.On((*templates).syncAll, jobs.Timeout(syncTime)),
	jobs.Every(syncEvery, syncingAll{}),
	jobs.On((*templates).syncOne, jobs.Outside(), jobs.Timeout(syncTime)),
	jobs.On((*sender).hand, jobs.Outside(), jobs.Timeout(sendTime)),
	jobs.On((*sender).act, jobs.Outside()),
	jobs.On((*sender).sweepAll, jobs.Timeout(sweepTime)),
	jobs.Every(sweepEvery, sweep{}),
	jobs.On((*archive).fetchAll, jobs.Outside(), jobs.Timeout(documentTime)),
	demo.Data(seedDemo),
	events.On((*envelopes).onDeclined),
	events.On((*envelopes).onVoided),
	events.On((*envelopes).onExpired),
	events.On((*envelopes).onDeleted),

	// Notifications.
	fx.Provide(newConnections, newReceiver, fx.Private),
	web.Routes(connectionRoutes),
	web.DeclareScope(callbackScope, "To send notifications of envelopes to the receiver"),
	inbox.Receiver(callback()),
	jobs.On((*core).sweepStrays),
	jobs.Every(straySweep, sweepingStrays{}),
	jobs.On((*core).sweepTokens),
	jobs.Every(straySweep, sweepingTokens{}),
	jobs.On((*core).askChanges),
	jobs.Every(changesEvery, askingChanges{}),
	jobs.On((*core).askPage, jobs.Outside(), jobs.Timeout(changesTime)),
	secret.Column(tableAccounts, vendoraccount.Credentials),
	secret.Column(tableKeys, columnSecret),
	state.Life(lifecycle()),
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
