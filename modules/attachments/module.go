// Package attachments keeps files: what users, other areas and people without an account send.
//
// It owns the attachments_* tables, the blobs whose names begin with attachments/, and every operation
// under /attachments/api/v1. A file has versions of its content, each a blob that is written once. The
// blob is written before its row and removed after it, so that no row is without content.
package attachments

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the attachments area.
var Module = module.New(attachmentsapi.Area, "Files, their versions, and links to read and to send them",
	config.Section(defaults()),
	fx.Provide(newGround, newRepository, newScanner, newPipeline, newStorage, newService, newLinks, newScans, newGallery, newTransfers, newLimiter, fx.Private),
	fx.Provide(newFiles, newSharing, newHolds),
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
	state.Life(lifecycle()),
	link.Declare(sharing, link.Rules{Life: maxLinkLife}),
	link.Declare(sending, link.Rules{Uses: 1, Life: uploadLife, MaxLife: maxUploadLife}),
	item.Type(attachmentItem, "Attachment", (*service).describe, (*service).fields, (*service).values),
	timeline.Source("attachments", []string{"file"}, (*repository).timeline),
	dashboard.Count("attachments", "Attachments", (*repository).count),
	jobs.On((*service).purgeDeleted, jobs.Timeout(workTime)),
	jobs.Every(purgeEvery, purge{}),
	jobs.On((*transfers).finishLeft, jobs.Timeout(workTime)),
	jobs.On((*transfers).sweepAll, jobs.Timeout(workTime)),
	jobs.Every(sweepEvery, sweep{}),
	jobs.On((*service).dropBlobs, jobs.Timeout(workTime)),
	jobs.On((*service).reconcileAll, jobs.Timeout(workTime)),
	jobs.On((*service).reconcileOne, jobs.Timeout(workTime)),
	jobs.Every(reconcileEvery, reconciling{}),
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
		(*service).reconcileCommand, cli.Flag{Name: "company", Usage: "id of the company; all without it"},
		cli.Flag{Name: "remove", Usage: "remove content that no row is about and that is older than orphan_age", Switch: true}),
)
