package papers

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrierlink"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

var errNoPhoto = errs.New(errs.NotFound, "dispatches.photo_not_found", "The load has no such photo, or it is not there yet.")

// Photos shows carriers the photos of the vehicles of their loads.
type Photos struct {
	door     *carrierlink.Door
	views    loadsapi.Views
	previews attachmentsapi.Previews
}

// NewPhotos returns Photos.
func NewPhotos(d *carrierlink.Door, views loadsapi.Views, previews attachmentsapi.Previews) *Photos {
	return &Photos{d, views, previews}
}

// PhotoRoutes registers the operation by which a carrier sees a photo.
func PhotoRoutes(r *web.Router, p *Photos) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/photos/{photo}", ID: "read_carrier_photo", Access: web.Public, Summary: "See a photo of a vehicle by a carrier's link",
		Description: "In small (1,200 pixels), and without what the camera has written into it.", Errors: carrierlink.Refusals(errNoPhoto, store.ErrNoLoad),
		Produces: []string{"image/jpeg", "image/png"},
	}, p.read)
}

type photoInput struct {
	Link  string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Photo uuid.UUID `path:"photo" format:"uuid" doc:"One of the photo_uuids of the vehicles of the load."`
}

// read is a photo of a vehicle that the carrier sees.
func (p *Photos) read(ctx context.Context, in *photoInput) (*stream.Stream, error) {
	ctx, e, err := p.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	seen, err := p.views.Carrier(ctx, e.Dispatch.Load.String())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(seen.Load.Vehicles, func(v loadsapi.CarrierVehicle) bool { return slices.Contains(v.Photos, in.Photo.String()) }) {
		return nil, errNoPhoto
	}
	image, err := p.previews.Preview(ctx, in.Photo.String())
	if errs.KindOf(err) == errs.NotFound {
		err = errNoPhoto
	}
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(image.MediaType, image.Content).Tagged(image.SHA256).With("Cache-Control", "private, max-age=3600").Inline("photo"), nil
}
