// Package attachments keeps files: what users, other areas and people without an account send.
//
// It owns the attachments_* tables, the blobs whose names begin with attachments/, and every operation
// under /attachments/api/v1. A file has versions of its content, each a blob that is written once. The
// blob is written before its row and removed after it, so that no row is without content.
//
// This package has upload links, transfers, the contract, and what they are wired of. The rest stands in packages below
// internal, each of which knows those above it alone:
//
//	filetype, picture, exif, pdf, clamd  what content is, and the scanner
//	settings    the keys under modules.attachments
//	store       the tables, the life of attachments, and the failures
//	receiving   content taken in, bounded and inspected
//	limits      the limits that companies set, and what their files may take
//	files       the files: taken in, described, held, read, deleted and purged
//	scanning    files that wait for the scanner, or are scanned anew
//	sharing     links by which people without an account read files
//	thumbnails  images in small
//	archive     ZIP archives
//	tus         the headers of resumable uploads
//	uploadpage  the page by which people send files by a link
//	reconcile   rows compared with stored content
package attachments

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/archive"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/scanning"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/sharing"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/thumbnails"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// workTime is how long a job of the area may run. What is left then is for the next time.
const workTime = 9 * time.Minute

// Module is the attachments area.
var Module = module.New(attachmentsapi.Area, "Files with versions, download links and upload links",
	config.Section(settings.Defaults()),
	identity.Grants(identity.Admin, "*"),
	identity.Grants(identity.Dispatcher, "write"),
	identity.Grants(identity.Accountant, "write"),
	fx.Provide(store.NewRepository, store.NewSummaries, receiving.NewScanner, receiving.NewPipeline, receiving.NewStorage,
		limits.NewLimiter, limits.NewQuota, newLimitHandlers, reconcile.NewComparer, reconcile.New,
		files.NewJournal, files.NewKeeper, files.NewIntake, files.NewReader, files.NewPurger, newDescriptions, newContents, archive.New,
		scanning.NewHeld, scanning.New, scanning.NewDesk, sharing.New, sharing.NewDesk, thumbnails.NewShrinker, thumbnails.NewGallery,
		newInvitations, newUploadLinks, newDoor, newUploads, newPending, newParts, newAssembly, newFinisher, newTransfers, newLinkTransfers, newPapers, fx.Private),
	fx.Provide(newFiles, newSharing, newHolds, newInviting, newPreviews),
	web.Routes(attachmentRoutes),
	web.Routes(contentRoutes),
	web.Routes(sharing.Routes),
	web.Routes(uploadLinkRoutes),
	web.Routes(uploadRoutes),
	web.Routes(limitRoutes),
	web.Routes(scanning.Routes),
	web.Routes(thumbnails.Routes),
	web.Routes(archive.Routes),
	web.Routes(transferRoutes),
	web.Routes(linkTransferRoutes),
	state.Life(store.Lifecycle),
	link.Declare(sharing.Purpose, link.Rules{Life: settings.MaxLinkLife}),
	link.Declare(sending, link.Rules{Uses: 1, Life: uploadLife, MaxLife: maxUploadLife}),
	item.Type(store.AttachmentItem, "Attachment", (*files.Reader).Describe, (*files.Reader).Fields, (*files.Reader).Values),
	resource.Pointer("attachments_attachments", "owner_type", "owner_id"),
	resource.Pointer("attachments_upload_links", "owner_type", "owner_id"),
	port.Provides[document.Files, *papers](attachmentsapi.Area),
	document.Source(nil, (*papers).of),
	summary.Section("attachments", store.Summaries.Summarize),
	timeline.Source("attachments", []string{"file"}, (*store.Repository).Timeline),
	dashboard.Count("attachments", "Attachments", (*store.Repository).Count),
	jobs.On((*files.Purger).Purge, jobs.Timeout(workTime)),
	jobs.Every(files.PurgeEvery, files.PurgeJob{}),
	jobs.On((*finisher).finishLeft, jobs.Timeout(workTime)),
	jobs.On((*pending).sweepAll, jobs.Timeout(workTime)),
	jobs.Every(sweepEvery, sweepTransfersJob{}),
	jobs.On((*receiving.Storage).Remove, jobs.Timeout(workTime)),
	jobs.On((*reconcile.Reconciler).EnqueueAll, jobs.Timeout(workTime)),
	jobs.On((*reconcile.Reconciler).CompareOne, jobs.Timeout(workTime)),
	jobs.Every(reconcile.Every, reconcile.CompareAll{}),
	jobs.On((*scanning.Scans).Scan, jobs.Timeout(workTime)),
	jobs.On((*scanning.Held).SweepLost, jobs.Timeout(workTime)),
	jobs.Every(scanning.SweepEvery, scanning.Sweep{}),
	jobs.On((*thumbnails.Shrinker).Shrink, jobs.Timeout(workTime)),
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
