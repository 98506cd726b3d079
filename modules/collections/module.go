// Package collections is one way to whatever keeps rows: custom modules by their UUID, and the resources of areas by
// the type of their items. It describes them, finds, counts and adds up their rows, writes many at once, exports them, imports into
// them, tells what becomes of their rows, and brings rows back.
//
// It owns no table: rows are their areas', and platform/collection does the work. Its operations are under
// /collections/api/v1.
package collections

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the collections area.
var Module = module.New("collections", "Search, export, import, watch and revert the rows of every area",
	module.Essential(),
	fx.Provide(newImports, newSavedViews, fx.Private),
	web.Routes(collectionRoutes),
	web.Routes(searchRoutes),
	web.Routes(groupRoutes),
	web.Routes(exportRoutes),
	web.Routes(importRoutes),
	web.Routes(changeRoutes),
	web.Routes(bulkRoutes),
	web.Routes(historyRoutes),
	web.Routes(viewRoutes),
)
