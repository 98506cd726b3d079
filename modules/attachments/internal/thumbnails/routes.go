package thumbnails

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/sharing"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/picture"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Routes are the operations on images in small.
func Routes(r *web.Router, g *Gallery) {
	shown := []string{picture.JPEG, picture.PNG}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/thumbnails/{size}", ID: "read_attachment_thumbnail", Access: web.Read,
		Summary:     "Read the content of an attachment as a small image",
		Description: "Of JPEG, PNG, GIF and WebP, turned as it is to be shown. It is made shortly after the content has arrived.",
		Errors:      append(blob.Errors, store.ErrNotFound, store.ErrThumbnail, store.ErrNotReady, store.ErrQuarantined), Produces: shown,
	}, g.getThumbnail)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/thumbnails/{size}", ID: "read_shared_thumbnail", Access: web.Public,
		Summary: "Read the content of an attachment as a small image by a link", Description: "It counts as a use of the link.",
		Errors: append(append(blob.Errors, link.Refusals...), store.ErrLinkVoid, store.ErrThumbnail), Produces: shown,
	}, g.getSharedThumbnail)
}

// Gallery gives thumbnails out.
type Gallery struct {
	repository *store.Repository
	storage    *receiving.Storage
	reader     *files.Reader
	journal    *files.Journal
	shares     *sharing.Shares
}

// NewGallery returns the gallery of a repository.
func NewGallery(r *store.Repository, st *receiving.Storage, reader *files.Reader, j *files.Journal, s *sharing.Shares) *Gallery {
	return &Gallery{repository: r, storage: st, reader: reader, journal: j, shares: s}
}

// side is the size of a thumbnail, one of edges.
type side string

type thumbnailInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Size side      `path:"size" enum:"160,480,1200" doc:"How many pixels the longer side has at most."`
}

func (g *Gallery) getThumbnail(ctx context.Context, in *thumbnailInput) (*stream.Stream, error) {
	row, err := g.reader.Readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return g.giveThumbnail(ctx, row, in.Size)
}

type sharedThumbnailInput struct {
	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
	Size side   `path:"size" enum:"160,480,1200" doc:"How many pixels the longer side has at most."`
}

func (g *Gallery) getSharedThumbnail(ctx context.Context, in *sharedThumbnailInput) (*stream.Stream, error) {
	file, err := g.shares.Open(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return g.giveThumbnail(principal.AsCompany(ctx, file.CompanyID), file.Attachment, in.Size)
}

func (g *Gallery) giveThumbnail(ctx context.Context, row store.Attachment, size side) (*stream.Stream, error) {
	t, err := g.thumbnailOf(ctx, row, size)
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(t.MediaType, g.storage.Blobs.Open(ctx, t.BlobName, t.Size)).
		Tagged(t.SHA256).Modified(t.CreatedAt).
		With("Cache-Control", "private, no-cache").
		With("Content-Security-Policy", files.ContentPolicy(t.MediaType)).
		Inline("thumbnail-" + string(size)), nil
}

// thumbnailOf returns a thumbnail of the newest content of a file that may be read. One that is missing
// though it could be there is made by a job.
func (g *Gallery) thumbnailOf(ctx context.Context, row store.Attachment, size side) (store.Thumbnail, error) {
	edge, err := strconv.ParseInt(string(size), 10, 64)
	if err != nil {
		return store.Thumbnail{}, store.ErrThumbnail
	}
	found, err := g.repository.FindThumbnail(ctx, row.ID, row.Content, edge)
	if !errors.Is(err, store.ErrThumbnail) || !picture.CanDecode(row.MediaType) {
		return found, err
	}
	enqueued := g.repository.DB.InTx(ctx, func(ctx context.Context) error { return g.journal.Prepare(ctx, row) })

	return found, errors.Join(enqueued, err)
}

// Preview implements attachmentsapi.Previews.
func (g *Gallery) Preview(ctx context.Context, id string) (attachmentsapi.Image, error) {
	row, err := g.reader.Readable(ctx, item.ID(id))
	if err != nil {
		return attachmentsapi.Image{}, err
	}
	t, err := g.thumbnailOf(ctx, row, previewEdge)
	if err != nil {
		return attachmentsapi.Image{}, err
	}

	return attachmentsapi.Image{MediaType: t.MediaType, SHA256: t.SHA256, Content: g.storage.Blobs.Open(ctx, t.BlobName, t.Size)}, nil
}
