package inspecting

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

const (
	// uploadLife is how long a driver can send photos by an upload link.
	uploadLife = 72 * time.Hour
	// MaxPhotoSize is how large a photo may be, mostPhotos how many may come by an upload link.
	MaxPhotoSize = 40 << 20
	mostPhotos   = 60
)

// Uploads receives the photos of inspections: one by one, or in pieces by an upload link.
type Uploads struct {
	inspections *Inspections
	photos      *Photos
	files       attachmentsapi.Files
	links       attachmentsapi.Uploads
	clock       clock.Clock
}

// NewUploads returns Uploads.
func NewUploads(i *Inspections, p *Photos, f attachmentsapi.Files, l attachmentsapi.Uploads, c clock.Clock) *Uploads {
	return &Uploads{i, p, f, l, c}
}

// Receive stores a photo. A photo that was sent before is not stored again.
func (k *Uploads) Receive(ctx context.Context, bill uuid.UUID, e PhotoEntry, content io.Reader) (made store.Photo, err error) {
	if !slices.Contains(Subjects, e.Subject) {
		return made, store.ErrInvalidEntry.WithField("subject", "The subject must be one of "+strings.Join(Subjects, ", ")+".")
	}
	var of store.Inspection
	var before store.Photo
	if err := k.inspections.with(ctx, HandOver{bill, e.Vehicle, e.Stage}, func(ctx context.Context, o opened) error {
		of = o.row
		if before, err = k.photos.sent(ctx, of, e.ClientID); !errors.Is(err, store.ErrNone) {
			return err
		}

		return k.photos.room(ctx, of, 0)
	}); err != nil {
		return made, err
	}
	if before.ID != uuid.Nil {
		return before, sameContent(before, content)
	}
	n := attachmentsapi.NewFile{
		OwnerType: billsofladingapi.Inspection, OwnerUUID: of.ID.String(), Category: e.Subject, Visibility: attachmentsapi.Carrier,
		FileName: cmp.Or(e.FileName, e.Subject+".jpg"), Types: []string{"image/*"},
	}
	if e.ClientID != uuid.Nil {
		n.UUID = attachmentID(of, e.ClientID).String()
	}
	stored, err := k.files.Put(ctx, n, content)
	if failure, refused := errors.AsType[*errs.Error](err); refused && errs.IsRefusal(err) && strings.HasPrefix(failure.Code, attachmentsapi.Area+".") {
		return made, store.ErrInvalidEntry.WithField("file", failure.Message)
	}
	if err != nil {
		return made, err
	}

	return k.photos.keep(ctx, of, stored, e)
}

// sameContent refuses another photo with the client_id of one that was sent before.
func sameContent(as store.Photo, content io.Reader) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != as.SHA256 {
		return store.ErrClientIDUsed.WithField("client_id", "`client_id` was used for another photo. Make up a new one.")
	}

	return nil
}

// Invite returns the address of an upload link by which some photos of a vehicle come.
func (k *Uploads) Invite(ctx context.Context, at HandOver, subject string, count int) (url string, err error) {
	err = k.inspections.with(ctx, at, func(ctx context.Context, o opened) error {
		count := min(max(count, 1), mostPhotos)
		if o.row.Invited+int64(count) > mostEntries {
			return store.ErrTooMany.WithMessage(
				"The vehicle already has upload links for %d photos at the %s; the maximum is %d.", o.row.Invited, o.row.Stage, mostEntries)
		}
		if err := k.photos.room(ctx, o.row, 0); err != nil {
			return err
		}
		if _, err := k.inspections.change(ctx, o.row, store.VerbRecord, func(row *store.Inspection) { row.Invited += int64(count) }); err != nil {
			return err
		}
		made, err := k.links.Invite(ctx, attachmentsapi.Upload{
			OwnerType: billsofladingapi.Inspection, OwnerUUID: o.row.ID.String(), Category: subject, Title: subject, MaxUploads: count, MaxSize: MaxPhotoSize,
			Types: []string{"image/*"}, ExpiresAt: k.clock.Now().Add(uploadLife),
		})
		url = made.URL

		return err
	})

	return url, err
}

// KeepStored keeps a photo that came by an upload link, unless the stage is signed or has no room for it.
func (k *Uploads) KeepStored(ctx context.Context, e attachmentsapi.Stored) error {
	if e.OwnerType != billsofladingapi.Inspection || e.UploadLink == "" || !strings.HasPrefix(e.MediaType, "image/") {
		return nil
	}
	err := k.inspections.reopen(ctx, item.ID(e.Owner), func(ctx context.Context, o opened) error {
		_, err := k.photos.keep(ctx, o.row, attachmentsapi.File{UUID: e.Attachment, SHA256: e.SHA256, Size: e.Size}, PhotoEntry{Subject: e.Category})

		return err
	})
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}
