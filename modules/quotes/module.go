// Package quotes names prices for loads, and has customers accept them.
//
// It owns the quotes_* tables and every operation under /quotes/api/v1.
//
//	quote.go   a quote, and its life
//	price.go   its lines and options, and how they add up
//	trade.go   what they do with their loads
//	draft.go, send.go, accept.go, ending.go, expiry.go, revise.go   what happens to them
//	sheet.go   what a quote is on paper
//	link.go, offer.go, answer.go, view.go, page.go   the offer as the customer sees and answers it
package quotes

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/document"
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
	fx.Provide(
		newRepository, newSettings, newTrade, newDrafts, newEndings, newSender, newTill, newRevisions, newLetters, newOutbox, newShowing, newSheets, newDoor, newAnswers, newViews,
		fx.Private,
	),
	resource.Before((*drafts).decide),
	web.Routes(draftRoutes),
	web.Routes(sendRoutes),
	web.Routes(acceptRoutes),
	web.Routes(endingRoutes),
	web.Routes(reviseRoutes),
	web.Routes(answerRoutes),
	web.Routes(viewRoutes),
	web.Routes(settingsRoutes),
	web.Routes(sheetRoutes),
	document.Kind(sheetKind, "Rate sheet", (*sheets).model,
		document.About(quotesapi.Quote), document.NeedsScopes(loadsapi.Margins), document.For(document.Customer), document.Example(exampleSheet)),
	document.Source([]string{loadsapi.Load}, (*sheets).papers),
	link.Declare(offering, link.Rules{Portal: link.Customers, Life: linkLife, MaxLife: maxLinkLife}),
	hook.Declares[quotesapi.Accepting]("quotes.quote.accepting"),
	hook.On((*endings).onBooking),
	events.On((*endings).onLost),
	events.On((*endings).onCancelled),
	jobs.On((*endings).expire),
	jobs.Every(expireEvery, expire{}),
).Needs(companiesapi.Area, loadsapi.Area, routeengineapi.Area)
