// Package parts changes the stops and vehicles of loads one by one.
package parts

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// patchAbout describes the bodies of changes of a part of a load.
const patchAbout = "The body is a merge patch (RFC 7396): what it leaves out stays, and null takes a value away."

// StopRoutes are the operations on stops.
func StopRoutes(r *web.Router, s *Parts) {
	failures := []*errs.Error{s.loads.NotFound(), store.ErrInvalid, loadsapi.ErrPart, plan.ErrUnbalanced, cargo.ErrLoaded, route.ErrDone, store.ErrNotBookable}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/stops", ID: "add_load_stop", Access: web.Write, Summary: "Add a stop to a load",
		Description: "At a position, by default after the last pickup or at the end.", Errors: failures,
	}, s.addStop)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/loads/{uuid}/stops/{stop}", ID: "update_load_stop", Access: web.Write, Summary: "Change a stop of a load",
		Description: patchAbout, Errors: failures,
	}, s.updateStop)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/loads/{uuid}/stops/{stop}", ID: "remove_load_stop", Access: web.Write, Summary: "Remove a stop of a load",
		Description: "Not one at which a vehicle is picked up or delivered.", Errors: failures,
	}, s.removeStop)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/loads/{uuid}/stops/order", ID: "order_load_stops", Access: web.Write, Summary: "Drive the stops of a load in another order",
		Description: "Names all stops. Each vehicle is still picked up before it is delivered.", Errors: failures,
	}, s.orderStops)
}

// Parts changes the stops and vehicles of loads one by one.
type Parts struct {
	loads   *resource.Resource[store.Load]
	decoder vehiclesapi.Decoder
	clock   clock.Clock
}

// New returns Parts.
func New(loads *resource.Resource[store.Load], d vehiclesapi.Decoder, c clock.Clock) *Parts {
	return &Parts{loads, d, c}
}

type addStopInput struct {
	web.IfMatch

	UUID     uuid.UUID `path:"uuid" format:"uuid"`
	Position int       `query:"position" minimum:"0" maximum:"19" doc:"Where it comes, from 0; by default a pickup after the last pickup, and others at the end."`
	Body     store.Stop
}

func (s *Parts) addStop(ctx context.Context, in *addStopInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		at := min(in.Position, len(l.Stops.V))
		if at == 0 {
			at = len(l.Stops.V)
			for at > 0 && in.Body.Kind == store.Pickup && l.Stops.V[at-1].Kind != store.Pickup {
				at--
			}
		}
		l.Stops.V = slices.Insert(l.Stops.V, at, in.Body)

		return nil
	})
}

type updateStopInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Stop uuid.UUID `path:"stop" format:"uuid"`
	Body web.Patch[store.Stop]
}

func (s *Parts) updateStop(ctx context.Context, in *updateStopInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		i := l.StopIndex(in.Stop)
		if i < 0 {
			return loadsapi.ErrPart
		}
		one, err := in.Body.Over(l.Stops.V[i])
		one.UUID = in.Stop
		l.Stops.V[i] = one

		return err
	})
}

type stopInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Stop uuid.UUID `path:"stop" format:"uuid"`
}

func (s *Parts) removeStop(ctx context.Context, in *stopInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		i := l.StopIndex(in.Stop)
		if i < 0 {
			return loadsapi.ErrPart
		}
		l.Stops.V = slices.Delete(l.Stops.V, i, i+1)

		return nil
	})
}

type orderInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Stops []uuid.UUID `json:"stops" minItems:"2" maxItems:"20" nullable:"false"`
	}
}

func (s *Parts) orderStops(ctx context.Context, in *orderInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		all := make([]store.Stop, 0, len(l.Stops.V))
		for _, id := range in.Body.Stops {
			if i := l.StopIndex(id); i >= 0 {
				all = append(all, l.Stops.V[i])
			}
		}
		if len(all) != len(l.Stops.V) || len(in.Body.Stops) != len(all) {
			return store.ErrInvalid.WithField("stops", "The stops must be all stops of the load, each once.")
		}
		l.Stops.V = all

		return nil
	})
}
