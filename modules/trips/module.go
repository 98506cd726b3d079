// Package trips plans the runs of the company's own trucks: which vehicles are on a truck, where it stops and in which order, and what the driver gets.
//
// It owns the trips_* tables and every operation under /trips/api/v1. Where a vehicle is, is known by loads: leaving a stop tells the load.
//
//	trip.go       a trip, its states, and the pay
//	desk.go       what is put on a trip, and when it may be driven
//	drive.go      what becomes of it on the road, and the order of its stops
//	capacity.go   what a truck holds
package trips

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the trips area.
var Module = module.New(tripsapi.Area, "Trips of the company's own trucks: loads, stops and driver pay",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(rules()),
	fx.Provide(newRepository, newOnLoads, newOthers, newDesk, fx.Private),
	resource.BeforeAll((*desk).decide),
	web.Routes(routes),
	web.Routes(settingsRoutes),
	hook.On((*desk).onReadingTrip),
	events.On((*desk).onUpdated),
	events.On((*desk).onCancelled),
	events.On((*desk).onRemoved),
	events.Publishes(tripsapi.Started{}),
	events.Publishes(tripsapi.Completed{}),
).Needs(driversapi.Area, loadsapi.Area, routeengineapi.Area, trucksapi.Area).Listens(billsofladingapi.Area)
