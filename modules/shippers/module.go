// Package shippers keeps the terms of a company's shippers, and the locations where their vehicles are picked up and delivered.
//
// It owns the shippers_* tables and every operation under /shippers/api/v1.
package shippers

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/shippers/shippersapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the shippers area.
var Module = module.New(shippersapi.Area, "Shippers with locations, credit and preferences",
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(resource.Rules[shipper]{
		Item: shippersapi.Shipper, Sort: []string{"created_at"}, Check: checkShipper, Failures: resource.Failures{Invalid: errShipper},
		About: "The terms of a contact that ships: credit, carriers, and how vehicles are released.",
	}),
	resource.Of(resource.Rules[location]{
		Item: shippersapi.Location, Sort: []string{"name"}, Check: checkLocation, Failures: resource.Failures{Invalid: errLocation},
		About: "A place where vehicles of a shipper are picked up or delivered, with its hours. `filter[shipper_uuid]` lists those of a shipper.",
	}),
	fx.Provide(newVisits, newFinder, newVenues, newLists, newGuard, newReleases, newMoves, fx.Private),
	resource.BeforeAll(lists.decide),
	resource.MovesReferences(moves.follow),
	web.Routes(openingRoutes),
	hook.On(venues.save),
	hook.On(guard.credit),
	hook.On(guard.carriers),
	hook.On(guard.agreed),
	hook.On(releases.needed),
).Needs(contactsapi.Area).Listens(loadsapi.Area) // a shipper is a contact
