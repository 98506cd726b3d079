// Package documents makes documents: it prints the papers of other areas by templates of the company, freezes them, and gives them to customers and carriers.
//
// It owns the documents_* tables and every operation under /documents/api/v1. What papers say is for the areas to know that contribute kinds of papers
// (platform/document). The packages below internal, each of which knows those above it alone:
//
//	blocks      the blocks of templates, what is wrong with them, and how they are filled in
//	store       the tables and their lives
//	kinds       the kinds of papers, and who may see papers of each
//	templates   templates and their editions, and which one is chosen for a paper
//	making      documents and packets: which paper is meant, how it is printed and filed
//	previews    what papers would say
//	reading     documents and their files, and all papers of an item
//	giving      links, signatures, and the end of documents
package documents

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/giving"
	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/making"
	"github.com/dispatchd/dispatchd/modules/documents/internal/previews"
	"github.com/dispatchd/dispatchd/modules/documents/internal/reading"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/documents/internal/templates"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the documents area.
var Module = module.New(documentsapi.Area, "Documents by templates, previews and packets",
	config.Section(store.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write", "send"),
	web.DeclareScope("templates", "Write, publish and archive templates"),
	resource.Of(store.TemplateRules()),
	resource.Of(store.DocumentRules()),
	resource.BeforeAll((*templates.Keeper).Decide),
	fx.Provide(
		store.NewSettings, store.NewRepository, blocks.NewFiller, kinds.New,
		templates.NewKeeper, templates.NewChooser, templates.NewSetter, templates.NewPicker, templates.NewDesk, templates.NewSamples,
		fx.Private,
	),
	fx.Provide(
		making.NewBook, making.NewSubjects, making.NewMaker, making.NewMakes, making.NewPackets, making.NewGatherer, making.NewArchive, making.NewPress, making.NewReleaser,
		fx.Private,
	),
	fx.Provide(
		previews.New, reading.NewReader, reading.NewListing,
		giving.NewLetters, giving.NewSender, giving.NewDoor, giving.NewSigner, giving.NewEnding, giving.NewVoider,
		fx.Private,
	),
	web.Routes(kinds.Routes),
	web.Routes(templates.Routes),
	web.Routes(previews.Routes),
	web.Routes(making.Routes),
	web.Routes(making.PacketRoutes),
	web.Routes(reading.Routes),
	web.Routes(reading.ListRoutes),
	web.Routes(giving.SendRoutes),
	web.Routes(giving.SignRoutes),
	web.Routes(giving.VoidRoutes),
	web.Routes(giving.SharedRoutes),
	web.Routes(func(r *web.Router, s *settings.Settings[store.Preferences]) {
		settings.Routes(r, s, settings.Operations[store.Preferences]{About: "how the company makes documents"})
	}),
	document.Kind(making.PacketKind, "Packet", (*making.Packets).Model,
		document.About(documentsapi.Packet), document.For(document.Customer, document.Carrier), document.Example(making.ExamplePacket)),
	document.Source(nil, (*reading.Listing).Papers),
	port.Provides[document.Templates, *templates.Setter]("documents"),
	link.Declare(giving.Reading, giving.LinkRules()),
	hook.Declares[documentsapi.ChoosingTemplate]("documents.template.choosing"),
	hook.Declares[documentsapi.Sending]("documents.document.sending"),
	events.Publishes(documentsapi.Failed{}),
	events.Publishes(documentsapi.Sent{}),
	events.On((*giving.Signer).OnCompleted),
	jobs.On((*making.Press).Print, jobs.Timeout(making.PrintTime)),
	jobs.On((*making.Archive).Stamp, jobs.Timeout(making.PrintTime)),
	jobs.On((*making.Releaser).Release),
	jobs.Every(making.ReleaseEvery, making.ReleaseAll{}),
	demo.Data(templates.Seed),
).Needs(attachmentsapi.Area, companiesapi.Area).Listens(esignapi.Area)
