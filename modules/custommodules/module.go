// Package custommodules lets a company define modules of its own, with typed fields, and keep
// records in them.
//
// It owns the custom_modules_* tables and every operation under /custom_modules/api/v1. A record is
// a document beside typed columns ("slots") for its indexed fields, so modules and fields come and
// go without any change of the tables.
package custommodules

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the custom_modules area.
var Module = module.New("custom_modules", "Modules that a company defines, and their records",
	config.Section(defaults()),
	fx.Provide(newRepository, newDefinitions, newService, fx.Private),
	web.Routes(moduleRoutes),
	web.Routes(recordRoutes),
	item.Type(recordItem, "Record", (*service).describeRecords, (*service).recordFields, (*service).recordValues),
	demo.Data(seedDemo),
	demo.Try(demoExample()),
)
