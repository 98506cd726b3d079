// Package vehicles decodes VINs, reads vehicles in free text, lists makes and models, and keeps the book of vehicles of a company.
//
// It owns the vehicles_* tables and every operation under /vehicles/api/v1. Its data are those of NHTSA's vPIC, in internal/vpic: no
// request waits for a vendor.
package vehicles

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the vehicles area.
var Module = module.New(vehiclesapi.Area, "Offline VIN decoding, makes and models, and a company's vehicles",
	config.Section(defaults()),
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(bookRules()),
	fx.Provide(newRepository, newSupplement, newCatalogue, newBook, newFetcher, fx.Private),
	fx.Provide(newDecoder, newParser),
	resource.BeforeAll((*book).complete),
	detail.Of("vin", "decoded", (*catalogue).details),
	web.Routes(catalogueRoutes),
	web.Routes(bookRoutes),
	jobs.On((*fetcher).fetch, jobs.Outside()),
	jobs.On((*repository).purge),
	jobs.Every(purgeEvery, purgeArgs{}),
	demo.Data(seedDemo),
)
