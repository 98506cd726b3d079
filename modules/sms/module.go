// Package sms sends and receives text messages and keeps the numbers they use.
//
// It owns the sms_* tables and every operation under /sms/api/v1. Vendors stand behind internal/provider. A
// message is handed over by a job, which never hands it over twice (docs/adr/0027); what vendors report comes in by
// ApplyStatus of delivery and Receive of incoming.
//
// This package has the contract, and wires the rooms below internal, each of which knows only those above it:
//
//	settings   the keys under modules.sms
//	store      the tables, and the life of messages
//	vendors    the accounts of companies, opened at their providers
//	accounts   what companies do with their accounts
//	company    how a company wants its messages, and the audit trail
//	delivery   messages are handed over, and what became of them
//	numbers    numbers are bought, imported, assigned and released
//	messages   messages as they are shown, and what people decide about them
//	composing  messages are made of drafts
//	incoming   what providers and phones send
package sms

import (
	"context"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/composing"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/incoming"
	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the sms area.
var Module = module.New(smsapi.Area, "Text messages, phone numbers and provider accounts",
	config.Section(settings.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "send"),
	fx.Provide(func(s settings.Settings) *settings.Settings { return new(s) }, fx.Private),
	fx.Provide(store.NewRepository, store.NewSummaries, store.NewAccounts, store.NewTexts, vendors.New, fx.Private),
	fx.Provide(newContract, fx.Private),
	fx.Provide(newContractSender, newContractOptOuts),
	resource.Of(store.TemplateRules()),
	secret.Column(store.TableAccounts, vendoraccount.Credentials),
	secret.Column(store.TableMessages, store.ColumnSealed),
	notify.Channel(notify.SMS, contract.notify),
	notify.Screen(contract.refuses),
	resource.Pointer("sms_messages", "owner_type", "owner_id"),
	summary.Section("sms", store.Summaries.Summarize),
	timeline.Source("sms", []string{"message"}, (*store.Repository).Timeline),
	dashboard.Count("unread_threads", "Threads with unread messages", (*store.Repository).CountUnread),
	dashboard.Count("unknown_messages", "Messages with an unknown outcome", (*store.Repository).CountUnknown),
	dashboard.Count("suspected_opt_outs", "Messages to review as possible opt-outs", (*store.Repository).CountSuspected),
	dashboard.Count("failing_accounts", "Provider accounts with failing credentials", (*store.Accounts).CountFailing),
	dashboard.Count("numbers", "Active phone numbers", (*store.Repository).CountNumbers),

	// Accounts, and how the company wants its messages.
	fx.Provide(accounts.NewService, company.NewTrail, company.NewProfile, fx.Private),
	web.Routes(accounts.Routes),
	web.Routes(company.Routes),
	jobs.On((*accounts.Service).CheckAll),
	jobs.Every(accounts.CheckEvery, accounts.CheckAccounts{}),
	jobs.On((*accounts.Service).CheckOne, jobs.Outside()),

	// Numbers.
	fx.Provide(numbers.NewEditor, numbers.NewDefaults, numbers.NewProvisioner, numbers.NewPurchases, numbers.NewReleases, numbers.NewAssignments, fx.Private),
	fx.Provide(numbers.NewHandlers, numbers.NewImporter, numbers.NewDemoSeed, fx.Private),
	web.Routes(numbers.Routes),
	web.Routes(numbers.PurchaseRoutes),
	web.Routes(numbers.ImportRoutes),
	web.Routes(numbers.DefaultRoutes),
	demo.Data(func(ctx context.Context, s *numbers.DemoSeed) error { return s.Seed(ctx) }),
	jobs.On((*numbers.Provisioner).BuyOne, jobs.Outside()),
	jobs.On((*numbers.Provisioner).ReleaseOne, jobs.Outside()),
	jobs.On((*numbers.Importer).ImportAll, jobs.Outside()),
	jobs.On((*numbers.Importer).RefreshAll),
	jobs.Every(numbers.RefreshEvery, numbers.RefreshNumbers{}),

	// Messages that are handed over.
	fx.Provide(delivery.NewQuietHours, delivery.NewOutbox, delivery.NewThrottles, delivery.NewBadNumbers, delivery.NewTurns, delivery.NewGuard, fx.Private),
	fx.Provide(delivery.NewAttempts, delivery.NewBeginner, delivery.NewCaller, delivery.NewResults, delivery.NewFinisher, delivery.NewSender, fx.Private),
	fx.Provide(delivery.NewOutcomes, delivery.NewPlayer, delivery.NewSweeper, delivery.NewReports, delivery.NewPollSchedule, fx.Private),
	fx.Provide(delivery.NewStatusPoller, delivery.NewOptOuts, fx.Private),
	jobs.On((*delivery.Sender).Send, jobs.Outside()),
	jobs.On((*delivery.Player).PlayStep),
	jobs.On((*delivery.Sweeper).SweepAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.SweepEvery, delivery.Sweep{}),
	jobs.On((*delivery.PollSchedule).PollAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.SweepEvery, delivery.PollAll{}),
	jobs.On((*delivery.StatusPoller).PollAccount, jobs.Outside(), jobs.Timeout(delivery.WorkTime)),
	jobs.On((*delivery.Sweeper).PurgeAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.PurgeEvery, delivery.Purge{}),

	// Messages, and how they are made.
	fx.Provide(messages.NewDesk, fx.Private),
	web.Routes(messages.Routes),
	web.Routes(messages.LifeRoutes),
	state.Life(store.Lifecycle),
	item.Type(store.MessageItem, "Text message", (*messages.Desk).Describe, (*messages.Desk).Fields, (*messages.Desk).Values),
	fx.Provide(composing.NewSenders, composing.NewRenderer, composing.NewChecks, composing.NewComposer, composing.NewRecipients, fx.Private),
	fx.Provide(composing.NewConcealer, composing.NewCreator, composing.NewOutgoing, composing.NewHandlers, fx.Private),
	web.Routes(composing.Routes),

	// What providers and phones send.
	fx.Provide(incoming.NewKeywords, incoming.NewReceiver, incoming.NewEndpoints, incoming.NewNotifications, incoming.NewFiler, fx.Private),
	fx.Provide(incoming.NewFetcher, incoming.NewFetchSchedule, incoming.NewThreads, incoming.NewConsents, fx.Private),
	web.Routes(incoming.ThreadRoutes),
	web.Routes(incoming.OptOutRoutes),
	inbound.Receiver(incoming.TwilioStatus()),
	inbound.Receiver(incoming.TwilioMessage()),
	inbound.Receiver(incoming.TelnyxNotice()),
	jobs.On((*incoming.Filer).KeepFile, jobs.Outside()),
	jobs.On((*incoming.FetchSchedule).FetchAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(incoming.FetchEvery, incoming.FetchAll{}),
	jobs.On((*incoming.Fetcher).FetchAccount, jobs.Outside(), jobs.Timeout(delivery.WorkTime)),

	events.Publishes(smsapi.MessageQueued{}),
	events.Publishes(smsapi.MessageSent{}),
	events.Publishes(smsapi.MessageDelivered{}),
	events.Publishes(smsapi.MessageFailed{}),
	events.Publishes(smsapi.MessageReceived{}),
	events.Publishes(smsapi.OptOutSuspected{}),
	events.Publishes(smsapi.OptOutAdded{}),
	events.Publishes(smsapi.OptOutRemoved{}),
).Needs(attachmentsapi.Area)
