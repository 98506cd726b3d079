package files

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// MostFound is how many files are read at a time.
const MostFound = 200

// Disposition says how browsers are to take content.
type Disposition string

// Inline has browsers show content, where it is of a kind that is safe.
const Inline Disposition = "inline"

// Reader gives out files that may be read.
type Reader struct {
	repository *store.Repository
	storage    *receiving.Storage
	clock      clock.Clock
}

// NewReader returns the reader of a repository.
func NewReader(r *store.Repository, st *receiving.Storage, c clock.Clock) *Reader {
	return &Reader{repository: r, storage: st, clock: c}
}

// Readable returns an attachment whose content may be read.
func (r *Reader) Readable(ctx context.Context, id uuid.UUID) (store.Attachment, error) {
	row, err := r.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}

	return row, r.MayRead(row)
}

// MayRead says why the content of an attachment may not be read. It is asked wherever content is given out.
func (r *Reader) MayRead(row store.Attachment) error {
	switch {
	case row.DeletedAt != nil, row.Expired(r.clock.Now()):
		return store.ErrNotFound
	case row.State != store.Ready:
		return unreadableError(row)
	default:
		return nil
	}
}

// unreadableError says why content cannot be read.
func unreadableError(row store.Attachment) error {
	if row.State == store.Quarantined {
		return store.ErrQuarantined
	}

	return store.ErrNotReady.WithDetail("current", string(row.State))
}

// Open returns the content of a version, whether it may be read or not.
func (r *Reader) Open(ctx context.Context, id uuid.UUID, number int64) (*blob.Object, error) {
	v, err := r.repository.FindVersion(ctx, id, number)
	if err != nil {
		return nil, err
	}

	return r.storage.Blobs.Open(ctx, v.BlobName, v.Size), nil
}

// Stream answers with a version of the content of an attachment that may be read.
func (r *Reader) Stream(ctx context.Context, row store.Attachment, number int64, how Disposition) (*stream.Stream, error) {
	v, err := r.repository.FindVersion(ctx, row.ID, number)
	if err != nil {
		return nil, err
	}
	media, showable := filetype.ServeAs(v.MediaType)
	answer := stream.NewDownload(media, r.storage.Blobs.Open(ctx, v.BlobName, v.Size)).
		Tagged(v.SHA256).Modified(v.CreatedAt).
		With("Cache-Control", "private, no-cache").
		With("Content-Security-Policy", ContentPolicy(media))
	if how == Inline && showable {
		return answer.Inline(v.FileName), nil
	}

	return answer.Attachment(v.FileName), nil
}

// ContentPolicy is the Content-Security-Policy of content, which keeps browsers from running anything of it. Of a PDF the viewer is the
// browser's own, which does not start in a sandbox.
func ContentPolicy(media string) string {
	if media == "application/pdf" {
		return "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
	}

	return "default-src 'none'; sandbox; frame-ancestors 'none'"
}
