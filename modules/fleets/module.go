// Package fleets groups the trucks and drivers of a company.
//
// It owns fleets_fleets and every operation under /fleets/api/v1. Trucks and drivers name the fleet that they belong to.
package fleets

import (
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Module is the fleets area.
var Module = module.New("fleets", "Groups of trucks and drivers",
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(resource.Rules[fleet]{
		Item:  "fleets.fleet",
		About: "A group of trucks and drivers, with the user who dispatches them. List its trucks and drivers with `filter[fleet_uuid]`.",
		Sort:  []string{"name"},
	}),
)
