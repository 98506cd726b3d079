// Package drivers keeps who drives for a company, and tells when their documents expire.
//
// It owns drivers_drivers and every operation under /drivers/api/v1.
package drivers

import (
	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Module is the drivers area.
var Module = module.New(driversapi.Area, "Drivers and the expiry dates of their documents",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(resource.Rules[driver]{
		Item:     driversapi.Item,
		About:    "Somebody who drives for the company. The license number requires the scope `drivers:sensitive`.",
		Sort:     []string{"name"},
		Check:    checkDriver,
		Life:     resource.LifeOf(lifecycle, func(d *driver) *status { return &d.Status }),
		Expiring: expiring,
	}),
)
