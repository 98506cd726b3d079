// Package catalog keeps what a company charges for: its services, which begin with a list that comes with dispatchd.
//
// It owns catalog_services and every operation under /catalog/api/v1.
package catalog

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the catalog area.
var Module = module.New("catalog", "Services and charges with their prices",
	identity.Grants(identity.Admin, "margins"),
	identity.Grants(identity.Accountant, "write", "margins"),
	identity.Grants(identity.Dispatcher, "margins"),
	resource.Of(resource.Rules[service]{
		Item:  "catalog.service",
		About: "Something that the company charges for, or is charged for. An archived service stays where it is used, but is no longer offered.",
		Sort:  []string{"code"},
		Check: checkService,
		Life:  resource.LifeOf(lifecycle, func(s *service) *status { return &s.State }),
	}),
	fx.Provide(newCatalog, newMoves, fx.Private),
	resource.MovesReferences(moves.follow),
	resource.BeforeAll((*catalog).complete),
	web.Routes(importRoutes),
)
