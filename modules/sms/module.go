// Package sms sends and receives text messages and keeps the numbers they use.
//
// It owns the sms_* tables and every operation under /sms/api/v1. Vendors stand behind internal/provider. A
// message is handed over by a job, which never hands it over twice (docs/adr/0027); what vendors tell comes in by
// applyStatus and receive.
package sms

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	inbox "github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the sms area.
var Module = module.New(smsapi.Area, "Text messages, the numbers they use, and provider accounts",
	config.Section(defaults()),
	fx.Provide(newRepository, newStore, newVendors, newGround, newCore, newAccounts, newNumbers, newMessages, newSender, newReceiver, newFiler, fx.Private),
	fx.Provide(newContractSender, newContractOptOuts),
	web.Routes(accountRoutes),
	web.Routes(numberRoutes),
	web.Routes(defaultRoutes),
	web.Routes(settingRoutes),
	web.Routes(messageRoutes),
	web.Routes(lifeRoutes),
	web.Routes(threadRoutes),
	web.Routes(optOutRoutes),
	resource.Of(templateRules()),
	demo.Data(seedDemo),
	secret.Column(tableAccounts, vendoraccount.Credentials),
	state.Life(lifecycle()),
	item.Type(messageItem, "Text message", (*messages).describe, (*messages).fields, (*messages).values),
	timeline.Source("sms", []string{"message"}, (*repository).timeline),
	dashboard.Count("unread_threads", "Threads with unread messages", (*repository).countUnread),
	dashboard.Count("unknown_messages", "Messages of which nobody knows whether they were sent", (*repository).countUnknown),
	dashboard.Count("suspected_opt_outs", "Messages that may be opt-outs, for a person to decide", (*repository).countSuspected),
	dashboard.Count("failing_accounts", "Provider accounts whose credentials do not work", (*store).CountFailing),
	dashboard.Count("numbers", "Active phone numbers", (*repository).countNumbers),
	jobs.On((*sender).hand, jobs.Outside()),
	jobs.On((*sender).playOne),
	jobs.On((*numbers).buyOne, jobs.Outside()),
	jobs.On((*numbers).releaseOne, jobs.Outside()),
	jobs.On((*numbers).importAll, jobs.Outside()),
	jobs.On((*sender).sweepAll, jobs.Timeout(workTime)),
	jobs.Every(sweepEvery, sweep{}),
	jobs.On((*sender).askAll, jobs.Timeout(workTime)),
	jobs.Every(sweepEvery, askingAll{}),
	jobs.On((*sender).askAccount, jobs.Outside(), jobs.Timeout(workTime)),
	jobs.On((*receiver).fetchAll, jobs.Timeout(workTime)),
	jobs.Every(missedEvery, fetchingAll{}),
	jobs.On((*receiver).fetchAccount, jobs.Outside(), jobs.Timeout(workTime)),
	jobs.On((*filer).keepFile, jobs.Outside()),
	jobs.On((*sender).purgeAll, jobs.Timeout(workTime)),
	jobs.Every(purgeEvery, purge{}),
	jobs.On((*accounts).checkAll),
	jobs.Every(checkEvery, checking{}),
	jobs.On((*numbers).refreshAll),
	jobs.Every(refreshEvery, refreshing{}),
	jobs.On((*accounts).checkOne, jobs.Outside()),
	inbox.Receiver(twilioStatus()),
	inbox.Receiver(twilioMessage()),
	inbox.Receiver(telnyxNotice()),
	events.Publishes(smsapi.MessageQueued{}),
	events.Publishes(smsapi.MessageSent{}),
	events.Publishes(smsapi.MessageDelivered{}),
	events.Publishes(smsapi.MessageFailed{}),
	events.Publishes(smsapi.MessageReceived{}),
	events.Publishes(smsapi.OptOutSuspected{}),
	events.Publishes(smsapi.OptOutAdded{}),
	events.Publishes(smsapi.OptOutRemoved{}),
).Needs(attachmentsapi.Area)
