// Package billing sells the service to companies: plans, subscriptions, and the operator's invoices for them.
//
// It owns the billing_* tables and every operation under /billing/api/v1. Cards are charged by the area cards, money is kept in the ledger of
// the operator's own company.
package billing

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the billing area.
var Module = module.New(billingapi.Area, "Plans, subscriptions and invoices for companies that use the service",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(subscriptionRules()),
	resource.Of(invoiceRules()),
	resource.Of(paymentRules()),
	resource.Of(creditNoteRules()),
	numbering.Series(invoiceSeries, "INV-{yyyy}-{seq:6}"),
	numbering.Series(creditSeries, "CN-{yyyy}-{seq:6}"),
	fx.Provide(newFeatures, newSellers, newTaxes, newPlans, newHouse, newOffice, newBills, newCharges, newService, fx.Private),
	fx.Provide(newDesk, newSubscriber, newRunner, newCounter, newResults, newLimits, fx.Private),
	fx.Provide(newEntitlements),
	item.Type(customerItem, "Customer", (*sellers).describeCustomers, nil, nil),
	web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In),
	web.Routes(planRoutes),
	web.Routes(sellerRoutes),
	web.Routes(subscriptionRoutes),
	web.Routes(invoiceRoutes),
	web.Routes(cardRoutes),
	web.Routes(operatorRoutes),
	jobs.On((*runner).work, jobs.Timeout(runTimeout)),
	jobs.Every(runEvery, runArgs{}),
	hook.On((*limits).checking),
	events.On((*results).onCaptured),
	events.On((*results).onFailed),
	events.On((*results).onCanceled),
	events.On((*results).onActionRequired),
	events.On((*results).onCorrected),
	events.On((*results).onFee),
	events.On((*results).onPayout),
	events.On((*results).onPayoutFailed),
	events.On((*results).onRefunded),
	events.On((*results).onRefundFailed),
	events.On((*results).onDisputed),
	events.On((*results).onDisputeWon),
	events.On((*results).onDisputePrevented),
	events.On((*results).onDisputeLost),
	events.On((*results).onCardSaved),
	events.On((*results).onCardFailed),
	events.On((*results).onCardRemoved),
	events.Publishes(billingapi.SubscriptionStarted{}),
	events.Publishes(billingapi.SubscriptionTrialEnding{}),
	events.Publishes(billingapi.SubscriptionMoved{}),
	events.Publishes(billingapi.SubscriptionRenewed{}),
	events.Publishes(billingapi.SubscriptionPlanChanged{}),
	events.Publishes(billingapi.InvoiceIssued{}),
	events.Publishes(billingapi.InvoicePaid{}),
	events.Publishes(billingapi.InvoiceWrittenOff{}),
	events.Publishes(billingapi.InvoiceCredited{}),
	events.Publishes(billingapi.PaymentCaptured{}),
	events.Publishes(billingapi.PaymentFailed{}),
	events.Publishes(billingapi.PaymentReversed{}),
).Needs(cardsapi.Area)
