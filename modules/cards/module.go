// Package cards saves, charges and refunds cards at vendors of card payments.
//
// It owns the cards_* tables and every operation under /cards/api/v1. Vendors are adapters of cardsapi.Vendor, in this area the sandbox.
// No card number ever enters: the vendor's card fields return a token, and requests with a number are refused.
//
// This package has the routes, the receiver of the sandbox's notifications, and the contract. The rest is in packages below internal,
// each of which knows those above it alone:
//
//	settings   the keys under modules.cards
//	store      the tables, and the lives of payments, refunds, cards and disputes
//	accounts   accounts at vendors
//	paylinks   links by which people without an account pay
//	payments   orders, calls to vendors, and what vendors report
//	sandbox    a vendor that is part of the service
//	reconcile  comparisons with vendors, and payouts
package cards

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/paylinks"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the cards area.
var Module = module.New(cardsapi.Area, "Card payments: vendor accounts, cards on file, payments, refunds and disputes",
	config.Section(settings.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "charge"),
	web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In),
	fx.Provide(store.NewRepository, store.NewAccounts, accounts.NewVendors, accounts.NewChecks, accounts.New, newForgets, sandbox.New, fx.Private),
	fx.Provide(newAccountHandlers, newPaymentHandlers, newReconcileHandlers, newSandboxHandlers, newPoster, newReceiver, newPayLinks, fx.Private),
	fx.Provide(payments.NewBook, payments.NewOrders, payments.NewReports, payments.NewPayouts, payments.NewNotices, fx.Private),
	fx.Provide(payments.NewCharger, payments.NewEnder, payments.NewRefunder, payments.NewKeeper, payments.NewAsker, payments.NewSweeper, fx.Private),
	fx.Provide(reconcile.New, reconcile.NewApplier, reconcile.NewPayouts, reconcile.NewSchedule, fx.Private),
	fx.Provide(newContract, newRecords, newReports, newVendorAccounts),
	port.Provides[cardsapi.Vendor, *sandbox.Sandbox](sandbox.Name),
	port.Provides[cardsapi.PayLinks, *paylinks.Desk](cardsapi.Area),

	// Rows.
	resource.Of(store.CardRules()),
	resource.Of(store.PaymentRules()),
	resource.Of(store.RefundRules()),
	resource.Of(store.DisputeRules()),
	resource.Of(store.PayoutRules()),
	resource.Of(store.PayLinkRules()),
	secret.Column(store.TableAccounts, vendoraccount.Credentials),

	// Operations.
	web.Routes(accountRoutes),
	web.Routes(cardRoutes),
	web.Routes(paymentRoutes),
	web.Routes(paylinks.Routes),
	link.Declare(paylinks.Purpose, paylinks.LinkRules()),
	web.Routes(reconcileRoutes),
	web.Routes(sandboxRoutes),
	inbound.Receiver(sandboxKind()),
	dashboard.Count("failing_accounts", "Card accounts with failing credentials", (*store.Accounts).CountFailing),
	dashboard.Count("unknown_payments", "Payments with an unknown outcome", (*store.Repository).CountUnknown),
	dashboard.Count("authorized_payments", "Payments to capture or cancel", (*store.Repository).CountAuthorized),
	dashboard.Count("open_disputes", "Open disputes", (*store.Repository).CountOpenDisputes),
	demo.Data(seedDemo),

	// Jobs.
	jobs.On((*payments.Charger).Charge, jobs.Outside()),
	jobs.On((*payments.Ender).End, jobs.Outside()),
	jobs.On((*payments.Refunder).Refund, jobs.Outside()),
	jobs.On((*payments.Keeper).Save, jobs.Outside()),
	jobs.On((*payments.Keeper).Remove, jobs.Outside()),
	jobs.On((*payments.Asker).Ask, jobs.Outside()),
	jobs.On((*payments.Sweeper).Sweep, jobs.Timeout(payments.SweepTime)),
	jobs.Every(payments.SweepEvery, payments.Sweep{}),
	jobs.On((*accounts.Checks).CheckAll),
	jobs.Every(accounts.CheckEvery, accounts.CheckAll{}),
	jobs.On((*accounts.Checks).CheckOne, jobs.Outside()),
	jobs.On((*reconcile.Service).Compare, jobs.Outside(), jobs.Timeout(reconcile.CompareTime)),
	jobs.On((*reconcile.Schedule).FetchAll),
	jobs.Every(reconcile.PayoutsEvery, reconcile.FetchAll{}),
	jobs.On((*reconcile.Payouts).FetchOne, jobs.Outside(), jobs.Timeout(reconcile.CompareTime)),
	jobs.On((*receiver).deliver, jobs.Outside(), jobs.Timeout(2*time.Minute)),
	jobs.On((*sandbox.Sandbox).Play),

	events.Publishes(cardsapi.PaymentAuthorizedEvent{}),
	events.Publishes(cardsapi.PaymentActionRequiredEvent{}),
	events.Publishes(cardsapi.PaymentCapturedEvent{}),
	events.Publishes(cardsapi.PaymentFeeEvent{}),
	events.Publishes(cardsapi.PaymentFailedEvent{}),
	events.Publishes(cardsapi.PaymentCanceledEvent{}),
	events.Publishes(cardsapi.PaymentUnknownEvent{}),
	events.Publishes(cardsapi.PaymentCorrectedEvent{}),
	events.Publishes(cardsapi.RefundCompletedEvent{}),
	events.Publishes(cardsapi.RefundFailedEvent{}),
	events.Publishes(cardsapi.RefundUnknownEvent{}),
	events.Publishes(cardsapi.CardSavedEvent{}),
	events.Publishes(cardsapi.CardFailedEvent{}),
	events.Publishes(cardsapi.CardRemovedEvent{}),
	events.Publishes(cardsapi.DisputeOpenedEvent{}),
	events.Publishes(cardsapi.DisputeWonEvent{}),
	events.Publishes(cardsapi.DisputeLostEvent{}),
	events.Publishes(cardsapi.PayoutPaidEvent{}),
	events.Publishes(cardsapi.PayoutFailedEvent{}),
	events.Publishes(cardsapi.DisputePreventedEvent{}),
	events.Publishes(cardsapi.AccountRevokedEvent{}),
).Needs(companiesapi.Area)

func newForgets(s *sandbox.Sandbox) accounts.Forgets { return s }
