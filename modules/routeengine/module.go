// Package routeengine finds places by ZIP code, and estimates or measures the road miles between them.
//
// It owns the route_engine_* tables and every operation under /route_engine/api/v1. Places, time zones and estimated distances are in
// internal/places and internal/distance, pure and in memory; internal/vendors calls routing engines and geocoders, from jobs only.
package routeengine

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the route_engine area.
var Module = module.New(routeengineapi.Area, "ZIP codes, places, time zones and distances",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "margins"),
	identity.Grants(identity.Accountant, "margins"),
	resource.Of(correctionRules()),
	resource.Of(formulaRules()),
	resource.BeforeAll((*formulas).number),
	fx.Provide(newRepository, newAtlas, newMeasurer, newRouter, newFormulas, newTokens, newPricer, newQuickQuotes, newFormulaDesk, fx.Private),
	fx.Provide(newContractPlaces, newContractRoutes, newContractPricing),
	hook.Declares[routeengineapi.LanePricing]("route_engine.lane.pricing"),
	web.Routes(placeRoutes),
	web.Routes(routeRoutes),
	web.Routes(quickQuoteRoutes),
	web.Routes(formulaRoutes),
	jobs.On((*measurer).measure, jobs.Outside()),
	jobs.On((*atlas).geocode, jobs.Outside()),
	jobs.On((*repository).purge),
	jobs.Every(purgeEvery, purgeArgs{}),
)
