// Package tags puts names in colours on items of any area.
package tags

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the tags area.
var Module = module.New("tags", "Colored tags on items of any area",
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(tagRules()),
	resource.Of(assignmentRules()),
	fx.Provide(newTables, newRepository, newService, fx.Private),
	resource.BeforeAll((*repository).keepDoubles),
	detail.Filter("tags", (*service).filter),
	web.Routes(routes),
	events.Publishes(tagPut{}),
	events.Publishes(tagTaken{}),
	events.Publishes(tagMerged{}),
	demo.Data(seedDemo),
)
