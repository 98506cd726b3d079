// Package trips plans the runs of the company's own trucks: which vehicles are on a truck, where it stops and in which order, and what the driver gets.
//
// It owns the trips_* tables and every operation under /trips/api/v1. Where a vehicle is, is known by loads: leaving a stop tells the load.
// This package has what the events of loads lead to, and what the area is wired of. The rest stands in packages below internal:
//
//	store     the rows and what they decide by themselves, the driver's pay, and the failures
//	capacity  what trucks hold
//	fitness   whether a trip may be driven, and what to be warned of
//	tour      the shortest order of stops
//	routing   the miles of trips, and the order of their stops
//	carrying  loads that the company carries itself, and who has their vehicles
//	driving   dispatching, visits on the road, and the end of trips
//	loading   which vehicles of loads are on which trip
package trips

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/trips/internal/driving"
	"github.com/dispatchd/dispatchd/modules/trips/internal/fitness"
	"github.com/dispatchd/dispatchd/modules/trips/internal/loading"
	"github.com/dispatchd/dispatchd/modules/trips/internal/routing"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
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
	resource.Of(store.Rules()),
	fx.Provide(store.NewRepository, store.NewSettings, fx.Private),

	// What a trip may hold, and who may drive it.
	fx.Provide(capacity.NewTrucks, fitness.NewChecks, fitness.NewAnswers, fx.Private),

	// The order of its stops.
	fx.Provide(routing.NewMeter, routing.NewOrderer, routing.NewDesk, fx.Private),
	web.Routes(routing.Routes),

	// Its loads.
	fx.Provide(carrying.New, loading.NewGuard, loading.NewLoader, loading.NewDesk, loading.NewFollower, fx.Private),
	resource.BeforeAll((*loading.Guard).Decide),
	web.Routes(loading.Routes),
	web.Routes(carrying.SettingsRoutes),
	hook.On((*loading.Follower).NameLoads),

	// What happens on the road.
	fx.Provide(driving.NewHolder, driving.NewProgress, carrying.NewCustody, driving.NewVisits, driving.NewDispatcher, driving.NewDesk, fx.Private),
	web.Routes(driving.Routes),

	// What happens to loads.
	fx.Provide(newListener, fx.Private),
	events.On((*listener).onUpdated),
	events.On((*listener).onCancelled),
	events.On((*listener).onRemoved),
	events.Publishes(tripsapi.Started{}),
	events.Publishes(tripsapi.Completed{}),
).Needs(driversapi.Area, loadsapi.Area, routeengineapi.Area, trucksapi.Area).Listens(billsofladingapi.Area)
