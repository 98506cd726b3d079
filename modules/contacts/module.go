// Package contacts stores the people and companies that a company does business with.
//
// It owns the contacts_* tables and every operation under /contacts/api/v1.
package contacts

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the contacts area.
var Module = module.New(contactsapi.Area, "People and companies, duplicates and consents",
	config.Section(defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "merge"),
	identity.Grants(identity.Accountant, "write"),
	resource.Of(rules()),
	fx.Provide(newTables, newRepository, newBook, newConsenting, newEraser, newDuplicates, newRelations, newMerger, newMergeExpiry, newPortal, newScreen, fx.Private),
	fx.Provide(newContract),
	resource.BeforeAll((*book).decide),
	web.Routes(consentRoutes),
	web.Routes(eraseRoutes),
	web.Routes(relationRoutes),
	web.Routes(duplicateRoutes),
	web.Routes(mergeRoutes),
	web.Routes(portalRoutes),
	notify.Screen(screen.refuses),
	link.Declare(portalAccess, link.Rules{Portal: link.Customers, Life: portalLife, MaxLife: maxPortalLife}),
	jobs.On((*mergeExpiry).expire),
	jobs.Every(expireEvery, expireMerges{}),
	hook.Declares[contactsapi.Merging]("contacts.contact.merging"),
	hook.Declares[contactsapi.ReadingPortal]("contacts.portal.reading"),
	hook.Declares[contactsapi.Erasing]("contacts.contact.erasing"),
	events.Publishes(contactsapi.Merged{}),
	events.Publishes(contactsapi.Unmerged{}),
).Needs(companiesapi.Area) // the portal shows the brand
