// Package modules lists the areas of this repository.
package modules

import (
	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/modules/inbound"
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/platform/module"
)

// All returns every area, one line each, in the order of the alphabet. It is the only list of them.
func All() []module.Module {
	return []module.Module{
		attachments.Module,
		audit.Module,
		companies.Module,
		custommodules.Module,
		esign.Module,
		inbound.Module,
		sms.Module,
	}
}
