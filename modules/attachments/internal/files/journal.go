package files

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/picture"
	"github.com/dispatchd/dispatchd/platform/state"
)

const (
	// scanAttempts is how often a file is looked at by a scanner that answers and cannot do it.
	scanAttempts = 8
	// thumbnailAgain is when an image whose thumbnails could not be made is tried again.
	thumbnailAgain = time.Hour
)

// ScanJob is the job that has a version of a file looked at which is held until then, and the later ones after it.
type ScanJob struct {
	Attachment uuid.UUID `json:"attachment"`
	Number     int64     `json:"number"`
	// Again says that the file could be read before, or was quarantined.
	Again bool `json:"again,omitempty"`
}

// Kind implements jobs.Args.
func (ScanJob) Kind() string { return "attachments.scan" }

// ThumbnailJob is the job that makes the thumbnails of a version.
type ThumbnailJob struct {
	Attachment uuid.UUID `json:"attachment"`
	Number     int64     `json:"number"`
}

// Kind implements jobs.Args.
func (ThumbnailJob) Kind() string { return "attachments.shrink" }

// Journal takes the steps of a file's life, and records what was done to it: in its history, in the audit trail, as events for other
// areas, and as the jobs that follow. All of its methods run in the caller's transaction.
type Journal struct {
	states *state.Log
	trail  *audit.Log
	bus    *events.Bus
	queue  *jobs.Queue
}

// NewJournal returns the journal of a deployment.
func NewJournal(states *state.Log, trail *audit.Log, bus *events.Bus, queue *jobs.Queue) *Journal {
	return &Journal{states: states, trail: trail, bus: bus, queue: queue}
}

// Step moves a file on by a verb of its life, or refuses.
func (j *Journal) Step(ctx context.Context, row *store.Attachment, verb, reason string) (err error) {
	row.State, err = store.Lifecycle.Apply(ctx, j.states, row.State, state.Move{
		Verb: verb, UUID: row.ID, Part: row.OwnerPart, Thing: *row, Reason: reason,
	})

	return err
}

// Inspected moves a file on by what was found when its content was looked at.
func (j *Journal) Inspected(ctx context.Context, row *store.Attachment) error {
	verb := store.VerbReceive
	switch {
	case row.Quarantine != "":
		verb = store.VerbQuarantine
	case row.Scan == store.ScanPending:
		verb = store.VerbScan
	case row.State == store.Ready:
		return j.Prepare(ctx, *row)
	}
	if err := j.Step(ctx, row, verb, row.Quarantine); err != nil {
		return err
	}
	if row.State == store.Scanning {
		asked := row.UpdatedAt
		row.ScanAskedAt, row.ScanAgain = &asked, false
	}

	return j.Prepare(ctx, *row)
}

// Prepare enqueues what is done for a file by jobs: what is held is scanned, of what can be read there are thumbnails.
func (j *Journal) Prepare(ctx context.Context, row store.Attachment) error {
	switch {
	case row.State == store.Scanning:
		return j.Scan(ctx, ScanJob{Attachment: row.ID, Number: row.Content})
	case row.State == store.Ready && picture.CanDecode(row.MediaType):
		return j.queue.Enqueue(ctx, ThumbnailJob{Attachment: row.ID, Number: row.Content}, jobs.UniqueFor(thumbnailAgain))
	default:
		return nil
	}
}

// Scan enqueues the scan of a version.
func (j *Journal) Scan(ctx context.Context, args ScanJob) error {
	return j.queue.Enqueue(ctx, args, jobs.Attempts(scanAttempts))
}

// ScanAgain has a file that is held scanned, from its first version on if it was already known.
func (j *Journal) ScanAgain(ctx context.Context, row *store.Attachment, now time.Time) error {
	row.ScanAskedAt = &now
	args := ScanJob{Attachment: row.ID, Number: row.Content, Again: row.ScanAgain}
	if row.ScanAgain {
		args.Number = 1
	}

	return j.Scan(ctx, args)
}

// Announce publishes that a file is new, has new content, or is dangerous. A file that is held is not announced yet.
func (j *Journal) Announce(ctx context.Context, row store.Attachment) error {
	switch {
	case row.State == store.Quarantined:
		return j.bus.Publish(ctx, attachmentsapi.Quarantined{Attachment: row.ID.String(), Reason: row.Quarantine})
	case row.State != store.Ready:
		return nil
	case row.Content > 1:
		return j.bus.Publish(ctx, replacedEvent(row))
	default:
		return j.bus.Publish(ctx, storedEvent(row))
	}
}

// Released publishes that a quarantined file can be read again: what was found in it, and why it was released, "" after a scan.
func (j *Journal) Released(ctx context.Context, id uuid.UUID, found, why string) error {
	return j.bus.Publish(ctx, attachmentsapi.Released{Attachment: id.String(), Reason: found, Why: why})
}

// Updated records what of a file's description has changed.
func (j *Journal) Updated(ctx context.Context, before, row store.Attachment) error {
	err := j.trail.Record(ctx, audit.Entry{
		Action: store.AttachmentItem + ".updated", Item: audit.Item{Type: store.AttachmentItem, UUID: row.ID, Part: row.OwnerPart}, Changes: row.ChangesSince(before),
	})
	if err != nil {
		return err
	}

	return j.bus.Publish(ctx, attachmentsapi.Updated{Attachment: row.ID.String()})
}

// Deleted publishes that a file was deleted.
func (j *Journal) Deleted(ctx context.Context, row store.Attachment) error {
	e := attachmentsapi.Deleted{Attachment: row.ID.String(), OwnerType: row.OwnerType}
	if row.OwnerID != nil {
		e.Owner = row.OwnerID.String()
	}

	return j.bus.Publish(ctx, e)
}

// Restored publishes that a deleted file was restored.
func (j *Journal) Restored(ctx context.Context, id uuid.UUID) error {
	return j.bus.Publish(ctx, attachmentsapi.Restored{Attachment: id.String()})
}

// Purged publishes that a file is gone for good, and enqueues the removal of its content.
func (j *Journal) Purged(ctx context.Context, id uuid.UUID, blobs []string) error {
	if err := j.bus.Publish(ctx, attachmentsapi.Purged{Attachment: id.String()}); err != nil {
		return err
	}

	return j.queue.Enqueue(ctx, receiving.RemoveContent{Blobs: blobs}, jobs.Background())
}

// storedEvent is the event of a new file.
func storedEvent(row store.Attachment) attachmentsapi.Stored {
	e := attachmentsapi.Stored{
		Attachment: row.ID.String(), Category: row.Category, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256,
	}
	if row.OwnerID != nil {
		e.OwnerType, e.Owner = row.OwnerType, row.OwnerID.String()
	}
	if row.UploadLinkID != nil {
		e.UploadLink = row.UploadLinkID.String()
	}

	return e
}

// replacedEvent is the event of new content.
func replacedEvent(row store.Attachment) attachmentsapi.Replaced {
	return attachmentsapi.Replaced{
		Attachment: row.ID.String(), Number: row.Content, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256,
	}
}
