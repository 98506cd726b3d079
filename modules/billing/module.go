// Package billing sells the service to companies: plans, subscriptions, and the operator's invoices for them.
//
// It owns the billing_* tables and every operation under /billing/api/v1. Cards are charged by the area cards, money is kept in the ledger of
// the operator's own company.
//
// This package wires the rooms below internal, and each knows only those above it:
//
//	terms          what subscriptions cost and when, from arguments alone
//	store          the rows and what follows from a row alone, the settings, and the failures
//	catalogue      who sells, plans, tax rates, and what plans grant to companies
//	books          the seller's ledger, and its series of numbers
//	invoicing      invoices and credit notes: added up, issued, settled, printed
//	charging       cards are saved, charged and refunded at the area cards
//	subscriptions  companies subscribe and change, and what is due with them is done
//	paying         invoices are paid and credited
//	results        what the area cards reports
//	operator       the operator acts for companies
package billing

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/operator"
	"github.com/dispatchd/dispatchd/modules/billing/internal/paying"
	"github.com/dispatchd/dispatchd/modules/billing/internal/results"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/document"
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
	config.Section(store.DefaultSettings()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(store.SubscriptionRules()),
	resource.Of(store.InvoiceRules()),
	resource.Of(store.PaymentRules()),
	resource.Of(store.CreditNoteRules()),
	fx.Provide(store.NewTables, fx.Private),

	// What the operator sets up.
	fx.Provide(catalogue.NewFeatures, catalogue.NewSellers, catalogue.NewTaxes, catalogue.NewPlans, catalogue.NewDesk, catalogue.NewEntitlements, fx.Private),
	fx.Provide(newEntitlements),
	item.Type(store.CustomerItem, "Customer", (*catalogue.Sellers).DescribeCustomers, nil, nil),
	web.Routes(catalogue.PlanRoutes),
	web.Routes(catalogue.SellerRoutes),
	hook.On((*catalogue.Entitlements).CheckLimit),

	// Invoices, and how they are paid.
	numbering.Series(books.InvoiceSeries, "INV-{yyyy}-{seq:6}"),
	numbering.Series(books.CreditSeries, "CN-{yyyy}-{seq:6}"),
	fx.Provide(books.NewHouse, invoicing.NewDrafter, invoicing.NewBills, invoicing.NewDownloads, invoicing.NewPapers, charging.NewWallet, charging.NewCharges, fx.Private),
	fx.Provide(charging.NewCards, fx.Private),
	document.Kind(invoicing.InvoiceKind, "Invoice", (*invoicing.Papers).Invoice,
		document.About(store.InvoiceItem), document.For(document.Customer), document.Example(invoicing.InvoiceExample)),
	document.Kind(invoicing.CreditKind, "Credit note", (*invoicing.Papers).Credit,
		document.About(store.CreditItem), document.For(document.Customer), document.Example(invoicing.CreditExample)),
	document.Source([]string{store.InvoiceItem}, (*invoicing.Papers).Papers),
	web.Routes(invoicing.DownloadRoutes),
	web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In),
	web.Routes(charging.CardRoutes),

	// Subscriptions.
	fx.Provide(subscriptions.NewLife, subscriptions.NewCollector, subscriptions.NewRenewer, subscriptions.NewRunner, subscriptions.NewAdmission, subscriptions.NewSubscriber, fx.Private),
	fx.Provide(subscriptions.NewChanger, subscriptions.NewHandlers, subscriptions.NewPreviews, subscriptions.NewAccount, fx.Private),
	web.Routes(subscriptions.Routes),
	web.Routes(subscriptions.PreviewRoutes),
	web.Routes(subscriptions.AccountRoutes),
	jobs.On((*subscriptions.Runner).Work, jobs.Timeout(subscriptions.RunTimeout)),
	jobs.Every(subscriptions.RunEvery, subscriptions.Run{}),
	fx.Provide(paying.NewCashier, paying.NewCreditor, fx.Private),
	web.Routes(paying.Routes),

	// The operator.
	fx.Provide(operator.NewActing, operator.NewSubscriptions, operator.NewInvoices, operator.NewRuns, fx.Private),
	web.Routes(operator.SubscriptionRoutes),
	web.Routes(operator.InvoiceRoutes),
	web.Routes(operator.RunRoutes),

	// What the area cards reports.
	fx.Provide(results.NewPayments, results.NewLedger, results.NewRefunds, results.NewCards, fx.Private),
	events.On((*results.Payments).OnCaptured),
	events.On((*results.Payments).OnFailed),
	events.On((*results.Payments).OnCanceled),
	events.On((*results.Payments).OnActionRequired),
	events.On((*results.Payments).OnCorrected),
	events.On((*results.Payments).OnFee),
	events.On((*results.Ledger).OnPayout),
	events.On((*results.Ledger).OnPayoutFailed),
	events.On((*results.Refunds).OnRefunded),
	events.On((*results.Refunds).OnRefundFailed),
	events.On((*results.Ledger).OnDisputed),
	events.On((*results.Ledger).OnDisputeWon),
	events.On((*results.Ledger).OnDisputePrevented),
	events.On((*results.Ledger).OnDisputeLost),
	events.On((*results.Cards).OnCardSaved),
	events.On((*results.Cards).OnCardFailed),
	events.On((*results.Cards).OnCardRemoved),

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

func newEntitlements(e *catalogue.Entitlements) billingapi.Entitlements { return e }
