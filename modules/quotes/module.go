// Package quotes names prices for loads, and has customers accept them.
//
// It owns the quotes_* tables and every operation under /quotes/api/v1.
//
//	quote.go   a quote, and its life
//	price.go   its lines and options, and how they add up
//	desk.go    what is decided about quotes, and what follows for their loads
//	link.go, page.go   the offer as the customer sees it
package quotes

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the quotes area.
var Module = module.New(quotesapi.Area, "Quotes that customers accept online",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "send"),
	resource.Of(rules()),
	fx.Provide(newRepository, newDesk, fx.Private),
	resource.Before((*desk).decide),
	web.Routes(deskRoutes),
	web.Routes(linkRoutes),
	web.Routes(settingsRoutes),
	link.Declare(offering, link.Rules{Life: linkLife, MaxLife: maxLinkLife}),
	hook.Declares[quotesapi.Accepting]("quotes.quote.accepting"),
	hook.On((*desk).onBooking),
	events.On((*desk).onLost),
	events.On((*desk).onCancelled),
	jobs.On((*desk).expire),
	jobs.Every(expireEvery, expire{}),
).Needs(companiesapi.Area, loadsapi.Area, routeengineapi.Area)
