// Package audit shows a company its audit trail.
//
// It owns no table: entries are written and kept by platform/audit. Its one operation is under
// /audit/api/v1.
package audit

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the audit area.
var Module = module.New("audit", "Audit trail: who changed what, and when",
	module.Essential(),
	identity.Withholds(identity.Viewer),
	fx.Provide(newTrail, fx.Private),
	web.Routes(entryRoutes),
)
