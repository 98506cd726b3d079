package trips

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// preferences are how a company works with trips.
type preferences struct {
	Carrier    *uuid.UUID `json:"own_carrier_uuid" doc:"The company's own record among the carriers: with it, loads on trips have a dispatch and a bill of lading as those that others carry."`
	RefuseOver bool       `json:"refuse_over_capacity" doc:"Whether a trip that the truck may not hold cannot be dispatched, acknowledged or not."`
	Version    int64      `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "TripSettings" }

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

func defaults() preferences { return preferences{} }

var errSettings = errs.New(errs.Invalid, "trips.invalid_settings", "The given data was invalid.")

func settingsRoutes(r *web.Router, d *desk) {
	settings.Routes(r, d.settings, settings.Operations[preferences]{
		About: "how the company works with trips", Failure: errSettings,
		Check: func(ctx context.Context, p preferences) error { return d.checkSettings(ctx, p) },
	})
}

// routes are the operations that no resource has.
func routes(r *web.Router, d *desk) {
	known := []*errs.Error{d.trips.NotFound(), errInvalid, errEnded, state.ErrMoved}
	of := func(more ...*errs.Error) []*errs.Error { return append(slices.Clone(known), more...) }
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/loads", ID: "add_trip_load", Access: web.Write, Summary: "Put vehicles of a load on a trip",
		Description: "Its stops come last. Of a trip that is under way, the load is carried from now on. `warnings` say what the truck may not hold.",
		Errors:      of(errTaken, errNotCarried, errNotReady, errNoCarrier, errUnsigned),
	}, d.postLoad)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/trips/{uuid}/loads/{load}", ID: "remove_trip_load", Access: web.Write, Summary: "Take a load off a trip", Errors: of(errNoLoad, errUnderWay),
	}, d.deleteLoad)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/trips/{uuid}/legs/order", ID: "order_trip_legs", Access: web.Write, Summary: "Drive the stops of a trip in another order",
		Description: "Names all legs. Each vehicle is still picked up before it is delivered.", Errors: of(errUnderWay),
	}, d.putOrder)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/optimise", ID: "optimise_trip", Access: web.Write, Summary: "Drive the stops of a trip in the shortest order",
		Description: "In which each vehicle is picked up before it is delivered, and the truck holds what is on it. Of up to 12 stops it is the shortest there is by estimated miles.",
		Errors:      of(errUnderWay, routeengineapi.ErrUnknownPlace),
	}, d.postOptimise)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/dispatch", ID: "dispatch_trip", Access: web.Write, Summary: "Have a trip be driven",
		Description: "The driver must be active, and no document of driver and truck have expired. What the truck may not hold is to be acknowledged, and that the truck or a driver is on another trip. The loads that are ready are carried from now on.",
		Errors:      of(errIncomplete, errUnfit, errExpiring, errOver, errBusy, errNotReady, errNoCarrier, errUnsigned, state.ErrNotAllowed),
	}, d.postDispatch)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/cancel", ID: "cancel_trip", Access: web.Write, Summary: "Cancel a trip",
		Description: "Not with a vehicle on the truck. Its loads wait for another one.", Errors: of(errLoaded, state.ErrNotAllowed),
	}, d.postCancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/legs/{leg}/arrive", ID: "arrive_at_trip_leg", Access: web.Write, Summary: "Say that the truck came to a stop",
		Errors: of(errNoLeg, errNotPickedUp, state.ErrNotAllowed),
	}, func(ctx context.Context, in *visitInput) (*web.Resource[trip], error) {
		return d.postVisit(ctx, in, false)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips/{uuid}/legs/{leg}/depart", ID: "depart_from_trip_leg", Access: web.Write, Summary: "Say that the truck left a stop",
		Description: "The vehicles of the stop are on the truck then, or off it, and the load follows. The first departure starts the trip, the last one completes it.",
		Errors:      of(errNoLeg, errNotPickedUp, state.ErrNotAllowed),
	}, func(ctx context.Context, in *visitInput) (*web.Resource[trip], error) {
		return d.postVisit(ctx, in, true)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/trips/{uuid}/legs/{leg}/eta", ID: "set_trip_leg_eta", Access: web.Write, Summary: "Say when the truck comes to a stop", Errors: of(errNoLeg),
	}, d.putETA)
}

// answer is a trip with what its truck may not hold.
func (d *desk) answer(ctx context.Context, row trip, err error) (*web.Resource[trip], error) {
	if err == nil {
		row.Warnings, err = d.told(ctx, row)
	}

	return d.trips.Answer(ctx, row, err)
}

type loadInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Load     uuid.UUID   `json:"load_uuid"`
		Vehicles []uuid.UUID `json:"vehicle_uuids,omitempty" maxItems:"50" nullable:"false" doc:"By default all vehicles of the load that are on no other trip."`
	}
}

func (d *desk) postLoad(ctx context.Context, in *loadInput) (*web.Resource[trip], error) {
	row, err := d.take(ctx, in.UUID, in.IfMatch, in.Body.Load, in.Body.Vehicles)

	return d.answer(ctx, row, err)
}

type unloadInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Load uuid.UUID `path:"load" format:"uuid"`
}

func (d *desk) deleteLoad(ctx context.Context, in *unloadInput) (*web.Resource[trip], error) {
	row, err := d.leave(ctx, in.UUID, in.IfMatch, in.Load)

	return d.answer(ctx, row, err)
}

type orderInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Legs []uuid.UUID `json:"legs" minItems:"1" maxItems:"60" nullable:"false"`
	}
}

func (d *desk) putOrder(ctx context.Context, in *orderInput) (*web.Resource[trip], error) {
	row, err := d.order(ctx, in.UUID, in.IfMatch, in.Body.Legs)

	return d.answer(ctx, row, err)
}

type oneInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type optimisedOutput struct {
	Body struct {
		Trip  trip  `json:"trip"`
		Saved int64 `json:"saved_miles" doc:"0 if there is no shorter order; negative where only a longer one fits on the truck."`
	}
}

func (d *desk) postOptimise(ctx context.Context, in *oneInput) (*optimisedOutput, error) {
	row, saved, err := d.optimise(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}
	out := &optimisedOutput{}
	out.Body.Trip, out.Body.Saved = row, saved
	out.Body.Trip.Warnings, err = d.told(ctx, row)

	return out, err
}

type dispatchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Acknowledged bool `json:"acknowledge_warnings,omitempty"`
	}
}

func (d *desk) postDispatch(ctx context.Context, in *dispatchInput) (*web.Resource[trip], error) {
	row, err := d.dispatch(ctx, in.UUID, in.IfMatch, in.Body.Acknowledged)

	return d.answer(ctx, row, err)
}

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	}
}

func (d *desk) postCancel(ctx context.Context, in *cancelInput) (*web.Resource[trip], error) {
	row, err := d.cancel(ctx, in.UUID, in.IfMatch, in.Body.Reason)

	return d.answer(ctx, row, err)
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

func (d *desk) postVisit(ctx context.Context, in *visitInput, departed bool) (*web.Resource[trip], error) {
	row, err := d.visit(ctx, in.UUID, in.IfMatch, in.Leg, visited{in.Body.At, in.Body.Odometer, departed})

	return d.answer(ctx, row, err)
}

type etaInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Leg  uuid.UUID `path:"leg" format:"uuid"`
	Body struct {
		ETA *time.Time `json:"eta" doc:"null if it is not known."`
	}
}

func (d *desk) putETA(ctx context.Context, in *etaInput) (*web.Resource[trip], error) {
	row, err := d.expect(ctx, in.UUID, in.IfMatch, in.Leg, in.Body.ETA)

	return d.answer(ctx, row, err)
}
