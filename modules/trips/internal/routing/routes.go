package routing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/fitness"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk answers the operations on the order of stops.
type Desk struct {
	orderer *Orderer
	answers *fitness.Answers
}

// NewDesk returns a Desk.
func NewDesk(o *Orderer, a *fitness.Answers) *Desk { return &Desk{o, a} }

// Routes are the operations on the order of stops.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/trips/{uuid}/legs/order", ID: "order_trip_legs", Access: web.Write, Summary: "Drive the stops of a trip in another order",
		Description: "Names all legs. Each vehicle is still picked up before it is delivered.", Errors: d.answers.Errors(store.ErrUnderWay),
	}, d.order)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/optimise", ID: "optimise_trip", Access: web.Write, Summary: "Drive the stops of a trip in the shortest order",
		Description: "In which each vehicle is picked up before it is delivered, and the truck holds what is on it. Of up to 12 stops it is the shortest there is by estimated miles.",
		Errors:      d.answers.Errors(store.ErrUnderWay, routeengineapi.ErrUnknownPlace),
	}, d.optimise)
}

type orderInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Legs []uuid.UUID `json:"legs" minItems:"1" maxItems:"60" nullable:"false"`
	}
}

func (d *Desk) order(ctx context.Context, in *orderInput) (*web.Resource[store.Trip], error) {
	row, err := d.orderer.order(ctx, in.UUID, in.IfMatch, in.Body.Legs)

	return d.answers.Of(ctx, row, err)
}

type optimiseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type optimisedOutput struct {
	Body struct {
		Trip  store.Trip `json:"trip"`
		Saved int64      `json:"saved_miles" doc:"0 if there is no shorter order; negative where only a longer one fits on the truck."`
	}
}

func (d *Desk) optimise(ctx context.Context, in *optimiseInput) (*optimisedOutput, error) {
	row, saved, err := d.orderer.optimise(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}
	out := &optimisedOutput{}
	out.Body.Saved = saved
	out.Body.Trip, err = d.answers.Warned(ctx, row)

	return out, err
}
