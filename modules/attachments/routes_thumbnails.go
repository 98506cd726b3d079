package attachments

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/picture"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// thumbnailRoutes are the operations on images in small.
func thumbnailRoutes(r *web.Router, g *gallery) {
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

// side is the size of a thumbnail, one of edges.
type side string

type thumbnailInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Size side      `path:"size" enum:"160,480,1200" doc:"How many pixels the longer side has at most."`
}

func (g *gallery) getThumbnail(ctx context.Context, in *thumbnailInput) (*stream.Stream, error) {
	row, err := g.files.readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return g.giveThumbnail(ctx, row, in.Size)
}

type sharedThumbnailInput struct {
	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
	Size side   `path:"size" enum:"160,480,1200" doc:"How many pixels the longer side has at most."`
}

func (g *gallery) getSharedThumbnail(ctx context.Context, in *sharedThumbnailInput) (*stream.Stream, error) {
	file, err := g.links.open(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return g.giveThumbnail(principal.AsCompany(ctx, file.CompanyID), file.Attachment, in.Size)
}

func (g *gallery) giveThumbnail(ctx context.Context, row store.Attachment, size side) (*stream.Stream, error) {
	t, err := g.thumbnailOf(ctx, row, size)
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(t.MediaType, g.files.storage.Blobs.Open(ctx, t.BlobName, t.Size)).
		Tagged(t.SHA256).Modified(t.CreatedAt).
		With("Cache-Control", "private, no-cache").
		With("Content-Security-Policy", policyOf(t.MediaType)).
		Inline("thumbnail-" + string(size)), nil
}
