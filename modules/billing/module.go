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
	fx.Provide(newTables, newFeatures, newSellers, newTaxes, newPlans, newHouse, newDrafter, newBills, newCharges, newLife, newCollector, newRunner, newLimits, fx.Private),
	fx.Provide(newAdmission, newSubscribing, newChanging, newCashier, newPaymentResults, newLedgerResults, newRefundResults, newCardResults, fx.Private),
	fx.Provide(newDesk, newSubscriptionHandlers, newPreviews, newInvoiceHandlers, newCardHandlers, newAccountHandlers, newActing, newOperatorSubscriptions,
		newOperatorInvoices, newRuns, fx.Private),
	fx.Provide(newEntitlements),
	item.Type(customerItem, "Customer", (*sellers).describeCustomers, nil, nil),
	web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In),
	web.Routes(planRoutes),
	web.Routes(sellerRoutes),
	web.Routes(subscriptionRoutes),
	web.Routes(previewRoutes),
	web.Routes(invoiceRoutes),
	web.Routes(cardRoutes),
	web.Routes(accountRoutes),
	web.Routes(operatorSubscriptionRoutes),
	web.Routes(operatorInvoiceRoutes),
	web.Routes(runRoutes),
	jobs.On((*runner).work, jobs.Timeout(runTimeout)),
	jobs.Every(runEvery, runArgs{}),
	hook.On((*limits).checking),
	events.On((*paymentResults).onCaptured),
	events.On((*paymentResults).onFailed),
	events.On((*paymentResults).onCanceled),
	events.On((*paymentResults).onActionRequired),
	events.On((*paymentResults).onCorrected),
	events.On((*paymentResults).onFee),
	events.On((*ledgerResults).onPayout),
	events.On((*ledgerResults).onPayoutFailed),
	events.On((*refundResults).onRefunded),
	events.On((*refundResults).onRefundFailed),
	events.On((*ledgerResults).onDisputed),
	events.On((*ledgerResults).onDisputeWon),
	events.On((*ledgerResults).onDisputePrevented),
	events.On((*ledgerResults).onDisputeLost),
	events.On((*cardResults).onCardSaved),
	events.On((*cardResults).onCardFailed),
	events.On((*cardResults).onCardRemoved),
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
