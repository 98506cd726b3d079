// Package sms sends and receives text messages and keeps the numbers they use.
//
// It owns the sms_* tables and every operation under /sms/api/v1. Vendors stand behind internal/provider. A
// message is handed over by a job, which never hands it over twice (docs/adr/0027); what vendors tell comes in by
// applyStatus and receive.
package sms

import (
	"context"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
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
	fx.Provide(func(s settings.Settings) *settings.Settings { return new(s) }, store.NewRepository, store.NewSummaries, store.NewAccounts, store.NewTexts, vendors.New, newTrail, newCompanySettings, delivery.NewQuietHours, newContract, fx.Private),
	fx.Provide(newAccounts, newNumbers, newPurchases, newReleases, newAssignments, newNumberHandlers, newDefaultNumbers, newProvisioner, newImporter, newDemoSeed, fx.Private),
	fx.Provide(newMessages, newOutgoing, newOutgoingHandlers, newComposer, newSenders, newRenderer, newChecks, newCreator, newRecipients, newConcealer, fx.Private),
	fx.Provide(delivery.NewOutbox, delivery.NewThrottles, delivery.NewBadNumbers, delivery.NewTurns, delivery.NewGuard, delivery.NewAttempts, delivery.NewBeginner,
		delivery.NewCaller, delivery.NewResults, delivery.NewFinisher, delivery.NewSender, delivery.NewOutcomes, delivery.NewPlayer, delivery.NewSweeper, fx.Private),
	fx.Provide(delivery.NewReports, delivery.NewPollSchedule, delivery.NewStatusPoller, newKeywords, newReceiver, newEndpoints, newNotifications, newFetcher, newFetchSchedule, newThreads, delivery.NewOptOuts, newConsents, newFiler, fx.Private),
	fx.Provide(newContractSender, newContractOptOuts),
	web.Routes(accountRoutes),
	web.Routes(numberRoutes),
	web.Routes(purchaseRoutes),
	web.Routes(importRoutes),
	web.Routes(defaultRoutes),
	web.Routes(settingRoutes),
	web.Routes(messageRoutes),
	web.Routes(outgoingRoutes),
	web.Routes(lifeRoutes),
	web.Routes(threadRoutes),
	web.Routes(optOutRoutes),
	resource.Of(store.TemplateRules()),
	demo.Data(func(ctx context.Context, s *demoSeed) error { return s.seed(ctx) }),
	secret.Column(store.TableAccounts, vendoraccount.Credentials),
	secret.Column(store.TableMessages, store.ColumnSealed),
	notify.Channel(notify.SMS, contract.notify),
	notify.Screen(contract.refuses),
	state.Life(store.Lifecycle),
	item.Type(store.MessageItem, "Text message", (*messages).describe, (*messages).fields, (*messages).values),
	resource.Pointer("sms_messages", "owner_type", "owner_id"),
	summary.Section("sms", store.Summaries.Summarize),
	timeline.Source("sms", []string{"message"}, (*store.Repository).Timeline),
	dashboard.Count("unread_threads", "Threads with unread messages", (*store.Repository).CountUnread),
	dashboard.Count("unknown_messages", "Messages with an unknown outcome", (*store.Repository).CountUnknown),
	dashboard.Count("suspected_opt_outs", "Messages to review as possible opt-outs", (*store.Repository).CountSuspected),
	dashboard.Count("failing_accounts", "Provider accounts with failing credentials", (*store.Accounts).CountFailing),
	dashboard.Count("numbers", "Active phone numbers", (*store.Repository).CountNumbers),
	jobs.On((*delivery.Sender).Send, jobs.Outside()),
	jobs.On((*delivery.Player).PlayStep),
	jobs.On((*provisioner).buyOne, jobs.Outside()),
	jobs.On((*provisioner).releaseOne, jobs.Outside()),
	jobs.On((*importer).importAll, jobs.Outside()),
	jobs.On((*delivery.Sweeper).SweepAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.SweepEvery, delivery.Sweep{}),
	jobs.On((*delivery.PollSchedule).PollAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.SweepEvery, delivery.PollAll{}),
	jobs.On((*delivery.StatusPoller).PollAccount, jobs.Outside(), jobs.Timeout(delivery.WorkTime)),
	jobs.On((*fetchSchedule).fetchAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(missedEvery, fetchAllInboundJob{}),
	jobs.On((*fetcher).fetchAccount, jobs.Outside(), jobs.Timeout(delivery.WorkTime)),
	jobs.On((*filer).keepFile, jobs.Outside()),
	jobs.On((*delivery.Sweeper).PurgeAll, jobs.Timeout(delivery.WorkTime)),
	jobs.Every(delivery.PurgeEvery, delivery.Purge{}),
	jobs.On((*accounts).checkAll),
	jobs.Every(checkEvery, checkAccountsJob{}),
	jobs.On((*importer).refreshAll),
	jobs.Every(refreshEvery, refreshNumbersJob{}),
	jobs.On((*accounts).checkOne, jobs.Outside()),
	inbound.Receiver(twilioStatus()),
	inbound.Receiver(twilioMessage()),
	inbound.Receiver(telnyxNotice()),
	events.Publishes(smsapi.MessageQueued{}),
	events.Publishes(smsapi.MessageSent{}),
	events.Publishes(smsapi.MessageDelivered{}),
	events.Publishes(smsapi.MessageFailed{}),
	events.Publishes(smsapi.MessageReceived{}),
	events.Publishes(smsapi.OptOutSuspected{}),
	events.Publishes(smsapi.OptOutAdded{}),
	events.Publishes(smsapi.OptOutRemoved{}),
).Needs(attachmentsapi.Area)
