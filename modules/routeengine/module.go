// Package routeengine knows places by their ZIP codes, and how far apart they are by road.
//
// It owns the route_engine_* tables and every operation under /route_engine/api/v1. Places, time zones and estimated distances are in
// internal/places and internal/distance, pure and in memory; routing engines and geocoders stand behind internal/vendors, and are asked
// by jobs.
package routeengine

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the route_engine area.
var Module = module.New(routeengineapi.Area, "ZIP codes, places, time zones, and miles between them",
	config.Section(defaults()),
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(correctionRules()),
	fx.Provide(newRepository, newAtlas, newMeasurer, newRouter, fx.Private),
	fx.Provide(newContractPlaces, newContractRoutes),
	web.Routes(placeRoutes),
	web.Routes(routeRoutes),
	jobs.On((*measurer).measure, jobs.Outside()),
	jobs.On((*atlas).geocode, jobs.Outside()),
	jobs.On((*repository).purge),
	jobs.Every(purgeEvery, purgeArgs{}),
)
