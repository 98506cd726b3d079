// Package billsoflading keeps bills of lading: the inspections of the vehicles when they change hands, and who signed for them.
//
// It owns the bills_of_lading_* tables and every operation under /bills_of_lading/api/v1.
// This package has what other areas' events lead to, and what the area is wired of. The rest stands in packages below internal, each of which knows
// those above it alone:
//
//	store       the rows and what they decide by themselves, the settings, and the failures
//	inspecting  how vehicles are found: inspections, VINs, damages and photos
//	report      a bill of lading with all that belongs to it, and the pickup compared with the delivery
//	bills       how the bills of lading of a load are made, follow it, and end
//	signing     who signs, and who has the vehicles then
//	printing    the papers
//	billpage    what the pages with bills of lading share
//	billlink    links to one bill of lading, to sign or to read it
//	archive     the PDFs as they were signed
//	driverlink  links of drivers to a load or a trip: their page, entries, photos and positions
//	robot       the driver of the sandbox
package billsoflading

import (
	"embed"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/archive"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/bills"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/driverlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/printing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/robot"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/signing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/document"
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
	resource.Of(store.BillRules()),
	resource.Of(store.InspectionRules()),
	resource.Of(store.DamageRules()),
	resource.Of(store.PhotoRules()),
	resource.Of(store.SignatureRules()),
	fx.Provide(store.NewRepository, store.NewSettings, fx.Private),
	web.Routes(store.SettingsRoutes),
	link.Declare(store.Driving, store.DrivingRules()),
	link.Declare(store.Signing, store.SigningRules()),
	link.Declare(store.Viewing, store.ViewingRules()),

	// Inspections.
	fx.Provide(inspecting.NewInspections, inspecting.NewVINChecks, inspecting.NewRecorder, inspecting.NewSubmitter, fx.Private),
	fx.Provide(inspecting.NewDamages, inspecting.NewPhotos, inspecting.NewUploads, fx.Private),
	web.Routes(inspecting.RecordRoutes),
	web.Routes(inspecting.SubmitRoutes),
	web.Routes(inspecting.DamageRoutes),
	web.Routes(inspecting.VINRoutes),
	hook.On((*inspecting.VINChecks).CheckPickup),

	// Bills of lading, and their signatures.
	fx.Provide(report.NewReader, bills.NewDrafts, bills.NewKeeper, bills.NewFollower, bills.NewDesk, fx.Private),
	fx.Provide(signing.NewCustody, signing.NewSigner, fx.Private),
	web.Routes(bills.BillRoutes),
	web.Routes(signing.SignRoutes),
	hook.On((*bills.Follower).AddToRecord),

	// The papers.
	fx.Provide(printing.NewReader, printing.NewAlbum, printing.NewPapers, printing.NewShelf, printing.NewDownloads, archive.NewFiler, archive.NewArchive, fx.Private),
	document.Kind(printing.Bill, "Bill of lading", (*printing.Papers).Bill,
		document.About(billsofladingapi.BOL), document.For(document.Customer, document.Carrier), document.Example(printing.BillExample)),
	document.Kind(printing.Proof, "Proof of delivery", (*printing.Papers).Proof,
		document.About(billsofladingapi.BOL), document.For(document.Customer, document.Carrier), document.Example(printing.ProofExample)),
	document.Kind(printing.Condition, "Condition report", (*printing.Papers).Condition,
		document.About(billsofladingapi.Inspection), document.For(document.Customer, document.Carrier), document.Example(printing.ConditionExample)),
	document.Source([]string{loadsapi.Load, billsofladingapi.BOL}, (*printing.Shelf).Papers),
	web.Routes(printing.PrintRoutes),
	jobs.On((*archive.Filer).Render),

	// Links to a bill of lading.
	fx.Provide(billlink.NewEntrance, billlink.NewLinks, billlink.NewShowing, billlink.NewTouchless, billlink.NewReaders, billlink.NewAlbum, fx.Private),
	web.Routes(billlink.LinkRoutes),
	web.Routes(billlink.TouchlessRoutes),
	web.Routes(billlink.ReaderRoutes),
	web.Routes(billlink.AlbumRoutes),

	// Links of drivers.
	fx.Provide(driverlink.NewTrips, driverlink.NewEntrance, driverlink.NewLoads, driverlink.NewReader, fx.Private),
	fx.Provide(driverlink.NewReceipts, driverlink.NewEntries, driverlink.NewDesk, driverlink.NewPhotos, driverlink.NewPositions, fx.Private),
	fx.Provide(driverlink.NewRecipients, driverlink.NewLinks, driverlink.NewTripLinks, driverlink.NewSignLinks, fx.Private),
	fx.Provide(driverlink.NewTexts, driverlink.NewInviter, fx.Private),
	web.Routes(driverlink.ReadRoutes),
	web.Routes(driverlink.EntryRoutes),
	web.Routes(driverlink.PhotoRoutes),
	web.Routes(driverlink.SignLinkRoutes),
	web.Routes(driverlink.PositionRoutes),
	web.Routes(driverlink.LinkRoutes),
	web.Routes(driverlink.TripLinkRoutes),
	hook.Declares[billsofladingapi.ReadingTrip]("bills_of_lading.trip.reading"),
	hook.On((*driverlink.Links).LinkDriver),

	// The robot of the sandbox.
	fx.Provide(robot.NewStarter, robot.New, fx.Private),
	jobs.On((*robot.Robot).Drive),

	// What happens elsewhere, and here.
	fx.Provide(newListener, fx.Private),
	events.On((*listener).onCovered),
	events.On((*listener).onUncovered),
	events.On((*listener).onHandedOver),
	events.On((*listener).onUpdated),
	events.On((*listener).onCancelled),
	events.On((*listener).onAccepted),
	events.On((*listener).onStored),
	events.On((*listener).onTaken),
	events.On((*listener).onNamed),
	events.On((*listener).onIssued),
	events.On((*listener).onPickedUp),
	events.Publishes(billsofladingapi.DocumentReady{}),
	events.Publishes(billsofladingapi.Submitted{}),
	events.Publishes(billsofladingapi.Located{}),
	events.Publishes(billsofladingapi.VINDiffers{}),
	events.Publishes(billsofladingapi.DamageRecorded{}),
	demo.Tells(walkFile, "walk.yaml"),
	jobs.On((*store.Repository).Purge),
	jobs.Every(store.PurgeEvery, store.Purge{}),
).Needs(attachmentsapi.Area, carriersapi.Area, companiesapi.Area, loadsapi.Area).Listens(dispatchesapi.Area)
