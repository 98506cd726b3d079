package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/picture"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// things are what files are about: the items that own them and their own life, by the clock.
type things struct {
	clock  clock.Clock
	states *state.Log
	items  *item.Registry
}

func newThings(c clock.Clock, states *state.Log, items *item.Registry) things {
	return things{clock: c, states: states, items: items}
}

// outlets are where it is said what was done to a file, and what is left to do.
type outlets struct {
	queue *jobs.Queue
	bus   *events.Bus
	trail *audit.Log
}

func newOutlets(queue *jobs.Queue, bus *events.Bus, trail *audit.Log) outlets {
	return outlets{queue: queue, bus: bus, trail: trail}
}

// service decides what may be done to attachments.
type service struct {
	settings   settings.Settings
	db         *database.DB
	repository *store.Repository
	storage    *receiving.Storage
	quota      *limits.Quota

	clock  clock.Clock
	states *state.Log
	items  *item.Registry
	queue  *jobs.Queue
	bus    *events.Bus
	trail  *audit.Log
}

func newService(s settings.Settings, r *store.Repository, st *receiving.Storage, q *limits.Quota, t things, o outlets) *service {
	return &service{
		settings: s, db: r.DB, repository: r, storage: st, quota: q,
		clock: t.clock, states: t.states, items: t.items, queue: o.queue, bus: o.bus, trail: o.trail,
	}
}

// store is the one way in for new files: forms, other areas, upload links. Done, if it is not nil, runs in
// the transaction that makes the row.
func (s *service) store(
	ctx context.Context, d description, in receiving.Incoming, done func(context.Context, *store.Attachment) error,
) (store.Attachment, error) {
	d, err := s.check(ctx, d)
	if err != nil {
		return store.Attachment{}, err
	}
	in.Category = d.Category
	in.FileName = d.FileName
	if in, err = s.limitUpload(ctx, in); err != nil {
		return store.Attachment{}, err
	}
	arrived, err := s.storage.Receive(ctx, in)
	if err != nil {
		return store.Attachment{}, err
	}
	var row store.Attachment
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		row, err = s.storeArrival(ctx, d, arrived, done)

		return err
	})
	s.storage.DiscardOnError(ctx, err, arrived.Blob)

	return row, err
}

// check is accept, and makes sure that the owner is there.
func (s *service) check(ctx context.Context, d description) (description, error) {
	d, err := d.accept(s.clock.Now())
	if err != nil {
		return d, err
	}

	d.ownerPart, err = partOf(ctx, s.items, d.Owner)

	return d, err
}

// limitUpload refuses an upload of a company that is at its limit, before it is read, and gives it the company's limits.
func (s *service) limitUpload(ctx context.Context, in receiving.Incoming) (receiving.Incoming, error) {
	in, err := s.quota.Apply(ctx, in)
	if err == nil {
		err = s.quota.CheckRoom(ctx, in.Limits, 1)
	}

	return in, err
}

// storeArrival makes the row of content that has arrived.
func (s *service) storeArrival(
	ctx context.Context, d description, a *receiving.Arrival, done func(context.Context, *store.Attachment) error,
) (store.Attachment, error) {
	row := store.Attachment{ID: database.NewID(), State: store.Uploading, Version: 1, CreatedBy: principal.UserOf(ctx)}
	if d.ID != uuid.Nil {
		row.ID = d.ID
	}
	row.CreatedAt = s.clock.Now()
	row.UpdatedAt = row.CreatedAt
	d.put(&row)
	if err := s.attach(ctx, &row, a); err != nil {
		return row, err
	}
	if done != nil {
		if err := done(ctx, &row); err != nil {
			return row, err
		}
	}
	if err := s.applyInspection(ctx, &row); err != nil {
		return row, err
	}
	if err := s.repository.Insert(ctx, &row); err != nil {
		return row, err
	}

	return row, s.announce(ctx, row)
}

// attach makes what arrived the newest content of a row, and counts it.
func (s *service) attach(ctx context.Context, row *store.Attachment, a *receiving.Arrival) error {
	facts, err := a.StoredFacts()
	if err != nil {
		return err
	}
	if err := s.quota.Add(ctx, a.Size, 1); err != nil {
		return err
	}
	row.Content++
	row.MediaType, row.Size, row.SHA256, row.Facts = a.MediaType, a.Size, a.SHA256, facts
	row.Quarantine, row.Scan = a.Quarantine, a.Scan

	return s.repository.InsertVersion(ctx, &store.Version{
		AttachmentID: row.ID, Number: row.Content, BlobName: a.Blob, FileName: row.FileName, MediaType: a.MediaType,
		Size: a.Size, SHA256: a.SHA256, Facts: facts, CreatedBy: principal.UserOf(ctx), CreatedAt: s.clock.Now(),
	})
}

// applyInspection moves a file on by what was found when its content was looked at.
func (s *service) applyInspection(ctx context.Context, row *store.Attachment) (err error) {
	verb := store.VerbReceive
	switch {
	case row.Quarantine != "":
		verb = store.VerbQuarantine
	case row.Scan == store.ScanPending:
		verb = store.VerbScan
	case row.State == store.Ready:
		return s.prepare(ctx, *row)
	}
	row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, state.Move{
		Verb: verb, UUID: row.ID, Part: row.OwnerPart, Thing: *row, Reason: row.Quarantine,
	})
	if err != nil {
		return err
	}

	if row.State == store.Scanning {
		asked := row.UpdatedAt
		row.ScanAskedAt, row.ScanAgain = &asked, false
	}

	return s.prepare(ctx, *row)
}

// prepare has done what is done for a file by jobs: what is held is scanned, of what can be read there are thumbnails.
func (s *service) prepare(ctx context.Context, row store.Attachment) error {
	switch {
	case row.State == store.Scanning:
		return s.queue.Enqueue(ctx, scanJob{Attachment: row.ID, Number: row.Content}, jobs.Attempts(scanAttempts))
	case row.State == store.Ready && picture.CanDecode(row.MediaType):
		return s.queue.Enqueue(ctx, thumbnailJob{Attachment: row.ID, Number: row.Content}, jobs.UniqueFor(thumbnailAgain))
	default:
		return nil
	}
}

// announce publishes that a file is new, has new content, or is dangerous. Of one that is held nothing is said yet.
func (s *service) announce(ctx context.Context, row store.Attachment) error {
	switch {
	case row.State == store.Quarantined:
		return s.bus.Publish(ctx, attachmentsapi.Quarantined{Attachment: row.ID.String(), Reason: row.Quarantine})
	case row.State != store.Ready:
		return nil
	case row.Content > 1:
		return s.bus.Publish(ctx, replacedEvent(row))
	default:
		return s.bus.Publish(ctx, storedEvent(row))
	}
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

// change changes an attachment that is not deleted, in one transaction.
func (s *service) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, change func(context.Context, *store.Attachment) error,
) (row store.Attachment, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.lockMatching(ctx, id, match); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := change(ctx, &row); err != nil {
			return err
		}

		return s.repository.Save(ctx, &row)
	})

	return row, err
}

// lockMatching holds an attachment that is not deleted and is at the version that is meant.
func (s *service) lockMatching(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Attachment, error) {
	row, err := s.repository.Lock(ctx, id)
	if err != nil {
		return row, err
	}
	if row.DeletedAt != nil {
		return row, store.ErrNotFound
	}

	return row, match.Check(row.Version)
}

// update changes what is said of a file.
func (s *service) update(ctx context.Context, id uuid.UUID, match web.IfMatch, d description) (store.Attachment, error) {
	row, err := s.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}
	if d.FileName == "" {
		d.FileName = row.FileName
	}
	if d, err = d.accept(s.clock.Now()); err != nil {
		return row, err
	}
	if d.ownerPart = row.OwnerPart; d.Owner != row.Owner() {
		if d.ownerPart, err = partOf(ctx, s.items, d.Owner); err != nil {
			return row, err
		}
	}

	return s.change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		before := *row
		d.put(row)
		err := s.trail.Record(ctx, audit.Entry{
			Action: store.AttachmentItem + ".updated", Item: audit.Item{Type: store.AttachmentItem, UUID: row.ID, Part: row.OwnerPart}, Changes: row.ChangesSince(before),
		})
		if err != nil {
			return err
		}

		return s.bus.Publish(ctx, attachmentsapi.Updated{Attachment: row.ID.String()})
	})
}

// replace gives a file new content; what it had stays as a version.
func (s *service) replace(ctx context.Context, id uuid.UUID, match web.IfMatch, in receiving.Incoming) (store.Attachment, error) {
	row, err := s.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}
	if err := s.mayReplace(ctx, row, match); err != nil {
		return row, err
	}
	if in, err = s.limitUpload(ctx, in); err != nil {
		return row, err
	}
	if in.FileName == "" {
		in.FileName = row.FileName
	}
	in.Category = row.Category
	arrived, err := s.storage.Receive(ctx, in)
	if err != nil {
		return row, err
	}
	row, err = s.change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		if err := s.mayReplace(ctx, *row, web.IfMatch{}); err != nil {
			return err
		}
		row.FileName = arrived.FileName
		if err := s.attach(ctx, row, arrived); err != nil {
			return err
		}
		if err := s.applyInspection(ctx, row); err != nil {
			return err
		}

		return s.announce(ctx, *row)
	})
	s.storage.DiscardOnError(ctx, err, arrived.Blob)

	return row, err
}

// mayReplace refuses new content for a file that cannot have any.
func (s *service) mayReplace(ctx context.Context, row store.Attachment, match web.IfMatch) error {
	if row.DeletedAt != nil {
		return store.ErrNotFound
	}
	if err := match.Check(row.Version); err != nil {
		return err
	}
	switch {
	case row.State != store.Ready:
		return unreadableError(row)
	case row.Content >= int64(s.settings.MaxVersions):
		return store.ErrVersions.WithMessage("The attachment has %d versions of its content, and may have %d.", row.Content, s.settings.MaxVersions)
	}

	return s.checkNotHeld(ctx, row.ID)
}

// checkNotHeld refuses what is held.
func (s *service) checkNotHeld(ctx context.Context, id uuid.UUID) error {
	held, err := s.repository.HasHold(ctx, id)
	if err == nil && held {
		err = store.ErrHeld
	}

	return err
}

// unreadableError says why content cannot be read.
func unreadableError(row store.Attachment) error {
	if row.State == store.Quarantined {
		return store.ErrQuarantined
	}

	return store.ErrNotReady.WithDetail("current", string(row.State))
}
