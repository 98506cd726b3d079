package attachments

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// mostParts bounds the rows of a transfer.
	mostParts = 10_000
	// Of transfers that have not ended, so many there may be.
	openPerLink    = 20
	openPerCompany = 1000
)

// transfers take in files bit by bit. What has arrived of one is in parts, since nothing can be appended to
// an object in a bucket: each a blob and a row. When all is there, it goes through the pipeline like
// everything else.
type transfers struct {
	files *service
	links *links
	log   *slog.Logger
}

func newTransfers(l *links, log *slog.Logger) *transfers {
	return &transfers{files: l.files, links: l, log: log}
}

// announcement is a file that is to come.
type announcement struct {
	description

	length   int64
	sha256   []byte // nil for any
	metadata string
	// link is nil for one with a token; more limits are those of the link.
	link *store.UploadLink
}

// begin makes a transfer, of which nothing has arrived.
func (t *transfers) begin(ctx context.Context, a announcement) (store.Transfer, error) {
	d, err := t.files.check(ctx, a.description)
	if err != nil {
		return store.Transfer{}, err
	}
	if err := t.fits(ctx, a); err != nil {
		return store.Transfer{}, err
	}
	now := t.files.clock.Now()
	row := store.Transfer{
		ID: database.NewID(), OwnerType: d.Owner.Type, OwnerID: web.Optional(d.Owner.UUID), Category: d.Category, Visibility: d.Visibility,
		Title: d.Title, FileName: d.FileName, FileExpiresAt: d.ExpiresAt, SHA256: hex.EncodeToString(a.sha256), Metadata: a.metadata,
		Length: a.length, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now, ExpiresAt: t.expiresAt(now),
	}
	most := int64(openPerCompany)
	if a.link != nil {
		row.UploadLinkID, most = &a.link.ID, openPerLink
	}

	return row, t.files.db.InTx(ctx, func(ctx context.Context) error {
		open, err := t.files.repository.CountOpenTransfers(ctx, row.UploadLinkID, now)
		if err != nil {
			return err
		}
		if open >= most {
			return store.ErrTooManyTransfers.WithDetail("limit", most)
		}

		return t.files.repository.InsertTransfer(ctx, &row)
	})
}

// goOn takes in what a request has of a transfer, and makes a file of it if that was the end.
func (t *transfers) goOn(ctx context.Context, row store.Transfer, offset int64, body io.Reader, sum *tus.Checksum) (store.Transfer, error) {
	switch {
	case offset != row.Received:
		return row, wrongOffset(row)
	case row.AttachmentID != nil:
		return row, nil
	case row.Complete():
		return row, store.ErrTransferEnding
	}
	row, err := t.receive(ctx, row, body, sum)
	if errors.Is(err, store.ErrType) {
		return row, errors.Join(err, t.discard(ctx, row.ID))
	}
	if err != nil || !row.Complete() {
		return row, err
	}

	return t.end(ctx, row)
}

// end makes a file of a transfer that the caller has claimed.
func (t *transfers) end(ctx context.Context, row store.Transfer) (store.Transfer, error) {
	file, err := t.finish(ctx, row)
	if err == nil {
		row.AttachmentID = &file.ID
	}

	return row, err
}

// fits refuses a file that would be too large, before anything of it is sent.
func (t *transfers) fits(ctx context.Context, a announcement) error {
	in, err := t.files.quota.Apply(ctx, receiving.Incoming{})
	if err != nil {
		return err
	}
	if a.link != nil {
		in.MaxSize = a.link.MaxSize
	}
	if a.length == 0 {
		return store.ErrEmpty
	}
	if most := t.files.storage.MaxSize(in); a.length > most {
		return store.ErrTooLarge.WithMessage("The file is larger than %s.", config.Size(most)).WithDetail("limit", most)
	}

	return t.files.quota.CheckRoom(ctx, in.Limits, a.length)
}

// expiresAt is how long a transfer that somebody has gone on with waits for more.
func (t *transfers) expiresAt(now time.Time) time.Time { return now.Add(t.files.settings.ResumeLife) }

// find returns a transfer of an upload link, nil for those with a token, that can be gone on with or has
// ended well.
func (t *transfers) find(ctx context.Context, id uuid.UUID, link *uuid.UUID) (store.Transfer, error) {
	row, err := t.files.repository.FindTransfer(ctx, id)
	switch {
	case err != nil:
		return row, err
	case (link == nil) != (row.UploadLinkID == nil), link != nil && *link != *row.UploadLinkID:
		return row, store.ErrTransfer
	case !row.ExpiresAt.After(t.files.clock.Now()):
		return row, store.ErrTransfer
	default:
		return row, nil
	}
}

// discard removes a transfer with what has arrived. A file that was made of it stays.
func (t *transfers) discard(ctx context.Context, id uuid.UUID) error {
	return t.files.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := t.files.repository.LockTransfer(ctx, id); err != nil {
			return err
		}
		if err := t.release(ctx, id); err != nil {
			return err
		}

		return t.files.repository.DeleteTransfer(ctx, id)
	})
}

// release removes the parts of a transfer that is held, and has their content removed once that is certain.
func (t *transfers) release(ctx context.Context, id uuid.UUID) error {
	parts, err := t.files.repository.Parts(ctx, id)
	if err != nil || len(parts) == 0 {
		return err
	}
	bytes, blobs := int64(0), make([]string, len(parts))
	for i, p := range parts {
		bytes += p.Size
		blobs[i] = p.BlobName
	}
	if err := t.files.repository.DeleteParts(ctx, id); err != nil {
		return err
	}
	if _, err := t.files.repository.AddUsage(ctx, -bytes, 0, 0, t.files.clock.Now()); err != nil {
		return err
	}

	return t.files.queue.Enqueue(ctx, removeContentJob{Blobs: blobs}, jobs.Background())
}

// isPermanent reports whether trying again would fail again.
func isPermanent(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.TooLarge, errs.NotFound, errs.Conflict, errs.Malformed, errs.Corrupted:
		return true
	default:
		return false
	}
}

// descriptionOf is what its file is to be.
func descriptionOf(row store.Transfer) description {
	return description{
		Owner: row.Owner(), Category: row.Category,
		Visibility: row.Visibility, Title: row.Title, FileName: row.FileName, ExpiresAt: row.FileExpiresAt,
	}
}
