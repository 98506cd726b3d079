package billlink

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/printing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Readers are people without an account who read a bill of lading by a link.
type Readers struct {
	entrance *Entrance
	showing  *Showing
	printer  *document.Printer
	settings *settings.Settings[store.Preferences]
}

// NewReaders returns Readers.
func NewReaders(e *Entrance, s *Showing, p *document.Printer, kept *settings.Settings[store.Preferences]) *Readers {
	return &Readers{e, s, p, kept}
}

// ReaderRoutes are the operations by a link to read.
func ReaderRoutes(r *web.Router, k *Readers) {
	show, refusals := newReadPage(), append([]*errs.Error{store.ErrLinkClosed}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_bol", Access: web.Public, Summary: "Read a bill of lading by a link", Errors: refusals, Page: show.Page,
	}, k.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/pdf", ID: "download_shared_bol", Access: web.Public, Summary: "Download a bill of lading by a link as PDF", Errors: refusals,
		Produces: []string{document.MediaPDF},
	}, k.download)
}

func (k *Readers) read(ctx context.Context, in *sharedInput) (*sharedOutput, error) {
	ctx, b, err := k.entrance.enter(ctx, store.Viewing, in.Link)
	if err != nil {
		return nil, err
	}
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	p, err := k.showing.of(ctx, b, "", in.Problem)
	if !terms.Now.SharePhotos {
		p.BOL.HidePictures()
	}

	return &sharedOutput{p}, err
}

func (k *Readers) download(ctx context.Context, in *sharedInput) (*stream.Stream, error) {
	ctx, b, err := k.entrance.enter(ctx, store.Viewing, in.Link)
	if err != nil {
		return nil, err
	}

	return k.printer.Download(ctx, printing.Bill, item.Ref{Type: billsofladingapi.BOL, UUID: b.ID}, document.Options{})
}

// Album shows the photos of a bill of lading by a link.
type Album struct {
	entrance *Entrance
	photos   *resource.Resource[store.Photo]
	previews attachmentsapi.Previews
	settings *settings.Settings[store.Preferences]
}

// NewAlbum returns an Album.
func NewAlbum(e *Entrance, photos *resource.Resource[store.Photo], p attachmentsapi.Previews, kept *settings.Settings[store.Preferences]) *Album {
	return &Album{e, photos, p, kept}
}

type sharedPhotoInput struct {
	Link  string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Photo uuid.UUID `path:"photo" format:"uuid" doc:"One of the pictures of the bill of lading."`
}

// AlbumRoutes are the operations on photos by a link to read.
func AlbumRoutes(r *web.Router, k *Album) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/photos/{photo}", ID: "read_shared_photo", Access: web.Public, Summary: "See a photo of a bill of lading by a link",
		Description: "In small (1,200 pixels), and without what the camera has written into it, such as the position; where the settings allow it.",
		Errors:      append([]*errs.Error{k.photos.NotFound(), store.ErrLinkClosed}, link.Refusals...), Produces: []string{"image/jpeg", "image/png"},
	}, k.read)
}

// read returns a photo in small, without what the camera has written into it.
func (k *Album) read(ctx context.Context, in *sharedPhotoInput) (*stream.Stream, error) {
	ctx, b, err := k.entrance.enter(ctx, store.Viewing, in.Link)
	if err != nil {
		return nil, err
	}
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	p, err := k.photos.Find(ctx, in.Photo)
	if err == nil && (p.BOL != b.ID || !terms.Now.SharePhotos) {
		err = k.photos.NotFound()
	}
	if err != nil {
		return nil, err
	}
	image, err := k.previews.Preview(ctx, p.Attachment.String())
	if errs.KindOf(err) == errs.NotFound {
		err = k.photos.NotFound()
	}
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(image.MediaType, image.Content).Tagged(image.SHA256).With("Cache-Control", "private, max-age=3600").Inline("photo"), nil
}
