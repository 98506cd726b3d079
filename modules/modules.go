// Package modules lists the areas of this repository.
package modules

import (
	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/modules/billsoflading"
	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/catalog"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/deliveries"
	"github.com/dispatchd/dispatchd/modules/dispatches"
	"github.com/dispatchd/dispatchd/modules/documents"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/history"
	"github.com/dispatchd/dispatchd/modules/inbound"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/quotes"
	"github.com/dispatchd/dispatchd/modules/regulator"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/modules/square"
	"github.com/dispatchd/dispatchd/modules/stripe"
	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/modules/tracking"
	"github.com/dispatchd/dispatchd/modules/trips"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/module"
)

// All returns every area, one line each, in the order of the alphabet. It is the only list of them.
func All() []module.Module {
	return []module.Module{
		attachments.Module,
		audit.Module,
		billing.Module,
		billsoflading.Module,
		cards.Module,
		carriers.Module,
		catalog.Module,
		collections.Module,
		companies.Module,
		contacts.Module,
		custommodules.Module,
		deliveries.Module,
		dispatches.Module,
		documents.Module,
		drivers.Module,
		esign.Module,
		fleets.Module,
		history.Module,
		inbound.Module,
		loads.Module,
		notes.Module,
		quotes.Module,
		regulator.Module,
		routeengine.Module,
		shippers.Module,
		sms.Module,
		square.Module,
		stripe.Module,
		tags.Module,
		tasks.Module,
		tracking.Module,
		trips.Module,
		trucks.Module,
		vehicles.Module,
	}
}
