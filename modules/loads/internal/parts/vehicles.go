package parts

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNoCover = errs.New(errs.Conflict, "loads.not_covered", "No carrier has the load yet. Cover it first.")

// VehicleRoutes are the operations on vehicles.
func VehicleRoutes(r *web.Router, s *Parts) {
	failures := []*errs.Error{
		s.loads.NotFound(), store.ErrInvalid, loadsapi.ErrPart, plan.ErrUnbalanced, loadsapi.ErrPlanFixed, plan.ErrLinePaid, cargo.ErrLoaded, route.ErrDone, store.ErrDuplicateVIN,
		store.ErrNotBookable,
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/vehicles", ID: "add_load_vehicles", Access: web.Write, Summary: "Add vehicles to a load",
		Errors: failures,
	}, s.addVehicles)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/loads/{uuid}/vehicles/{vehicle}", ID: "update_load_vehicle", Access: web.Write, Summary: "Change a vehicle of a load",
		Description: patchAbout + " Where it is, is kept. Of tariff, carrier_pay and broker_fee, those that the body leaves out follow: first broker_fee, then carrier_pay.", Errors: failures,
	}, s.updateVehicle)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/vehicles/{vehicle}/decode", ID: "decode_load_vehicle", Access: web.Write, Summary: "Compare a vehicle with its VIN",
		Description: "With `apply`, the vehicle becomes what its VIN says. What the VIN does not say stays.", Errors: failures,
	}, s.decodeVehicle)
	moves := store.StepErrors(
		loadsapi.ErrPart, cargo.ErrCustody, errNoCover, store.ErrNotBookable, plan.ErrUnbalanced, loadsapi.ErrPlanFixed, plan.ErrLinePaid, principal.ErrScopeMissing,
	)
	for _, m := range []struct {
		verb, summary, description string
		from, to                   store.Custody
		scope                      string
	}{
		{"pick_up", "Say that a vehicle was picked up", "The first one moves the load on to picked_up.", store.Waiting, store.OnBoard, ""},
		{"deliver", "Say that a vehicle was delivered", "The last one moves the load on to delivered.", store.OnBoard, store.Dropped, ""},
		{"remove", "Take a vehicle off a load", "It stays visible, and is no longer paid for.", store.Waiting, store.Removed, ""},
		{"put_back", "Say that a vehicle was not picked up after all", "Such as when the driver took another one.", store.OnBoard, store.Waiting, store.OverrideScope},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/loads/{uuid}/vehicles/{vehicle}/" + m.verb, ID: m.verb + "_load_vehicle", Access: web.Write, Summary: m.summary,
			Description: m.description, Errors: moves,
		}, func(ctx context.Context, in *moveInput) (*web.Resource[store.Load], error) {
			if m.scope != "" {
				if who, _ := principal.From(ctx); !who.Allows(loadsapi.Area + ":" + m.scope) {
					return nil, principal.Lacks(loadsapi.Area + ":" + m.scope)
				}
			}

			return s.moveVehicle(ctx, in, m.from, m.to)
		})
	}
}

type addVehiclesInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Vehicles []store.Vehicle `json:"vehicles" minItems:"1" maxItems:"50" nullable:"false"`
	}
}

func (s *Parts) addVehicles(ctx context.Context, in *addVehiclesInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		l.Vehicles.V = append(l.Vehicles.V, in.Body.Vehicles...)

		return nil
	})
}

type updateVehicleInput struct {
	web.IfMatch

	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Vehicle uuid.UUID `path:"vehicle" format:"uuid"`
	Body    web.Patch[store.Vehicle]
}

func (s *Parts) updateVehicle(ctx context.Context, in *updateVehicleInput) (*web.Resource[store.Load], error) {
	return store.Update(ctx, s.loads, in.UUID, in.IfMatch, func(l *store.Load) error {
		now, err := l.FindVehicle(in.Vehicle)
		if err != nil {
			return err
		}
		v, err := in.Body.Over(*now)
		tariff, pay, fee := in.Body.Sends("tariff"), in.Body.Sends("carrier_pay"), in.Body.Sends("broker_fee")
		switch { // two of the three are enough: one that was not sent follows
		case !fee && (tariff || pay):
			v.BrokerFee = ""
		case fee && !pay:
			v.CarrierPay = ""
		case fee && !tariff:
			v.Tariff = ""
		}
		if in.Body.Sends("type") && !in.Body.Sends("size") {
			v.Size = "" // by the type
		}
		v.UUID = in.Vehicle
		*now = v

		return err
	})
}

type decodeInput struct {
	web.IfMatch

	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Vehicle uuid.UUID `path:"vehicle" format:"uuid"`
	Body    struct {
		Apply bool `json:"apply,omitempty"`
	}
}

type decodeOutput struct {
	Body struct {
		Differences []cargo.Difference `json:"differences" nullable:"false"`
		Applied     bool               `json:"applied"`
	}
}

func (s *Parts) decodeVehicle(ctx context.Context, in *decodeInput) (*decodeOutput, error) {
	out := &decodeOutput{}
	compare := func(l *store.Load) error {
		v, err := l.FindVehicle(in.Vehicle)
		if err != nil {
			return err
		}
		if v.VIN == "" {
			return store.ErrInvalid.WithField("vehicle", "The vehicle has no VIN.")
		}
		said, err := s.decoder.DecodeAsked(ctx, store.AskedOf(*v))
		if err != nil {
			return err
		}
		out.Body.Differences, out.Body.Applied = v.Correct(said[0]), in.Body.Apply

		return nil
	}
	if in.Body.Apply {
		_, err := store.Update(ctx, s.loads, in.UUID, in.IfMatch, compare)

		return out, err
	}
	l, err := s.loads.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return out, compare(&l)
}

type moveInput struct {
	web.IfMatch

	UUID    uuid.UUID `path:"uuid" format:"uuid"`
	Vehicle uuid.UUID `path:"vehicle" format:"uuid"`
	Body    struct {
		At     time.Time `json:"at,omitzero" doc:"When it happened; by default now. At most 90 days before the load was entered; a delivery is not before the pickup."`
		Reason string    `json:"reason,omitempty" maxLength:"500" doc:"Required where a vehicle is taken off or put back."`
	}
}

// moveVehicle says where a vehicle is now. The load follows. What was said before changes nothing.
func (s *Parts) moveVehicle(ctx context.Context, in *moveInput, from, to store.Custody) (*web.Resource[store.Load], error) {
	row, err := s.loads.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if v, err := row.FindVehicle(in.Vehicle); err != nil || v.Custody == to {
		return s.loads.Answer(ctx, row, err)
	}
	row, err = s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbCustody, func(_ context.Context, l *store.Load) error {
		v, err := l.FindVehicle(in.Vehicle)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		move := cargo.Move{From: from, To: to, At: in.Body.At, Reason: in.Body.Reason}
		moving := slices.Contains(store.States(loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered), l.State)
		if err := move.Check(*v, l.CreatedAt, now, store.ErrInvalid); err != nil || v.Custody == to { // by somebody else meanwhile
			return err
		}
		if v.Custody == from && !moving && to != store.Removed {
			return errNoCover
		}

		return v.Take(move, now)
	})

	return s.loads.Answer(ctx, row, err)
}
