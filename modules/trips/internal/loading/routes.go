package loading

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/fitness"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk answers the operations on the loads of trips.
type Desk struct {
	loader  *Loader
	answers *fitness.Answers
}

// NewDesk returns a Desk.
func NewDesk(l *Loader, a *fitness.Answers) *Desk { return &Desk{l, a} }

// Routes are the operations on the loads of trips.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/loads", ID: "add_trip_load", Access: web.Write, Summary: "Put vehicles of a load on a trip",
		Description: "Its stops come last. Of a trip that is under way, the load is carried from now on. `warnings` say what the truck may not hold.",
		Errors:      d.answers.Errors(store.ErrVehicleTaken, store.ErrLoadNotCarried, store.ErrLoadNotReady, store.ErrOwnCarrierUnknown, store.ErrChangeOrderUnsigned),
	}, d.add)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/trips/{uuid}/loads/{load}", ID: "remove_trip_load", Access: web.Write, Summary: "Take a load off a trip",
		Errors: d.answers.Errors(store.ErrLoadNotFound, store.ErrUnderWay),
	}, d.remove)
}

type loadInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Load     uuid.UUID   `json:"load_uuid"`
		Vehicles []uuid.UUID `json:"vehicle_uuids,omitempty" maxItems:"50" nullable:"false" doc:"By default all vehicles of the load that are on no other trip."`
	}
}

func (d *Desk) add(ctx context.Context, in *loadInput) (*web.Resource[store.Trip], error) {
	row, err := d.loader.take(ctx, in.UUID, in.IfMatch, in.Body.Load, in.Body.Vehicles)

	return d.answers.Of(ctx, row, err)
}

type unloadInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Load uuid.UUID `path:"load" format:"uuid"`
}

func (d *Desk) remove(ctx context.Context, in *unloadInput) (*web.Resource[store.Trip], error) {
	row, err := d.loader.leave(ctx, in.UUID, in.IfMatch, in.Load)

	return d.answers.Of(ctx, row, err)
}
