package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/picture"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ground is what the parts of the area stand on.
type ground struct {
	clock  clock.Clock
	states *state.Log
	bus    *events.Bus
	queue  *jobs.Queue
	items  *item.Registry
}

func newGround(c clock.Clock, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry) *ground {
	return &ground{clock: c, states: states, bus: bus, queue: queue, items: items}
}

// service decides what may be done to attachments.
type service struct {
	*ground

	settings   settings
	db         *database.DB
	repository *repository
	storage    *storage
}

func newService(s settings, g *ground, r *repository, st *storage) *service {
	return &service{ground: g, settings: s, db: r.db, repository: r, storage: st}
}

// store is the one way in for new files: forms, other areas, upload links. Done, if it is not nil, runs in
// the transaction that makes the row.
func (s *service) store(
	ctx context.Context, d description, in incoming, done func(context.Context, *attachment) error,
) (attachment, error) {
	d, err := s.check(ctx, d)
	if err != nil {
		return attachment{}, err
	}
	in.category = d.Category
	in.fileName = d.FileName
	if in, err = s.room(ctx, in); err != nil {
		return attachment{}, err
	}
	arrived, err := s.storage.take(ctx, in)
	if err != nil {
		return attachment{}, err
	}
	var row attachment
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		row, err = s.keep(ctx, d, arrived, done)

		return err
	})
	s.storage.undo(ctx, err, arrived.Blob)

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

// room refuses an upload of a company that is at its limit, before it is read, and gives it the company's limits.
func (s *service) room(ctx context.Context, in incoming) (incoming, error) {
	in, err := s.bounded(ctx, in)
	limit := in.own.total(s.settings)
	if err != nil || limit == 0 {
		return in, err
	}
	used, err := s.repository.usage(ctx)
	if err == nil && used.Bytes >= limit {
		err = overQuota(used.Bytes, limit)
	}

	return in, err
}

// keep makes the row of content that has arrived.
func (s *service) keep(
	ctx context.Context, d description, a *arrival, done func(context.Context, *attachment) error,
) (attachment, error) {
	row := attachment{ID: database.NewID(), State: uploading, Version: 1, CreatedBy: principal.UserOf(ctx)}
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
	if err := s.settle(ctx, &row); err != nil {
		return row, err
	}
	if err := s.repository.insert(ctx, &row); err != nil {
		return row, err
	}

	return row, s.announce(ctx, row)
}

// attach makes what arrived the newest content of a row, and counts it.
func (s *service) attach(ctx context.Context, row *attachment, a *arrival) error {
	facts, err := a.facts()
	if err != nil {
		return err
	}
	if err := s.count(ctx, a.Size, 1); err != nil {
		return err
	}
	row.Content++
	row.MediaType, row.Size, row.SHA256, row.Facts = a.MediaType, a.Size, a.SHA256, facts
	row.Quarantine, row.Scan = a.Quarantine, a.Scan

	return s.repository.insertVersion(ctx, &version{
		AttachmentID: row.ID, Number: row.Content, BlobName: a.Blob, FileName: row.FileName, MediaType: a.MediaType,
		Size: a.Size, SHA256: a.SHA256, Facts: facts, CreatedBy: principal.UserOf(ctx), CreatedAt: s.clock.Now(),
	})
}

// settle moves a file on by what was found when its content was looked at.
func (s *service) settle(ctx context.Context, row *attachment) (err error) {
	verb := verbReceive
	switch {
	case row.Quarantine != "":
		verb = verbQuarantine
	case row.Scan == scanPending:
		verb = verbScan
	case row.State == ready:
		return s.prepare(ctx, *row)
	}
	row.State, err = lifecycle().Apply(ctx, s.states, row.State, state.Move{
		Verb: verb, UUID: row.ID, Part: row.OwnerPart, Thing: *row, Reason: row.Quarantine,
	})
	if err != nil {
		return err
	}

	if row.State == scanning {
		asked := row.UpdatedAt
		row.ScanAskedAt, row.ScanAgain = &asked, false
	}

	return s.prepare(ctx, *row)
}

// prepare has done what is done for a file by jobs: what is held is scanned, of what can be read there are thumbnails.
func (s *service) prepare(ctx context.Context, row attachment) error {
	switch {
	case row.State == scanning:
		return s.queue.Enqueue(ctx, scan{Attachment: row.ID, Number: row.Content}, jobs.Attempts(scanAttempts))
	case row.State == ready && picture.Known(row.MediaType):
		return s.queue.Enqueue(ctx, shrinking{Attachment: row.ID, Number: row.Content}, jobs.UniqueFor(thumbnailAgain))
	default:
		return nil
	}
}

// announce publishes that a file is new, has new content, or is dangerous. Of one that is held nothing is said yet.
func (s *service) announce(ctx context.Context, row attachment) error {
	switch {
	case row.State == quarantined:
		return s.bus.Publish(ctx, attachmentsapi.Quarantined{Attachment: row.ID.String(), Reason: row.Quarantine})
	case row.State != ready:
		return nil
	case row.Content > 1:
		return s.bus.Publish(ctx, row.replaced())
	default:
		return s.bus.Publish(ctx, row.stored())
	}
}

// stored is the event of a new file.
func (row attachment) stored() attachmentsapi.Stored {
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

// replaced is the event of new content.
func (row attachment) replaced() attachmentsapi.Replaced {
	return attachmentsapi.Replaced{
		Attachment: row.ID.String(), Number: row.Content, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256,
	}
}

// change changes an attachment that is not deleted, in one transaction.
func (s *service) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, change func(context.Context, *attachment) error,
) (row attachment, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.there(ctx, id, match); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := change(ctx, &row); err != nil {
			return err
		}

		return s.repository.save(ctx, &row)
	})

	return row, err
}

// there holds an attachment that is not deleted and is at the version that is meant.
func (s *service) there(ctx context.Context, id uuid.UUID, match web.IfMatch) (attachment, error) {
	row, err := s.repository.held(ctx, id)
	if err != nil {
		return row, err
	}
	if row.DeletedAt != nil {
		return row, errNotFound
	}

	return row, match.Check(row.Version)
}

// update changes what is said of a file.
func (s *service) update(ctx context.Context, id uuid.UUID, match web.IfMatch, d description) (attachment, error) {
	row, err := s.repository.find(ctx, id)
	if err != nil {
		return row, err
	}
	if d.FileName == "" {
		d.FileName = row.FileName
	}
	if d, err = d.accept(s.clock.Now()); err != nil {
		return row, err
	}
	if d.ownerPart = row.OwnerPart; d.Owner != row.owner() {
		if d.ownerPart, err = partOf(ctx, s.items, d.Owner); err != nil {
			return row, err
		}
	}

	return s.change(ctx, id, match, func(ctx context.Context, row *attachment) error {
		d.put(row)

		return s.bus.Publish(ctx, attachmentsapi.Updated{Attachment: row.ID.String()})
	})
}

// replace gives a file new content; what it had stays as a version.
func (s *service) replace(ctx context.Context, id uuid.UUID, match web.IfMatch, in incoming) (attachment, error) {
	row, err := s.repository.find(ctx, id)
	if err != nil {
		return row, err
	}
	if err := s.mayReplace(ctx, row, match); err != nil {
		return row, err
	}
	if in, err = s.room(ctx, in); err != nil {
		return row, err
	}
	if in.fileName == "" {
		in.fileName = row.FileName
	}
	in.category = row.Category
	arrived, err := s.storage.take(ctx, in)
	if err != nil {
		return row, err
	}
	row, err = s.change(ctx, id, match, func(ctx context.Context, row *attachment) error {
		if err := s.mayReplace(ctx, *row, web.IfMatch{}); err != nil {
			return err
		}
		row.FileName = arrived.FileName
		if err := s.attach(ctx, row, arrived); err != nil {
			return err
		}
		if err := s.settle(ctx, row); err != nil {
			return err
		}

		return s.announce(ctx, *row)
	})
	s.storage.undo(ctx, err, arrived.Blob)

	return row, err
}

// mayReplace refuses new content for a file that cannot have any.
func (s *service) mayReplace(ctx context.Context, row attachment, match web.IfMatch) error {
	if row.DeletedAt != nil {
		return errNotFound
	}
	if err := match.Check(row.Version); err != nil {
		return err
	}
	switch {
	case row.State != ready:
		return unreadable(row)
	case row.Content >= int64(s.settings.MaxVersions):
		return errVersions.WithMessage("The attachment has %d versions of its content, and may have %d.", row.Content, s.settings.MaxVersions)
	}

	return s.free(ctx, row.ID)
}

// free refuses what is held.
func (s *service) free(ctx context.Context, id uuid.UUID) error {
	held, err := s.repository.isHeld(ctx, id)
	if err == nil && held {
		err = errHeld
	}

	return err
}

// unreadable says why content cannot be read.
func unreadable(row attachment) error {
	if row.State == quarantined {
		return errPoisoned
	}

	return errNotReady.WithDetail("current", string(row.State))
}
