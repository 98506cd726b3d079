// Package attachments keeps files: what users, other areas and people without an account send.
//
// It owns the attachments_* tables, the blobs whose names begin with attachments/, and every operation
// under /attachments/api/v1. A file has versions of its content, each a blob that is written once. The
// blob is written before its row and removed after it, so that no row is without content.
//
// This package has the routes, the files themselves, links, transfers, and what they are wired of. The rest stands in packages below
// internal, each of which knows those above it alone:
//
//	filetype, picture, exif, pdf, clamd  what content is, and the scanner
//	settings    the keys under modules.attachments
//	store       the tables, the life of attachments, and the failures
//	receiving   content taken in, bounded and inspected
//	limits      the limits that companies set, and what their files may take
//	tus         the headers of resumable uploads
//	uploadpage  the page by which people send files by a link
//	reconcile   rows compared with stored content
package attachments

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the attachments area.
var Module = module.New(attachmentsapi.Area, "Files with versions, download links and upload links",
	config.Section(settings.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	fx.Provide(newThings, newOutlets, store.NewRepository, store.NewSummaries, receiving.NewScanner, receiving.NewPipeline, receiving.NewStorage, newService, newLinks, newScans, newGallery, newTransfers, limits.NewLimiter, limits.NewQuota, newLimitHandlers, reconcile.NewComparer, reconcile.New, fx.Private),
	fx.Provide(newFiles, newSharing, newHolds, newUploads, newPreviews),
	web.Routes(attachmentRoutes),
	web.Routes(contentRoutes),
	web.Routes(shareRoutes),
	web.Routes(uploadLinkRoutes),
	web.Routes(limitRoutes),
	web.Routes(scanRoutes),
	web.Routes(thumbnailRoutes),
	web.Routes(archiveRoutes),
	web.Routes(transferRoutes),
	web.Routes(linkTransferRoutes),
	state.Life(store.Lifecycle),
	link.Declare(sharing, link.Rules{Life: settings.MaxLinkLife}),
	link.Declare(sending, link.Rules{Uses: 1, Life: uploadLife, MaxLife: maxUploadLife}),
	item.Type(store.AttachmentItem, "Attachment", (*service).describe, (*service).fields, (*service).values),
	resource.Pointer("attachments_attachments", "owner_type", "owner_id"),
	resource.Pointer("attachments_upload_links", "owner_type", "owner_id"),
	summary.Section("attachments", store.Summaries.Summarize),
	timeline.Source("attachments", []string{"file"}, (*store.Repository).Timeline),
	dashboard.Count("attachments", "Attachments", (*store.Repository).Count),
	jobs.On((*service).purgeDeleted, jobs.Timeout(workTime)),
	jobs.Every(purgeEvery, purgeJob{}),
	jobs.On((*transfers).finishLeft, jobs.Timeout(workTime)),
	jobs.On((*transfers).sweepAll, jobs.Timeout(workTime)),
	jobs.Every(sweepEvery, sweepTransfersJob{}),
	jobs.On((*service).dropBlobs, jobs.Timeout(workTime)),
	jobs.On((*reconcile.Reconciler).EnqueueAll, jobs.Timeout(workTime)),
	jobs.On((*reconcile.Reconciler).CompareOne, jobs.Timeout(workTime)),
	jobs.Every(reconcile.Every, reconcile.CompareAll{}),
	jobs.On((*scans).scanHeld, jobs.Timeout(workTime)),
	jobs.On((*scans).sweepLost, jobs.Timeout(workTime)),
	jobs.Every(sweepScansEvery, sweepScans{}),
	jobs.On((*gallery).shrink, jobs.Timeout(workTime)),
	events.Publishes(attachmentsapi.Stored{}),
	events.Publishes(attachmentsapi.Replaced{}),
	events.Publishes(attachmentsapi.Updated{}),
	events.Publishes(attachmentsapi.Quarantined{}),
	events.Publishes(attachmentsapi.Released{}),
	events.Publishes(attachmentsapi.Deleted{}),
	events.Publishes(attachmentsapi.Restored{}),
	events.Publishes(attachmentsapi.Purged{}),
	cli.Command("reconcile", "Compare rows with stored content; fails if they disagree",
		(*reconcile.Reconciler).Run, cli.Flag{Name: "company", Usage: "id of the company; all without it"},
		cli.Flag{Name: "remove", Usage: "remove content that no row is about and that is older than orphan_age", Switch: true}),
)
