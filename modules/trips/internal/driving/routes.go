package driving

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/fitness"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk answers the operations on trips that are driven.
type Desk struct {
	dispatcher *Dispatcher
	visits     *Visits
	answers    *fitness.Answers
}

// NewDesk returns a Desk.
func NewDesk(d *Dispatcher, v *Visits, a *fitness.Answers) *Desk { return &Desk{d, v, a} }

// Routes are the operations on trips that are driven.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/dispatch", ID: "dispatch_trip", Access: web.Write, Summary: "Have a trip be driven",
		Description: "The driver must be active, and no document of driver and truck have expired. What the truck may not hold is to be acknowledged, and that the truck or a driver is on another trip. The loads that are ready are carried from now on.",
		Errors:      d.answers.Errors(store.ErrIncomplete, store.ErrNotFit, store.ErrDocumentExpires, store.ErrOverCapacity, store.ErrBusy, store.ErrLoadNotReady, store.ErrOwnCarrierUnknown, store.ErrChangeOrderUnsigned, state.ErrNotAllowed),
	}, d.dispatch)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/cancel", ID: "cancel_trip", Access: web.Write, Summary: "Cancel a trip",
		Description: "Not with a vehicle on the truck. Its loads wait for another one.", Errors: d.answers.Errors(store.ErrVehiclesLoaded, state.ErrNotAllowed),
	}, d.cancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/legs/{leg}/arrive", ID: "arrive_at_trip_leg", Access: web.Write, Summary: "Say that the truck came to a stop",
		Errors: d.answers.Errors(store.ErrLegNotFound, store.ErrNotPickedUp, state.ErrNotAllowed),
	}, func(ctx context.Context, in *visitInput) (*web.Resource[store.Trip], error) {
		return d.visit(ctx, in, false)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/legs/{leg}/depart", ID: "depart_from_trip_leg", Access: web.Write, Summary: "Say that the truck left a stop",
		Description: "The vehicles of the stop are on the truck then, or off it, and the load follows. The first departure starts the trip, the last one completes it.",
		Errors:      d.answers.Errors(store.ErrLegNotFound, store.ErrNotPickedUp, state.ErrNotAllowed),
	}, func(ctx context.Context, in *visitInput) (*web.Resource[store.Trip], error) {
		return d.visit(ctx, in, true)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/trips/{uuid}/legs/{leg}/eta", ID: "set_trip_leg_eta", Access: web.Write, Summary: "Say when the truck comes to a stop", Errors: d.answers.Errors(store.ErrLegNotFound),
	}, d.expect)
}

type dispatchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Acknowledged bool `json:"acknowledge_warnings,omitempty"`
	}
}

func (d *Desk) dispatch(ctx context.Context, in *dispatchInput) (*web.Resource[store.Trip], error) {
	row, err := d.dispatcher.dispatch(ctx, in.UUID, in.IfMatch, in.Body.Acknowledged)

	return d.answers.Of(ctx, row, err)
}

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	}
}

func (d *Desk) cancel(ctx context.Context, in *cancelInput) (*web.Resource[store.Trip], error) {
	row, err := d.dispatcher.cancel(ctx, in.UUID, in.IfMatch, in.Body.Reason)

	return d.answers.Of(ctx, row, err)
}

type visitInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Leg  uuid.UUID `path:"leg" format:"uuid"`
	Body struct {
		At       time.Time `json:"at,omitzero" doc:"When it happened; by default now."`
		Odometer int64     `json:"odometer,omitempty" minimum:"0" maximum:"9999999" doc:"In miles."`
	}
}

func (d *Desk) visit(ctx context.Context, in *visitInput, departed bool) (*web.Resource[store.Trip], error) {
	row, err := d.visits.visit(ctx, in.UUID, in.IfMatch, in.Leg, visited{in.Body.At, in.Body.Odometer, departed})

	return d.answers.Of(ctx, row, err)
}

type etaInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Leg  uuid.UUID `path:"leg" format:"uuid"`
	Body struct {
		ETA *time.Time `json:"eta" doc:"null if it is not known."`
	}
}

func (d *Desk) expect(ctx context.Context, in *etaInput) (*web.Resource[store.Trip], error) {
	row, err := d.visits.expect(ctx, in.UUID, in.IfMatch, in.Leg, in.Body.ETA)

	return d.answers.Of(ctx, row, err)
}
