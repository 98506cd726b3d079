package attachments

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"

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
type transfers struct{ *links }

func newTransfers(l *links) *transfers { return &transfers{links: l} }

// announced is a file that is to come.
type announced struct {
	description

	length   int64
	sha256   []byte // nil for any
	metadata string
	// link is nil for one with a token; more limits are those of the link.
	link *uploadLink
}

// begin makes a transfer, of which nothing has arrived.
func (t *transfers) begin(ctx context.Context, a announced) (transfer, error) {
	d, err := t.check(ctx, a.description)
	if err != nil {
		return transfer{}, err
	}
	if err := t.fits(ctx, a); err != nil {
		return transfer{}, err
	}
	now := t.clock.Now()
	row := transfer{
		ID: database.NewID(), OwnerType: d.Owner.Type, OwnerID: web.Optional(d.Owner.UUID), Category: d.Category, Visibility: d.Visibility,
		Title: d.Title, FileName: d.FileName, FileExpiresAt: d.ExpiresAt, SHA256: hex.EncodeToString(a.sha256), Metadata: a.metadata,
		Length: a.length, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now, ExpiresAt: t.until(now),
	}
	most := int64(openPerCompany)
	if a.link != nil {
		row.UploadLinkID, most = &a.link.ID, openPerLink
	}

	return row, t.db.InTx(ctx, func(ctx context.Context) error {
		open, err := t.repository.openTransfers(ctx, row.UploadLinkID, now)
		if err != nil {
			return err
		}
		if open >= most {
			return errOpen.WithDetail("limit", most)
		}
		if row.whole() { // an empty file
			if err := t.willFinish(ctx, &row); err != nil {
				return err
			}
		}

		return t.repository.insertTransfer(ctx, &row)
	})
}

// goOn takes in what a request has of a transfer, and makes a file of it if that was the end.
func (t *transfers) goOn(ctx context.Context, row transfer, offset int64, body io.Reader, sum *checksum) (transfer, error) {
	switch {
	case offset != row.Received:
		return row, wrongOffset(row)
	case row.AttachmentID != nil:
		return row, nil
	case row.whole():
		return row, errEnding
	}
	row, err := t.receive(ctx, row, body, sum)
	if errors.Is(err, errType) {
		return row, errors.Join(err, t.discard(ctx, row.ID))
	}
	if err != nil || !row.whole() {
		return row, err
	}

	return t.end(ctx, row)
}

// end makes a file of a transfer that the caller has claimed.
func (t *transfers) end(ctx context.Context, row transfer) (transfer, error) {
	file, err := t.finish(ctx, row)
	if err == nil {
		row.AttachmentID = &file.ID
	}

	return row, err
}

// fits refuses a file that would be too large, before anything of it is sent.
func (t *transfers) fits(ctx context.Context, a announced) error {
	in, err := t.bounded(ctx, incoming{})
	if err != nil {
		return err
	}
	if a.link != nil {
		in.maxSize = a.link.MaxSize
	}
	if most := t.storage.limit(in); a.length > most {
		return errTooLarge.WithMessage("The file is larger than %s.", config.Size(most)).WithDetail("limit", most)
	}
	limit := in.own.total(t.settings)
	if limit == 0 {
		return nil
	}
	used, err := t.repository.usage(ctx)
	if err == nil && used.Bytes+a.length > limit {
		err = overQuota(used.Bytes, limit)
	}

	return err
}

// until is how long a transfer that somebody has gone on with waits for more.
func (t *transfers) until(now time.Time) time.Time { return now.Add(t.settings.ResumeLife) }

// find returns a transfer of an upload link, nil for those with a token, that can be gone on with or has
// ended well.
func (t *transfers) find(ctx context.Context, id uuid.UUID, link *uuid.UUID) (transfer, error) {
	row, err := t.repository.findTransfer(ctx, id)
	switch {
	case err != nil:
		return row, err
	case (link == nil) != (row.UploadLinkID == nil), link != nil && *link != *row.UploadLinkID:
		return row, errTransfer
	case !row.ExpiresAt.After(t.clock.Now()):
		return row, errTransfer
	default:
		return row, nil
	}
}

// discard removes a transfer with what has arrived. A file that was made of it stays.
func (t *transfers) discard(ctx context.Context, id uuid.UUID) error {
	return t.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := t.repository.heldTransfer(ctx, id); err != nil {
			return err
		}
		if err := t.release(ctx, id); err != nil {
			return err
		}

		return t.repository.removeTransfer(ctx, id)
	})
}

// release removes the parts of a transfer that is held, and has their content removed once that is certain.
func (t *transfers) release(ctx context.Context, id uuid.UUID) error {
	parts, err := t.repository.partsOf(ctx, id)
	if err != nil || len(parts) == 0 {
		return err
	}
	bytes, blobs := int64(0), make([]string, len(parts))
	for i, p := range parts {
		bytes += p.Size
		blobs[i] = p.BlobName
	}
	if err := t.repository.removeParts(ctx, id); err != nil {
		return err
	}
	if _, err := t.repository.use(ctx, -bytes, 0, 0, t.clock.Now()); err != nil {
		return err
	}

	return t.queue.Enqueue(ctx, drop{Blobs: blobs}, jobs.Background())
}

// permanent reports whether trying again would fail again.
func permanent(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.TooLarge, errs.NotFound, errs.Conflict, errs.Malformed, errs.Corrupted:
		return true
	default:
		return false
	}
}
