// Package catalog keeps what a company charges for: its services, which begin with a list that comes with dispatchd.
//
// It owns catalog_services and every operation under /catalog/api/v1.
package catalog

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the catalog area.
var Module = module.New("catalog", "Services and charges, with their prices",
	resource.Of(resource.Rules[service]{
		Item:  "catalog.service",
		About: "Something that the company charges for, or is charged for. What is archived stays where it is used, and is offered no more.",
		Sort:  []string{"code"},
		Check: check,
		Life:  resource.LifeOf(lifecycle(), func(s *service) *status { return &s.State }),
	}),
	fx.Provide(newCatalog, fx.Private),
	resource.BeforeAll((*catalog).complete),
	web.Routes(importRoutes),
)
