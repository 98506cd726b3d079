package loads

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// coverage implements loadsapi.Coverage, and the contracts of what follows from it.
type coverage struct{ service *service }

func newCoverage(s *service) (loadsapi.Standings, loadsapi.Coverage, loadsapi.Carriage, loadsapi.Collections, loadsapi.Views) {
	return coverage{s}, coverage{s}, coverage{s}, coverage{s}, coverage{s}
}

// Standing implements loadsapi.Standings.
func (c coverage) Standing(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := c.service.loads.Find(ctx, item.ID(id))

	return l.standing(), err
}

// Held implements loadsapi.Standings.
func (c coverage) Held(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := held(ctx, c.service.loads, id)

	return l.standing(), err
}

// ForCarrier implements loadsapi.Standings.
func (c coverage) ForCarrier(ctx context.Context, id string) (loadsapi.Standing, error) {
	l, err := held(ctx, c.service.loads, id)
	if err == nil {
		err = forCarrier(ctx, &l)
	}

	return l.standing(), err
}

func (l load) standing() loadsapi.Standing {
	s := loadsapi.Standing{
		Load: l.ID.String(), Number: l.Number, Currency: string(l.Currency), State: l.State, Version: l.Version, CarrierPay: string(l.CarrierPay), Carried: l.Role == carrier, Declared: l.declared(),
		AvailableFrom: string(l.AvailableFrom), PromisedBy: string(l.PromisedBy),
	}
	if l.Signature == signing.Changed {
		s.Unsigned = slices.Clone(l.ChangeOrder.V.Fields)
	}
	if l.Carrier != nil {
		s.Carrier = l.Carrier.String()
	}
	if l.DispatchedAt != nil {
		s.Since = *l.DispatchedAt
	}
	if n := len(l.Stops.V); n > 1 {
		s.Pickup, s.Delivery = l.Stops.V[0].Days(), l.Stops.V[n-1].Days()
	}

	return s
}

// forCarrier refuses a load that is not ready for a carrier.
func forCarrier(ctx context.Context, l *load) error {
	if l.State != loadsapi.Ready {
		return loadsapi.ErrNotReady.WithDetail("state", l.State)
	}

	return notHeld(ctx, *l)
}

// Cover implements loadsapi.Coverage.
func (c coverage) Cover(ctx context.Context, id string, to loadsapi.Cover) error {
	return c.change(ctx, id, verbCover, func(ctx context.Context, l *load) error {
		if err := forCarrier(ctx, l); err != nil {
			return err
		}
		if who := item.ID(to.Carrier); to.Carrier != "" {
			l.Carrier = &who
		} else if l.Role == broker {
			return errNoCarrier
		}
		if err := l.payCarrier(money.Amount(to.CarrierPay)); err != nil {
			return err
		}
		reason := to.Override
		if to.Party == carrier { // acts as the service itself, which has every scope
			reason = ""
		}
		if err := mayGo(ctx, l, reason); err != nil {
			return err
		}
		if err := c.service.loads.Step(ctx, l, state.Move{Verb: string(verbCover), Reason: to.Note, Party: to.Party}); err != nil || l.Carrier == nil {
			return err
		}

		return c.service.admit(ctx, l)
	})
}

// payCarrier has the carrier get an amount for the load; "" leaves what it gets. The payment plan follows. Error: loadsapi.ErrPayBelowCharges.
func (l *load) payCarrier(pay money.Amount) error {
	wanted, ok := l.units(pay)
	if pay == "" || pay == l.CarrierPay {
		return nil
	}
	if !ok {
		return errInvalid.WithField("carrier_pay", plan.AmountRule("carrier_pay", l.Currency))
	}
	if _, charged := l.charged(); wanted < charged {
		return loadsapi.ErrPayBelowCharges.WithDetail("carrier_pay", l.amountOf(wanted)).WithDetail("carrier_charges", l.amountOf(charged))
	}

	return l.priceWhole("", pay)
}

// Proposed implements loadsapi.Views.
func (c coverage) Proposed(ctx context.Context, id, to, pay string) (of loadsapi.Shown[loadsapi.BidderView], err error) {
	l, err := c.service.loads.Find(ctx, item.ID(id))
	if err != nil {
		return of, err
	}
	was := l
	if who := item.ID(to); who != uuid.Nil {
		l.Carrier = &who
	}
	l.Vehicles.V, l.Charges.V, l.Plan.V = slices.Clone(l.Vehicles.V), slices.Clone(l.Charges.V), slices.Clone(l.Plan.V)
	if err := l.payCarrier(money.Amount(pay)); err != nil {
		return of, err
	}
	if wrong := l.checkMoney(&was, l.checkVehicles(errInvalid)); len(wrong.Fields) > 0 {
		return of, wrong
	}
	if err := c.service.followAgreed(ctx, &was, &l); err != nil {
		return of, err
	}
	if err := l.followTotals(&was); err != nil {
		return of, concealed(ctx, err)
	}

	return shownTo[loadsapi.BidderView](l, sight.Bidder)
}

// Unwanted implements loadsapi.Coverage.
func (c coverage) Unwanted(ctx context.Context, id string, carriers ...string) (map[string]error, error) {
	l, err := c.service.loads.Find(ctx, item.ID(id))
	if err != nil {
		return nil, err
	}

	return c.service.choose(ctx, &l, carriers...)
}

// Uncover implements loadsapi.Coverage.
func (c coverage) Uncover(ctx context.Context, id string, m loadsapi.Moved) error {
	return c.change(ctx, id, verbUncover, func(ctx context.Context, l *load) error {
		if l.State != loadsapi.Dispatched {
			return unloaded(ctx, *l)
		}

		return c.service.loads.Step(ctx, l, state.Move{Verb: string(verbUncover), Reason: m.Note, Party: m.Party})
	})
}

// HandOver implements loadsapi.Carriage.
func (c coverage) HandOver(ctx context.Context, id string, h loadsapi.HandOver) error {
	return c.change(ctx, id, verbHandOver, func(ctx context.Context, l *load) error {
		if l.State != loadsapi.PickedUp || l.OnBoard == 0 {
			return loadsapi.ErrNotOnBoard
		}
		at := stop{UUID: database.NewID(), Kind: transfer, Venue: venue{Name: h.Name, Line1: h.Line1, City: h.City, State: h.State, PostalCode: h.PostalCode}}
		if h.Contact != "" || h.Phone != "" {
			at.Contacts = []person{{Name: h.Contact, Phones: []field.Phone{field.Phone(h.Phone)}}}
		}
		told := loadsapi.HandedOver{About: l.about(), Stop: at.UUID.String()}
		l.Stops.V = slices.Clone(l.Stops.V)
		first := len(l.Stops.V) - 1 // where the first of the vehicles on board would be delivered
		l.Vehicles.V = slices.Clone(l.Vehicles.V)
		for i := range l.Vehicles.V {
			if v := &l.Vehicles.V[i]; v.Custody == onBoard {
				if to := l.place(v.Delivery); to >= 0 {
					first = min(first, to)
				}
				from, _ := l.ends(*v)
				if left := &l.Stops.V[l.place(from)]; left.DepartedAt == nil { // so that it stays the place that the first bill of lading names
					left.DepartedAt = v.PickedUpAt
				}
				v.Custody, v.PickedUpAt, v.Pickup = waiting, nil, at.UUID
				told.Vehicles = append(told.Vehicles, v.UUID.String())
			}
		}
		l.Stops.V = slices.Insert(l.Stops.V, first, at)
		if err := c.service.loads.Step(ctx, l, state.Move{Verb: string(verbHandOver), Reason: h.Note, Party: h.Party}); err != nil {
			return err
		}
		told.State = l.State

		return c.service.bus.Publish(ctx, told)
	})
}

// PickUp implements loadsapi.Carriage.
func (c coverage) PickUp(ctx context.Context, id string, m loadsapi.Moved) error {
	return c.move(ctx, id, m, onBoard)
}

// Deliver implements loadsapi.Carriage.
func (c coverage) Deliver(ctx context.Context, id string, m loadsapi.Moved) error {
	return c.move(ctx, id, m, dropped)
}

// move has the vehicles be where they are now, and takes the load along.
func (c coverage) move(ctx context.Context, id string, m loadsapi.Moved, to custody) error {
	at := clock.Stamp(cmp.Or(m.At, c.service.clock.Now()))

	return c.change(ctx, id, verbCustody, func(ctx context.Context, l *load) error {
		if !slices.Contains(of(loadsapi.Dispatched, loadsapi.PickedUp), l.State) {
			return nil
		}
		if to == dropped {
			if err := l.deliverable(m.Vehicles); err != nil {
				return err
			}
		}
		for i := range l.Vehicles.V {
			v := &l.Vehicles.V[i]
			if len(m.Vehicles) > 0 && !slices.Contains(m.Vehicles, v.UUID.String()) {
				continue
			}
			if v.Custody == waiting && to == onBoard {
				v.Custody, v.PickedUpAt = onBoard, &at
			}
			if v.Custody == onBoard && to == dropped {
				if err := v.Take(cargo.Move{From: onBoard, To: dropped, At: at}, at); err != nil {
					return err
				}
			}
		}
		l.count()
		move := state.Move{Reason: m.Note, Party: m.Party}
		if l.State == loadsapi.Dispatched && (len(m.Vehicles) == 0 || l.OnBoard > 0) {
			move.Verb = string(verbPickUp)
			if err := c.service.loads.Step(ctx, l, move); err != nil {
				return err
			}
		}
		if move.Verb = string(verbDeliver); l.State == loadsapi.PickedUp && to == dropped && l.Waiting+l.OnBoard == 0 {
			return c.service.loads.Step(ctx, l, move)
		}

		return nil
	})
}

// deliverable refuses to deliver vehicles, all of them if none is named, that were not picked up.
func (l *load) deliverable(vehicles []string) error {
	if l.State == loadsapi.Dispatched && l.VehicleCount == 0 { // of goods alone
		return loadsapi.ErrWaiting.WithMessage("The load was not picked up yet. Record the pickup first.")
	}

	return cargo.AllPickedUp(l.Vehicles.V, vehicles)
}

// Collected implements loadsapi.Collections.
func (c coverage) Collected(ctx context.Context, id string, of loadsapi.Collected) error {
	return c.change(ctx, id, verbPay, func(_ context.Context, l *load) error {
		by := plan.Payment{Method: of.Method, At: c.service.clock.Now(), Note: of.Note}
		paid, err := plan.Collect(money.Amount(of.Amount), by, l.Plan.V, l.Payments.V, l.Currency, errInvalid)
		l.Payments.V = append(slices.Clip(l.Payments.V), paid...)

		return err
	})
}

// ToCollect implements loadsapi.Collections.
func (c coverage) ToCollect(ctx context.Context, id string) (all []loadsapi.Collectable, err error) {
	l, err := c.service.loads.Find(ctx, item.ID(id))
	for _, due := range plan.ToCollect(l.Plan.V, l.Payments.V, l.Currency) {
		if due.Amount != "0.00" {
			all = append(all, loadsapi.Collectable{Amount: string(due.Amount), Currency: string(l.Currency), Method: due.Method, Event: due.Event})
		}
	}

	return all, err
}

// Following implements loadsapi.Standings.
func (c coverage) Following(ctx context.Context, id string) (f loadsapi.Following, err error) {
	err = c.service.db.InTx(ctx, func(ctx context.Context) error {
		f = loadsapi.Following{Load: id}

		return hook.Run(ctx, c.service.hooks, &f)
	})

	return f, err
}

// Offered implements loadsapi.Coverage.
func (c coverage) Offered(ctx context.Context, id string, o loadsapi.Offers) error {
	return c.change(ctx, id, verbOffer, func(_ context.Context, l *load) error {
		l.Coverage = o // derive takes it back where there is nothing to offer

		return nil
	})
}

func (c coverage) change(ctx context.Context, id string, verb resource.Verb, do func(ctx context.Context, l *load) error) error {
	_, err := c.service.loads.Change(ctx, item.ID(id), web.IfMatch{}, verb, do)

	return err
}

// Customer implements loadsapi.Views.
func (c coverage) Customer(ctx context.Context, id string) (loadsapi.Shown[loadsapi.CustomerView], error) {
	return viewOf[loadsapi.CustomerView](ctx, c.service.loads, id, sight.Customer)
}

// Carrier implements loadsapi.Views.
func (c coverage) Carrier(ctx context.Context, id string) (loadsapi.Shown[loadsapi.CarrierView], error) {
	return viewOf[loadsapi.CarrierView](ctx, c.service.loads, id, sight.Carrier)
}

// Bidder implements loadsapi.Views.
func (c coverage) Bidder(ctx context.Context, id string) (loadsapi.Shown[loadsapi.BidderView], error) {
	return viewOf[loadsapi.BidderView](ctx, c.service.loads, id, sight.Bidder)
}

type view interface {
	loadsapi.CustomerView | loadsapi.CarrierView | loadsapi.BidderView
}

func viewOf[V view](ctx context.Context, loads *resource.Resource[load], id string, by sight.Party) (of loadsapi.Shown[V], err error) {
	l, err := loads.Find(ctx, item.ID(id))
	if err != nil {
		return of, err
	}

	return shownTo[V](l, by)
}

// shownTo is a load as a party sees it, whose view is V.
func shownTo[V view](l load, by sight.Party) (of loadsapi.Shown[V], err error) {
	if of.JSON, err = sight.JSON(l.visibleTo(by), by); err != nil {
		return of, err
	}

	return of, json.Unmarshal(of.JSON, &of.Load)
}
