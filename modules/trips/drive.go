package trips

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/tour"
	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostLegs bounds the stops of a trip.
const mostLegs = 60

// visited is what a driver says of a stop.
type visited struct {
	At       time.Time
	Odometer int64
	Departed bool
}

// visit says that the truck came to a stop, or left it: then the vehicles of the stop are on the truck, or off it, and the load follows. What is
// known already changes nothing.
func (d *desk) visit(ctx context.Context, id uuid.UUID, match web.IfMatch, at uuid.UUID, v visited) (row trip, err error) {
	now := d.now()
	if v.At.After(now.Add(time.Minute)) {
		return row, errInvalid.WithField("at", "`at` must not be in the future.")
	}
	if v.At.IsZero() {
		v.At = now
	}
	v.At = clock.Stamp(v.At)
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, id); err != nil {
			return err
		}
		i := slices.IndexFunc(row.Legs.V, func(l leg) bool { return l.UUID == at })
		if i < 0 {
			return errNoLeg
		}
		here := row.Legs.V[i]
		if v.Departed && here.DepartedAt != nil || !v.Departed && here.ArrivedAt != nil {
			return nil
		}
		if !row.underWay() {
			return state.ErrNotAllowed.WithDetail("current", row.State)
		}
		on, off := row.handled(here)
		if wrong := row.later(here, v, off); len(wrong.Fields) > 0 {
			return wrong
		}
		if !row.holds(off) {
			return errNotPickedUp
		}
		if v.Departed {
			if err := d.leavable(ctx, here); err != nil {
				return err
			}
		}
		row, err = d.trips.Change(ctx, id, match, verbVisit, func(ctx context.Context, t *trip) error { return d.visited(ctx, t, at, v) })
		if err != nil || !v.Departed {
			return err
		}
		if err := d.handOver(ctx, row, here.Load, v.At, on, off); err != nil {
			return err
		}

		return d.tell(ctx, row)
	})

	return row, err
}

// later refuses to leave a stop before the truck came there, and with vehicles that get off before they got on.
func (t trip) later(l leg, v visited, off []string) *errs.Error {
	wrong := errInvalid
	if l.ArrivedAt != nil && v.At.Before(*l.ArrivedAt) {
		wrong = wrong.WithField("at", "`at` must not be before the arrival.")
	}
	for _, c := range t.Cargo.V {
		i := slices.IndexFunc(t.Legs.V, func(l leg) bool {
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

// leavable refuses to leave a stop of a load that the company no longer carries.
func (d *desk) leavable(ctx context.Context, l leg) error {
	of, err := d.standings.Standing(ctx, l.Load.String())
	if err == nil && !slices.Contains([]loadsapi.State{loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}, of.State) {
		err = errNotReady.WithDetail("load_uuid", l.Load).WithDetail("state", of.State)
	}

	return err
}

// visited keeps a visit, and takes the steps that follow from it.
func (d *desk) visited(ctx context.Context, t *trip, at uuid.UUID, v visited) error {
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
	if v.Departed && t.State == dispatched {
		t.StartedAt = &v.At
		if err := d.trips.Step(asService, t, state.Move{Verb: string(verbStart)}); err != nil {
			return err
		}
	}

	return d.finish(asService, t, v.At)
}

// finish completes a trip that has left all its stops.
func (d *desk) finish(ctx context.Context, t *trip, at time.Time) error {
	if t.State != inTransit || len(t.departed()) < len(t.Legs.V) {
		return nil
	}
	t.FinishedAt = &at

	return d.trips.Step(ctx, t, state.Move{Verb: string(verbComplete)})
}

// tell publishes what became of a trip at a visit.
func (d *desk) tell(ctx context.Context, t trip) error {
	departed := 0
	for _, l := range t.Legs.V {
		if l.DepartedAt != nil {
			departed++
		}
	}
	if departed == 1 {
		if err := d.bus.Publish(ctx, tripsapi.Started{About: t.about()}); err != nil {
			return err
		}
	}
	if t.State != completed {
		return nil
	}

	return d.bus.Publish(ctx, tripsapi.Completed{About: t.about()})
}

// handled are the vehicles that get on at a leg, and those that get off.
func (t trip) handled(l leg) (on, off []string) {
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
func (t trip) holds(vehicles []string) bool {
	for _, c := range t.Cargo.V {
		if !slices.Contains(vehicles, c.Vehicle.String()) {
			continue
		}
		if !slices.ContainsFunc(t.Legs.V, func(l leg) bool { return l.Load == c.Load && l.Stop == c.Pickup && l.DepartedAt != nil }) {
			return false
		}
	}

	return true
}

// handOver tells a load what was picked up and delivered.
func (d *desk) handOver(ctx context.Context, t trip, load uuid.UUID, at time.Time, on, off []string) error {
	said := loadsapi.Moved{At: at, Note: "Trip " + t.Number, Party: carrierParty}
	if said.Vehicles = on; len(on) > 0 {
		if err := d.carriage.PickUp(ctx, load.String(), said); err != nil {
			return err
		}
	}
	if said.Vehicles = off; len(off) > 0 {
		return d.carriage.Deliver(ctx, load.String(), said)
	}

	return nil
}

// cancel ends a trip. Loads of which nothing was picked up, and that no other trip has, wait for another one.
func (d *desk) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (row trip, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		t, err := d.holding(ctx, id)
		if err != nil || t.State == cancelled {
			row = t

			return err
		}
		if on := aboard(t.departed(), t.Cargo.V); len(on) > 0 {
			return errLoaded
		}
		row, err = d.trips.Change(ctx, id, match, verbCancel, func(ctx context.Context, t *trip) error {
			return d.trips.Step(ctx, t, state.Move{Verb: string(verbCancel), Reason: reason})
		})
		if err != nil || !t.underWay() {
			return err
		}
		for _, load := range t.loads() {
			if err := d.giveBack(ctx, load, "The trip "+t.Number+" was canceled."); err != nil {
				return err
			}
		}

		return nil
	})

	return row, err
}

// departed are the legs that the truck has left.
func (t trip) departed() []leg {
	return slices.DeleteFunc(slices.Clone(t.Legs.V), func(l leg) bool { return l.DepartedAt == nil })
}

// giveBack has a load wait again that was carried by a trip.
func (d *desk) giveBack(ctx context.Context, load uuid.UUID, note string) error {
	on, err := d.rows.of(ctx, load)
	if err != nil || len(on) > 0 {
		return err
	}
	of, err := d.standings.Standing(ctx, load.String())
	if err != nil || of.State != loadsapi.Dispatched {
		return err
	}

	return d.coverage.Uncover(ctx, load.String(), loadsapi.Moved{Note: note, Party: carrierParty})
}

// order drives the stops of a trip in another order.
func (d *desk) order(ctx context.Context, id uuid.UUID, match web.IfMatch, legs []uuid.UUID) (trip, error) {
	return d.trips.Change(ctx, id, match, verbLoad, func(_ context.Context, t *trip) error {
		if err := t.open(); err != nil {
			return err
		}
		made := make([]leg, 0, len(t.Legs.V))
		for _, one := range legs {
			if i := slices.IndexFunc(t.Legs.V, func(l leg) bool { return l.UUID == one }); i >= 0 {
				made = append(made, t.Legs.V[i])
			}
		}
		if len(made) != len(t.Legs.V) || len(legs) != len(made) {
			return errInvalid.WithField("legs", "The legs must be all legs of the trip, each once.")
		}
		for _, c := range t.Cargo.V {
			at := func(stop uuid.UUID) int {
				return slices.IndexFunc(made, func(l leg) bool { return l.Load == c.Load && l.Stop == stop })
			}
			if at(c.Pickup) > at(c.Delivery) {
				return errInvalid.WithField("legs", "The "+c.Name+" would be delivered before it is picked up.")
			}
		}
		t.Legs.V = made

		return nil
	})
}

// open refuses a change of the stops of a trip that is under way, or over.
func (t trip) open() error {
	switch {
	case t.over():
		return errEnded
	case t.underWay():
		return errUnderWay
	}

	return nil
}

// optimise drives the stops of a trip in the shortest order in which the truck holds what is on it. It returns the miles that this saves.
func (d *desk) optimise(ctx context.Context, id uuid.UUID, match web.IfMatch) (row trip, saved int64, err error) {
	seen, err := d.trips.Find(ctx, id)
	if err != nil {
		return row, 0, err
	}
	p, err := d.problem(ctx, seen)
	if err != nil {
		return row, 0, err
	}
	found := tour.Find(p) // outside of the transaction: of many stops, it takes a while
	row, err = d.trips.Change(ctx, id, match, verbLoad, func(ctx context.Context, t *trip) error {
		if err := t.open(); err != nil {
			return err
		}
		if !slices.EqualFunc(t.Legs.V, seen.Legs.V, func(a, b leg) bool { return a.UUID == b.UUID }) {
			return state.ErrMoved
		}
		better := *t
		better.Legs.V = make([]leg, 0, len(t.Legs.V))
		for _, i := range found {
			better.Legs.V = append(better.Legs.V, t.Legs.V[i])
		}
		if err := errors.Join(d.measure(ctx, t), d.measure(ctx, &better)); err != nil {
			return err
		}
		if t.Loaded == nil || better.Loaded == nil {
			return nil
		}
		over, err := d.warnings(ctx, *t)
		if err != nil {
			return err
		}
		still, err := d.warnings(ctx, better)
		if err != nil {
			return err
		}
		if saved = *t.Loaded + *t.Deadhead - *better.Loaded - *better.Deadhead; saved > 0 || len(over) > len(still) {
			*t = better
		} else {
			saved = 0
		}

		return nil
	})

	return row, saved, err
}

// problem is a trip as a tour to find.
func (d *desk) problem(ctx context.Context, t trip) (p tour.Problem, err error) {
	at := make([]routeengineapi.Place, len(t.Legs.V))
	for i, l := range t.Legs.V {
		if at[i], err = d.places.Place(ctx, l.PostalCode); err != nil {
			return p, err
		}
	}
	var from *routeengineapi.Place
	if t.From != "" {
		start, err := d.places.Place(ctx, t.From)
		if err != nil {
			return p, err
		}
		from = &start
	}
	h, err := d.hauler(ctx, t)
	if err != nil {
		return p, err
	}
	p = tour.Problem{Stops: len(at), Before: make([][]int, len(at))}
	p.Miles = func(a, b int) float64 {
		switch {
		case a >= 0:
			return d.places.Miles(at[a], at[b])
		case from != nil:
			return d.places.Miles(*from, at[b])
		}

		return 0
	}
	index := func(load, stop uuid.UUID) int {
		return slices.IndexFunc(t.Legs.V, func(l leg) bool { return l.Load == load && l.Stop == stop })
	}
	ends := make([][2]int, len(t.Cargo.V))
	for n, c := range t.Cargo.V {
		ends[n] = [2]int{index(c.Load, c.Pickup), index(c.Load, c.Delivery)}
		p.Before[ends[n][1]] = append(p.Before[ends[n][1]], ends[n][0])
	}
	if h == nil {
		return p, nil
	}
	p.Fits = func(visited func(int) bool) bool {
		var on []cargo
		for n, c := range t.Cargo.V {
			if visited(ends[n][0]) && !visited(ends[n][1]) {
				on = append(on, c)
			}
		}
		tenths, pounds := room(on)

		return (h.Slots == 0 || tenths <= 10*h.Slots) && (h.MaxPayload == 0 || pounds <= h.MaxPayload)
	}

	return p, nil
}

// expect says when the truck comes to a stop.
func (d *desk) expect(ctx context.Context, id uuid.UUID, match web.IfMatch, at uuid.UUID, eta *time.Time) (trip, error) {
	return d.trips.Change(ctx, id, match, verbVisit, func(_ context.Context, t *trip) error {
		t.Legs.V = slices.Clone(t.Legs.V)
		i := slices.IndexFunc(t.Legs.V, func(l leg) bool { return l.UUID == at })
		if i < 0 {
			return errNoLeg
		}
		t.Legs.V[i].ETA = eta

		return nil
	})
}

// follow has the trips of a load have it as it is now. It is called for events in any order and perhaps twice, so it looks at how the load stands.
func (d *desk) follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	id, err := uuid.Parse(load)
	if err != nil {
		return err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := d.standings.Held(ctx, load); err != nil {
			return err
		}
		on, err := d.rows.of(ctx, id)
		if err != nil || len(on) == 0 {
			return err
		}
		l, err := d.look(ctx, id)
		if err != nil {
			return err
		}
		if l.ended() {
			l.Vehicles, l.Stops = nil, nil
		}
		done := map[uuid.UUID]bool{}
		for _, at := range on {
			if done[at] {
				continue
			}
			done[at] = true
			finished := false
			row, err := d.trips.Change(ctx, at, web.IfMatch{}, verbFollow, func(ctx context.Context, t *trip) error {
				now, was := vehiclesOf(t), t.State
				t.renew(id, l, func(v uuid.UUID) bool { _, here := now[v]; return here })
				err := d.finish(ctx, t, d.now())
				finished = t.State != was

				return err
			})
			if err == nil && finished {
				err = d.bus.Publish(ctx, tripsapi.Completed{About: row.about()})
			}
			if err != nil {
				return err
			}
		}

		return nil
	})
	if errors.Is(err, loadsapi.ErrNotFound) || errors.Is(err, database.ErrNotFound) {
		return nil
	}

	return err
}

// The events that trips follow.
func (d *desk) onUpdated(ctx context.Context, e loadsapi.Updated) error { return d.follow(ctx, e.Load) }

func (d *desk) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onRemoved(ctx context.Context, e loadsapi.VehicleRemoved) error {
	return d.follow(ctx, e.Load)
}

// onReadingTrip names the loads of a trip that is driven, or is to be, for the link of its driver.
func (d *desk) onReadingTrip(ctx context.Context, asked *billsofladingapi.ReadingTrip) error {
	t, err := d.trips.Find(ctx, item.ID(asked.Trip))
	if err != nil {
		if errs.IsRefusal(err) {
			return nil
		}

		return err
	}
	if t.State == draft || t.State == cancelled {
		return nil
	}
	asked.Number = t.Number
	for _, load := range t.loads() {
		asked.Loads = append(asked.Loads, load.String())
	}

	return nil
}
