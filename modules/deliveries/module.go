// Package deliveries keeps appointments at the stops where vehicles are delivered, the attempts, and the proof.
//
// It owns the deliveries_* tables and every operation under /deliveries/api/v1. Whether vehicles were delivered is known by loads: a delivery follows
// its load, and saying that it is done tells the load.
package deliveries

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/deliveries/deliveriesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the deliveries area.
var Module = module.New(deliveriesapi.Area, "Delivery appointments, attempts and proof",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(deliveryRules()),
	fx.Provide(newTransports, newDock, fx.Private),
	resource.BeforeAll((*dock).decide),
	web.Routes(deliveryRoutes),
	events.On((*dock).onCovered),
	events.On((*dock).onUncovered),
	events.On((*dock).onUpdated),
	events.On((*dock).onCancelled),
	events.On((*dock).onDropped),
	events.On((*dock).onReady),
).Needs(loadsapi.Area).Listens(billsofladingapi.Area)
