package driving

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Visits records when trucks come to the stops of trips, and leave them.
type Visits struct {
	holder   *Holder
	trips    *resource.Resource[store.Trip]
	custody  *carrying.Custody
	progress *Progress
	clock    clock.Clock
}

// NewVisits returns Visits.
func NewVisits(h *Holder, trips *resource.Resource[store.Trip], c *carrying.Custody, p *Progress, clk clock.Clock) *Visits {
	return &Visits{h, trips, c, p, clk}
}

// visited is an arrival at a stop, or the departure.
type visited struct {
	At       time.Time
	Odometer int64
	Departed bool
}

// visit records that the truck came to a stop, or left it: then the vehicles of the stop are on the truck, or off it, and the load follows. Repeated, it
// changes nothing.
func (k *Visits) visit(ctx context.Context, id uuid.UUID, match web.IfMatch, at uuid.UUID, v visited) (row store.Trip, err error) {
	now := k.clock.Now()
	if v.At.After(now.Add(time.Minute)) {
		return row, store.ErrInvalid.WithField("at", "`at` must not be in the future.")
	}
	if v.At.IsZero() {
		v.At = now
	}
	v.At = clock.Stamp(v.At)
	err = k.holder.with(ctx, id, func(ctx context.Context, t store.Trip) error {
		row = t
		i := slices.IndexFunc(row.Legs.V, func(l store.Leg) bool { return l.UUID == at })
		if i < 0 {
			return store.ErrLegNotFound
		}
		here := row.Legs.V[i]
		if v.Departed && here.DepartedAt != nil || !v.Departed && here.ArrivedAt != nil {
			return nil
		}
		if !row.UnderWay() {
			return state.ErrNotAllowed.WithDetail("current", row.State)
		}
		on, off := handled(row, here)
		if wrong := later(row, here, v, off); len(wrong.Fields) > 0 {
			return wrong
		}
		if !holds(row, off) {
			return store.ErrNotPickedUp
		}
		if v.Departed {
			if err := k.custody.Leavable(ctx, here); err != nil {
				return err
			}
		}
		row, err = k.trips.Change(ctx, id, match, store.VerbVisit, func(ctx context.Context, t *store.Trip) error { return k.visited(ctx, t, at, v) })
		if err != nil || !v.Departed {
			return err
		}
		if err := k.custody.HandOver(ctx, row, here.Load, v.At, on, off); err != nil {
			return err
		}

		return k.progress.publish(ctx, row)
	})

	return row, err
}

// later refuses to leave a stop before the truck came there, and with vehicles that get off before they got on.
func later(t store.Trip, l store.Leg, v visited, off []string) *errs.Error {
	wrong := store.ErrInvalid
	if l.ArrivedAt != nil && v.At.Before(*l.ArrivedAt) {
		wrong = wrong.WithField("at", "`at` must not be before the arrival.")
	}
	for _, c := range t.Cargo.V {
		i := slices.IndexFunc(t.Legs.V, func(l store.Leg) bool {
			return l.Load == c.Load && l.Stop == c.Pickup && l.DepartedAt != nil && v.At.Before(*l.DepartedAt)
		})
		if i >= 0 && v.Departed && slices.Contains(off, c.Vehicle.String()) {
			wrong = wrong.WithField("at", "`at` must not be before the pickup at "+t.Legs.V[i].Place+".")
		}
	}
	if v.Odometer > 0 && v.Odometer < l.Odometer {
		wrong = wrong.WithField("odometer", "The odometer must not be less than at the arrival.")
	}

	return wrong
}

// visited keeps a visit, and takes the steps that follow from it.
func (k *Visits) visited(ctx context.Context, t *store.Trip, at uuid.UUID, v visited) error {
	t.Legs.V = slices.Clone(t.Legs.V)
	for i := range t.Legs.V {
		l := &t.Legs.V[i]
		if l.UUID == at {
			if v.Odometer > 0 {
				l.Odometer = v.Odometer
			}
			if l.ArrivedAt == nil {
				l.ArrivedAt = &v.At
			}
			if v.Departed {
				l.DepartedAt = &v.At
			}
		}
	}
	asService := principal.AsCompany(ctx, principal.CompanyOf(ctx))
	if v.Departed && t.State == store.Dispatched {
		if err := k.progress.start(asService, t, v.At); err != nil {
			return err
		}
	}

	return k.progress.Finish(asService, t, v.At)
}

// handled are the vehicles that get on at a leg, and those that get off.
func handled(t store.Trip, l store.Leg) (on, off []string) {
	for _, c := range t.Cargo.V {
		if c.Load == l.Load && c.Pickup == l.Stop {
			on = append(on, c.Vehicle.String())
		}
		if c.Load == l.Load && c.Delivery == l.Stop {
			off = append(off, c.Vehicle.String())
		}
	}

	return on, off
}

// holds reports whether the legs were left at which some vehicles get on.
func holds(t store.Trip, vehicles []string) bool {
	for _, c := range t.Cargo.V {
		if !slices.Contains(vehicles, c.Vehicle.String()) {
			continue
		}
		if !slices.ContainsFunc(t.Legs.V, func(l store.Leg) bool { return l.Load == c.Load && l.Stop == c.Pickup && l.DepartedAt != nil }) {
			return false
		}
	}

	return true
}

// expect records when the truck comes to a stop.
func (k *Visits) expect(ctx context.Context, id uuid.UUID, match web.IfMatch, at uuid.UUID, eta *time.Time) (store.Trip, error) {
	return k.trips.Change(ctx, id, match, store.VerbVisit, func(_ context.Context, t *store.Trip) error {
		t.Legs.V = slices.Clone(t.Legs.V)
		i := slices.IndexFunc(t.Legs.V, func(l store.Leg) bool { return l.UUID == at })
		if i < 0 {
			return store.ErrLegNotFound
		}
		t.Legs.V[i].ETA = eta

		return nil
	})
}
