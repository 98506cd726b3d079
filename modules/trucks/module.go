// Package trucks keeps the trucks of a company with their trailers, and tells when their documents expire.
//
// It owns trucks_trucks and every operation under /trucks/api/v1.
package trucks

import (
	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Module is the trucks area.
var Module = module.New(trucksapi.Area, "Trucks, trailers and the expiry dates of their documents",
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(resource.Rules[truck]{
		Item:     trucksapi.Item,
		About:    "A truck with its trailer. It can only be assigned with a driver and valid documents; without its driver it becomes available again.",
		Sort:     []string{"unit"},
		Check:    checkTruck,
		Decide:   checkAssignment,
		Life:     resource.LifeOf(lifecycle, func(t *truck) *status { return &t.Status }),
		Expiring: expiring,
		Errors:   []*errs.Error{errNoDriver, errExpired},
	}),
).Needs(driversapi.Area) // who assigns a truck names its driver
