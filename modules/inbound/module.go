// Package inbound shows a company what vendors have told it, and has it processed again.
//
// It owns no table: notifications are taken and kept by platform/inbound. Its operations are under
// /inbound/api/v1.
package inbound

import (
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the inbound area.
var Module = module.New("inbound", "Vendor notifications: stored, verified and replayed",
	identity.Grants(identity.Admin, "*"),
	module.Essential(),
	web.Routes(deliveryRoutes),
)
