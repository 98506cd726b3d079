// Package tracking shows where the vehicles of a load are: to customers by a code, without an account.
//
// It owns the tracking_* tables and every operation under /tracking/api/v1.
//
//	position.go  where trucks were, and for how long that is kept
//	journey.go   what is known of loads, and their ways
//	trail.go     where the truck of a load was, as recorded or by the sandbox
//	code.go      the codes that customers have
//	window.go    what a customer sees by a code
//	page.go      the page of it, with a map that is drawn of dots
package tracking

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/tracking/trackingapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the tracking area.
var Module = module.New(trackingapi.Area, "Live location of vehicles, for customers with a code",
	config.Section(deployment{KeepAll: 30 * 24 * time.Hour}),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	fx.Provide(newRepository, newSettings, newJournal, newJourneys, newTrail, newPositions, newCodes, newGuesses, newDoor, newDrawing, newWindow, fx.Private),
	web.Routes(positionRoutes),
	web.Routes(codeRoutes),
	web.Routes(windowRoutes),
	web.Routes(settingsRoutes),
	link.Declare(following, link.Rules{Portal: link.Customers, Life: codeLife, MaxLife: maxCodeLife, Code: true, PerMinute: perMinute}),
	events.On((*journal).onLocated),
	jobs.On((*journal).thin),
	jobs.Every(thinEvery, thinArgs{}),
).Needs(companiesapi.Area, loadsapi.Area, routeengineapi.Area).Listens(billsofladingapi.Area)
