// Package billsoflading keeps bills of lading: the inspections of the vehicles when they change hands, and who signed for them.
//
// It owns the bills_of_lading_* tables and every operation under /bills_of_lading/api/v1.
//
//	bol.go         a bill of lading, and its life
//	inspection.go  inspections, damages and photos
//	book.go        how the bills of a load follow the load
//	record.go      what is entered at a hand-over, and what each type of inspection asks for
//	sign.go        who signs, and what follows
//	driver.go, touchless.go, page.go   what drivers and signers see and do by their links
//	print.go       the PDF
package billsoflading

import (
	"embed"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed walk.yaml
var walkFile embed.FS

// Module is the bills_of_lading area.
var Module = module.New(billsofladingapi.Area, "Bills of lading, inspections and signatures",
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "override"),
	resource.Of(bolRules()),
	resource.Of(inspectionRules()),
	resource.Of(damageRules()),
	resource.Of(photoRules()),
	resource.Of(signatureRules()),
	fx.Provide(newRepository, newOnLoads, newOthers, newShelves, newBook, newRecorder, newDrivers, newRobot, newInviter, fx.Private),
	web.Routes(bolRoutes),
	web.Routes(entryRoutes),
	web.Routes(printRoutes),
	web.Routes(driverRoutes),
	web.Routes(locateRoutes),
	web.Routes(touchlessRoutes),
	web.Routes(settingsRoutes),
	link.Declare(driving, link.Rules{Life: driverLife, MaxLife: maxDriverLife, PerMinute: perMinute}),
	link.Declare(signing, link.Rules{Uses: 1, Life: signLife}),
	link.Declare(viewing, link.Rules{Life: viewLife, MaxLife: maxViewLife}),
	hook.Declares[billsofladingapi.ReadingTrip]("bills_of_lading.trip.reading"),
	hook.On((*book).onRecording),
	hook.On((*book).onLinkingDriver),
	hook.On((*recorder).onPickingUp),
	events.On((*book).onCovered),
	events.On((*book).onUncovered),
	events.On((*book).onHandedOver),
	events.On((*book).onUpdated),
	events.On((*book).onCancelled),
	events.On((*book).onAccepted),
	events.On((*recorder).onStored),
	events.On(inviter.onTaken),
	events.On(inviter.onNamed),
	events.On(robot.onIssued),
	events.On(robot.onPickedUp),
	events.Publishes(billsofladingapi.DocumentReady{}),
	events.Publishes(billsofladingapi.Submitted{}),
	events.Publishes(billsofladingapi.Located{}),
	events.Publishes(billsofladingapi.VINDiffers{}),
	events.Publishes(billsofladingapi.DamageRecorded{}),
	demo.Tells(walkFile, "walk.yaml"),
	jobs.On((*book).render),
	jobs.On(robot.drive),
	jobs.On((*repository).purge),
	jobs.Every(purgeEvery, purgeArgs{}),
).Needs(attachmentsapi.Area, carriersapi.Area, companiesapi.Area, loadsapi.Area).Listens(dispatchesapi.Area)
