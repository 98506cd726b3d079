package inspecting

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// mostBytes is how much all photos of a bill of lading may have together.
const mostBytes = 2 << 30

// Photos keeps what the stored pictures of inspections show.
type Photos struct {
	bols  *resource.Resource[store.Bol]
	kept  *resource.Resource[store.Photo]
	rows  *store.Repository
	clock clock.Clock
}

// NewPhotos returns Photos.
func NewPhotos(bols *resource.Resource[store.Bol], kept *resource.Resource[store.Photo], rows *store.Repository, c clock.Clock) *Photos {
	return &Photos{bols, kept, rows, c}
}

// attachmentID is that of the photo that a phone sends with an id of its own.
func attachmentID(of store.Inspection, client uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(of.ID, client[:])
}

// sent returns the photo that a phone has sent before. Error: ErrNone.
func (k *Photos) sent(ctx context.Context, of store.Inspection, client uuid.UUID) (store.Photo, error) {
	return k.rows.Photo(ctx, of.ID, attachmentID(of, client), "")
}

// room refuses a photo for which an inspection, or its bill of lading, has no room.
func (k *Photos) room(ctx context.Context, of store.Inspection, size int64) error {
	n, bytes, err := k.rows.PhotoCount(ctx, of.ID, of.BOL)
	switch {
	case err != nil:
		return err
	case n >= mostEntries:
		return store.ErrTooMany.WithMessage("The vehicle already has %d photos at the %s, the maximum.", n, of.Stage)
	case bytes+size > mostBytes:
		return store.ErrPhotosFull
	}

	return nil
}

// keep stores what a picture shows. The same file is kept once for an inspection.
func (k *Photos) keep(ctx context.Context, of store.Inspection, stored attachmentsapi.File, e PhotoEntry) (made store.Photo, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		if err := k.bols.Hold(ctx, of.BOL); err != nil {
			return err
		}
		file := item.ID(stored.UUID)
		if made, err = k.rows.Photo(ctx, of.ID, file, stored.SHA256); !errors.Is(err, store.ErrNone) {
			return err
		}
		if err := k.room(ctx, of, stored.Size); err != nil {
			return err
		}
		b, err := k.bols.Find(ctx, of.BOL)
		if err != nil {
			return err
		}
		at, ahead := b.EventTime(e.OccurredAt, k.clock.Now())
		made, err = k.kept.Create(ctx, store.Photo{
			Inspection: of.ID, BOL: of.BOL, Load: &b.Load, Size: stored.Size, Vehicle: of.Vehicle, Stage: of.Stage, Attachment: file,
			Subject: e.Subject, Damage: e.Damage, DamageClient: e.DamageClient, TakenAt: &at, ClockAhead: ahead, Position: e.Position, SHA256: stored.SHA256,
		})

		return err
	})

	return made, err
}
