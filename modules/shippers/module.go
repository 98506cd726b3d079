// Package shippers keeps what a company has agreed with its shippers, and where their vehicles are.
//
// It owns the shippers_* tables and every operation under /shippers/api/v1.
package shippers

import (
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/shippers/shippersapi"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Module is the shippers area.
var Module = module.New(shippersapi.Area, "Shippers, their locations, credit and preferences",
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(resource.Rules[shipper]{
		Item: shippersapi.Shipper, Sort: []string{"created_at"}, Check: checkShipper, Failures: resource.Failures{Invalid: errShipper},
		About: "What the company has agreed with a contact that ships: credit, carriers, and how vehicles are released.",
	}),
	resource.Of(resource.Rules[location]{
		Item: shippersapi.Location, Sort: []string{"name"}, Check: checkLocation, Failures: resource.Failures{Invalid: errLocation},
		About: "Where vehicles of a shipper are picked up or delivered, with its hours. `filter[shipper_uuid]` lists those of a shipper.",
	}),
).Needs(contactsapi.Area) // a shipper is a contact
