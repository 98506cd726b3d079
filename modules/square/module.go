// Package square charges cards at Square, and has Square's names for customers, cards and payments.
//
// It is a vendor of the area cards, which keeps the accounts, cards and payments. It owns the table square_grants, of merchants who
// connected with OAuth; its operations are under /square/api/v1.
//
//	internal/gateway  the adapter to Square's API and notifications
package square

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the square area.
var Module = module.New(gateway.Name, "Card payments at Square",
	config.Section(gateway.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "charge"),
	web.CheckBodies(cardsapi.ErrCardNumber, cardnumber.In),
	fx.Provide(gateway.New, newApplication, newGrants, newRenewals, newConnector, newOpener, newCustomers, newSavedCards, newCharges, newRefunds, newAccountHandlers, newReceiver, newDoor, fx.Private),
	port.Provides[cardsapi.Vendor, *gateway.Square](gateway.Name),
	inbound.Receiver(noticeKind()),
	web.Routes(accountRoutes),
	web.Routes(oauthRoutes),
	link.Declare(connecting, link.Rules{Uses: 1, Life: connectLife}),
	jobs.On((*renewals).renewAll),
	jobs.Every(renewSweep, renewAll{}),
	jobs.On((*renewals).renewOne, jobs.Outside()),
	web.Routes(customerRoutes),
	web.Routes(cardRoutes),
	web.Routes(paymentRoutes),
	web.Routes(refundRoutes),
).Needs(cardsapi.Area, companiesapi.Area)
