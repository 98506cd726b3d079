// Package coverage implements the contracts by which other areas sell, cover and carry loads, and see them.
package coverage

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/admission"
	"github.com/dispatchd/dispatchd/modules/loads/internal/agreement"
	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// standings implements loadsapi.Standings.
type standings struct {
	loads *resource.Resource[store.Load]
	hooks *hook.Bus
	db    *database.DB
}

// NewStandings implements how loads stand.
func NewStandings(loads *resource.Resource[store.Load], hooks *hook.Bus, db *database.DB) loadsapi.Standings {
	return standings{loads, hooks, db}
}

// coverage implements loadsapi.Coverage.
type coverage struct {
	loads     *resource.Resource[store.Load]
	admission *admission.Admission
}

// NewCoverage implements how loads are given to carriers.
func NewCoverage(loads *resource.Resource[store.Load], a *admission.Admission) loadsapi.Coverage {
	return coverage{loads, a}
}

// carriage implements loadsapi.Carriage.
type carriage struct {
	loads *resource.Resource[store.Load]
	bus   *events.Bus
	clock clock.Clock
}

// NewCarriage implements how loads are carried.
func NewCarriage(loads *resource.Resource[store.Load], bus *events.Bus, c clock.Clock) loadsapi.Carriage {
	return carriage{loads, bus, c}
}

// collections implements loadsapi.Collections.
type collections struct {
	loads *resource.Resource[store.Load]
	clock clock.Clock
}

// NewCollections implements what carriers collect.
func NewCollections(loads *resource.Resource[store.Load], c clock.Clock) loadsapi.Collections {
	return collections{loads, c}
}

// views implements loadsapi.Views.
type views struct {
	loads      *resource.Resource[store.Load]
	agreements *agreement.Agreements
}

// NewViews implements how parties see loads.
func NewViews(loads *resource.Resource[store.Load], a *agreement.Agreements) loadsapi.Views {
	return views{loads, a}
}

// Standing implements loadsapi.Standings.
func (c standings) Standing(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := c.loads.Find(ctx, item.ID(id))

	return l.Standing(), err
}

// Held implements loadsapi.Standings.
func (c standings) Held(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := store.Held(ctx, c.loads, id)

	return l.Standing(), err
}

// ForCarrier implements loadsapi.Standings.
func (c standings) ForCarrier(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := store.Held(ctx, c.loads, id)
	if err == nil {
		err = store.ForCarrier(ctx, &l)
	}

	return l.Standing(), err
}

// Cover implements loadsapi.Coverage.
func (c coverage) Cover(ctx context.Context, id string, to loadsapi.Cover) error {
	return change(ctx, c.loads, id, store.VerbCover, func(ctx context.Context, l *store.Load) error {
		if err := store.ForCarrier(ctx, l); err != nil {
			return err
		}
		if who := item.ID(to.Carrier); to.Carrier != "" {
			l.Carrier = &who
		} else if l.Role == store.Broker {
			return store.ErrNoCarrier
		}
		if err := l.PayCarrier(money.Amount(to.CarrierPay)); err != nil {
			return err
		}
		reason := to.Override
		if to.Party == store.Carrier { // acts as the service itself, which has every scope
			reason = ""
		}
		if err := admission.MayGo(ctx, l, reason); err != nil {
			return err
		}
		if err := c.loads.Step(ctx, l, state.Move{Verb: string(store.VerbCover), Reason: to.Note, Party: to.Party}); err != nil || l.Carrier == nil {
			return err
		}

		return c.admission.Admit(ctx, l)
	})
}

// Proposed implements loadsapi.Views.
func (c views) Proposed(ctx context.Context, id, to, pay string) (of loadsapi.Shown[loadsapi.BidderView], err error) {
	l, err := c.loads.Find(ctx, item.ID(id))
	if err != nil {
		return of, err
	}
	was := l
	if who := item.ID(to); who != uuid.Nil {
		l.Carrier = &who
	}
	l.Vehicles.V, l.Charges.V, l.Plan.V = slices.Clone(l.Vehicles.V), slices.Clone(l.Charges.V), slices.Clone(l.Plan.V)
	if err := l.PayCarrier(money.Amount(pay)); err != nil {
		return of, err
	}
	if wrong := l.CheckMoney(&was, l.CheckVehicles(store.ErrInvalid)); len(wrong.Fields) > 0 {
		return of, wrong
	}
	if err := c.agreements.FollowAgreed(ctx, &was, &l); err != nil {
		return of, err
	}
	if err := l.FollowTotals(&was); err != nil {
		return of, store.Concealed(ctx, err)
	}

	return store.ShownTo[loadsapi.BidderView](l, sight.Bidder)
}

// Unwanted implements loadsapi.Coverage.
func (c coverage) Unwanted(ctx context.Context, id string, carriers ...string) (map[string]error, error) {
	l, err := c.loads.Find(ctx, item.ID(id))
	if err != nil {
		return nil, err
	}

	return c.admission.Choose(ctx, &l, carriers...)
}

// Uncover implements loadsapi.Coverage.
func (c coverage) Uncover(ctx context.Context, id string, m loadsapi.Moved) error {
	return change(ctx, c.loads, id, store.VerbUncover, func(ctx context.Context, l *store.Load) error {
		if l.State != loadsapi.Dispatched {
			return store.Unloaded(ctx, *l)
		}

		return c.loads.Step(ctx, l, state.Move{Verb: string(store.VerbUncover), Reason: m.Note, Party: m.Party})
	})
}

// HandOver implements loadsapi.Carriage.
func (c carriage) HandOver(ctx context.Context, id string, h loadsapi.HandOver) error {
	return change(ctx, c.loads, id, store.VerbHandOver, func(ctx context.Context, l *store.Load) error {
		if l.State != loadsapi.PickedUp || l.OnBoard == 0 {
			return loadsapi.ErrNotOnBoard
		}
		at := store.Stop{UUID: database.NewID(), Kind: store.Transfer, Venue: store.Venue{Name: h.Name, Line1: h.Line1, City: h.City, State: h.State, PostalCode: h.PostalCode}}
		if h.Contact != "" || h.Phone != "" {
			at.Contacts = []store.Person{{Name: h.Contact, Phones: []field.Phone{field.Phone(h.Phone)}}}
		}
		told := loadsapi.HandedOver{About: l.About(), Stop: at.UUID.String()}
		l.Stops.V = slices.Clone(l.Stops.V)
		first := len(l.Stops.V) - 1 // where the first of the vehicles on board would be delivered
		l.Vehicles.V = slices.Clone(l.Vehicles.V)
		for i := range l.Vehicles.V {
			if v := &l.Vehicles.V[i]; v.Custody == store.OnBoard {
				if to := l.StopIndex(v.Delivery); to >= 0 {
					first = min(first, to)
				}
				from, _ := l.Ends(*v)
				if left := &l.Stops.V[l.StopIndex(from)]; left.DepartedAt == nil { // so that it stays the place that the first bill of lading names
					left.DepartedAt = v.PickedUpAt
				}
				v.Custody, v.PickedUpAt, v.Pickup = store.Waiting, nil, at.UUID
				told.Vehicles = append(told.Vehicles, v.UUID.String())
			}
		}
		l.Stops.V = slices.Insert(l.Stops.V, first, at)
		if err := c.loads.Step(ctx, l, state.Move{Verb: string(store.VerbHandOver), Reason: h.Note, Party: h.Party}); err != nil {
			return err
		}
		told.State = l.State

		return c.bus.Publish(ctx, told)
	})
}

// PickUp implements loadsapi.Carriage.
func (c carriage) PickUp(ctx context.Context, id string, m loadsapi.Moved) error {
	return c.move(ctx, id, m, store.OnBoard)
}

// Deliver implements loadsapi.Carriage.
func (c carriage) Deliver(ctx context.Context, id string, m loadsapi.Moved) error {
	return c.move(ctx, id, m, store.Dropped)
}

// move has the vehicles be where they are now, and takes the load along.
func (c carriage) move(ctx context.Context, id string, m loadsapi.Moved, to store.Custody) error {
	at := clock.Stamp(cmp.Or(m.At, c.clock.Now()))

	return change(ctx, c.loads, id, store.VerbCustody, func(ctx context.Context, l *store.Load) error {
		if !slices.Contains(store.States(loadsapi.Dispatched, loadsapi.PickedUp), l.State) {
			return nil
		}
		if to == store.Dropped {
			if err := l.Deliverable(m.Vehicles); err != nil {
				return err
			}
		}
		for i := range l.Vehicles.V {
			v := &l.Vehicles.V[i]
			if len(m.Vehicles) > 0 && !slices.Contains(m.Vehicles, v.UUID.String()) {
				continue
			}
			if v.Custody == store.Waiting && to == store.OnBoard {
				v.Custody, v.PickedUpAt = store.OnBoard, &at
			}
			if v.Custody == store.OnBoard && to == store.Dropped {
				if err := v.Take(cargo.Move{From: store.OnBoard, To: store.Dropped, At: at}, at); err != nil {
					return err
				}
			}
		}
		l.Count()
		move := state.Move{Reason: m.Note, Party: m.Party}
		if l.State == loadsapi.Dispatched && (len(m.Vehicles) == 0 || l.OnBoard > 0) {
			move.Verb = string(store.VerbPickUp)
			if err := c.loads.Step(ctx, l, move); err != nil {
				return err
			}
		}
		if move.Verb = string(store.VerbDeliver); l.State == loadsapi.PickedUp && to == store.Dropped && l.Waiting+l.OnBoard == 0 {
			return c.loads.Step(ctx, l, move)
		}

		return nil
	})
}

// Collected implements loadsapi.Collections.
func (c collections) Collected(ctx context.Context, id string, of loadsapi.Collected) error {
	return change(ctx, c.loads, id, store.VerbPay, func(_ context.Context, l *store.Load) error {
		by := plan.Payment{Method: of.Method, At: c.clock.Now(), Note: of.Note}
		paid, err := plan.Collect(money.Amount(of.Amount), by, l.Plan.V, l.Payments.V, l.Currency, store.ErrInvalid)
		l.Payments.V = append(slices.Clip(l.Payments.V), paid...)

		return err
	})
}

// ToCollect implements loadsapi.Collections.
func (c collections) ToCollect(ctx context.Context, id string) (all []loadsapi.Collectable, err error) {
	l, err := c.loads.Find(ctx, item.ID(id))
	for _, due := range plan.ToCollect(l.Plan.V, l.Payments.V, l.Currency) {
		if due.Amount != "0.00" {
			all = append(all, loadsapi.Collectable{Amount: string(due.Amount), Currency: string(l.Currency), Method: due.Method, Event: due.Event})
		}
	}

	return all, err
}

// Following implements loadsapi.Standings.
func (c standings) Following(ctx context.Context, id string) (f loadsapi.Following, err error) {
	err = c.db.InTx(ctx, func(ctx context.Context) error {
		f = loadsapi.Following{Load: id}

		return hook.Run(ctx, c.hooks, &f)
	})

	return f, err
}

// Offered implements loadsapi.Coverage.
func (c coverage) Offered(ctx context.Context, id string, o loadsapi.Offers) error {
	return change(ctx, c.loads, id, store.VerbOffer, func(_ context.Context, l *store.Load) error {
		l.Coverage = o // derive takes it back where there is nothing to offer

		return nil
	})
}

func change(ctx context.Context, loads *resource.Resource[store.Load], id string, verb resource.Verb, do func(ctx context.Context, l *store.Load) error) error {
	_, err := loads.Change(ctx, item.ID(id), web.IfMatch{}, verb, do)

	return err
}

// Customer implements loadsapi.Views.
func (c views) Customer(ctx context.Context, id string) (loadsapi.Shown[loadsapi.CustomerView], error) {
	return viewOf[loadsapi.CustomerView](ctx, c.loads, id, sight.Customer)
}

// Carrier implements loadsapi.Views.
func (c views) Carrier(ctx context.Context, id string) (loadsapi.Shown[loadsapi.CarrierView], error) {
	return viewOf[loadsapi.CarrierView](ctx, c.loads, id, sight.Carrier)
}

// Bidder implements loadsapi.Views.
func (c views) Bidder(ctx context.Context, id string) (loadsapi.Shown[loadsapi.BidderView], error) {
	return viewOf[loadsapi.BidderView](ctx, c.loads, id, sight.Bidder)
}

func viewOf[V store.View](ctx context.Context, loads *resource.Resource[store.Load], id string, by sight.Party) (of loadsapi.Shown[V], err error) {
	l, err := loads.Find(ctx, item.ID(id))
	if err != nil {
		return of, err
	}

	return store.ShownTo[V](l, by)
}
