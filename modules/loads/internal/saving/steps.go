package saving

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Steps are those that follow from what was done to a load.
type Steps struct {
	loads  *resource.Resource[store.Load]
	places routeengineapi.Places
	hooks  *hook.Bus
}

// NewSteps returns Steps.
func NewSteps(loads *resource.Resource[store.Load], p routeengineapi.Places, hooks *hook.Bus) *Steps {
	return &Steps{loads, p, hooks}
}

// followCustody moves vehicles with their load, and the load with its vehicles.
func (s *Steps) followCustody(ctx context.Context, l *store.Load, verb resource.Verb, now time.Time) error {
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		switch {
		case verb == store.VerbPickUp && v.Custody == store.Waiting:
			v.Custody, v.PickedUpAt = store.OnBoard, &now
		case verb == store.VerbDeliver && v.Custody == store.OnBoard:
			v.Custody, v.DroppedAt = store.Dropped, &now
		case verb == store.VerbReopen && l.State == loadsapi.PickedUp && v.Custody == store.Dropped:
			v.Custody, v.DroppedAt, l.DeliveredAt = store.OnBoard, nil, nil
		case verb == store.VerbReopen && l.State == loadsapi.Booked && v.Custody == store.OnBoard: // its carrier has lost the load
			v.Custody, v.PickedUpAt = store.Waiting, nil
			from, _ := l.Ends(*v)
			l.Warn("loads.vehicle_put_back", "vehicles."+strconv.Itoa(i),
				"The "+v.Name()+" was on board when the load was canceled. It waits at its pickup again, in "+l.PlaceName(from)+": if it is elsewhere, change its pickup stop.")
		}
	}
	if verb == store.VerbReopen && l.State == loadsapi.Booked && cargo.PickedUpAt(l.Vehicles.V) == nil {
		l.PickedUpAt = nil
	}
	l.Count()
	if verb == store.VerbCustody && l.State == loadsapi.PickedUp && l.VehicleCount > 0 && l.Waiting == l.VehicleCount {
		l.PickedUpAt = nil

		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbPutBack), Reason: "No vehicle is on board."})
	}
	if l.State == loadsapi.Dispatched && l.OnBoard > 0 {
		if err := s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbPickUp), Reason: "A vehicle was picked up."}); err != nil {
			return err
		}
	}
	if l.State == loadsapi.PickedUp && l.VehicleCount > 0 && l.Dropped == l.VehicleCount {
		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbDeliver), Reason: "All vehicles were delivered."})
	}

	return nil
}

// goBack has a load that is reopened be as far as it was when it was lost or canceled: quoted, or ready for a carrier.
func (s *Steps) goBack(ctx context.Context, b *batch, c *resource.Change[store.Load]) error {
	l, verb := c.After, store.VerbQuote
	switch {
	case c.Verb != store.VerbReopen:
		return nil
	case l.State == loadsapi.Lead && l.QuotedAt != nil:
	case l.State == loadsapi.Booked && l.ReadyAt != nil:
		verb = store.VerbClear
		kept, err := b.terms(ctx)
		if err != nil || len(l.Missing(kept.Required)) > 0 {
			return err
		}
	default:
		return nil
	}
	err := s.loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: "It was before."})
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// goOn takes the steps of a load that follow from what was done: it is ready once it has what that takes, and completed with the last payment.
func (s *Steps) goOn(ctx context.Context, b *batch, c *resource.Change[store.Load], was loadsapi.State) error {
	l := c.After
	switch {
	case l.State != was:
	case was == loadsapi.Booked && l.HeldAt == nil:
		kept, err := b.terms(ctx)
		if err != nil || len(kept.Required) == 0 || len(l.Missing(kept.Required)) > 0 {
			return err
		}

		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbClear), Reason: "It has all that it must have."})
	case was == loadsapi.Delivered && c.Verb != store.VerbReopen && c.Before != nil && l.Settled() && (c.Before.State != was || !c.Before.Settled()):
		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbComplete), Reason: "All is paid."})
	}

	return nil
}

// startBooked books a load that a user enters, where the settings say so and it has all that booking takes.
func (s *Steps) startBooked(ctx context.Context, b *batch, c *resource.Change[store.Load]) error {
	l := c.After
	if c.Verb != resource.Create || l.State != loadsapi.Lead || l.Source != nil || l.Customer == nil || l.AvailableFrom == "" {
		return nil
	}
	now, err := b.terms(ctx)
	if err == nil && now.StartBooked {
		err = s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbBook)})
	}
	if errs.IsRefusal(err) {
		err = nil // it is a lead
	}

	return err
}

// followSignature keeps what a customer signs, and compares what it has signed with the load as it is now.
func (s *Steps) followSignature(ctx context.Context, b *batch, c *resource.Change[store.Load], now time.Time) error {
	l := c.After
	l.Signature = cmp.Or(l.Signature, signing.None)
	if !store.Signs(l) {
		l.ChangeOrder.V.Needed = false // it is too late for one
	}
	if l.Signing == nil && l.SignedAt == nil {
		return nil
	}
	is, order := store.TermsOf(l), &l.ChangeOrder.V
	if l.Signing != nil {
		b.signed = append(b.signed, signing.RowOf(l.ID, *l.Signing, now, is, order.Changes))
		l.Signature, l.SignedAt, l.SignedBy, l.SignedTerms.V, *order = signing.Signed, &now, l.Signing.Name, is, signing.ChangeOrder{}
		l.Signing = nil

		return nil
	}
	if !store.Signs(l) {
		return nil
	}
	if len(l.SignedTerms.V) == 0 { // vehicles went from one load to another
		l.SignedTerms.V = is
	}
	changes := signing.Differences(l.SignedTerms.V, is, signing.Kinds())
	if len(changes) > 0 {
		kept, err := b.terms(ctx)
		if err != nil {
			return err
		}
		changes = signing.Differences(l.SignedTerms.V, is, kept.ChangeOrder)
	}
	if len(changes) == 0 {
		l.Signature, *order = signing.Signed, signing.ChangeOrder{}

		return nil
	}
	if key := signing.KeyOf(changes); key != signing.KeyOf(order.Changes) {
		*order = order.With(changes, now)
		b.told = append(b.told, loadsapi.ChangeOrderNeeded{About: l.About(), Fields: order.Fields})
	}
	order.Needed = true // of one that was reopened, too
	l.Signature = signing.Changed

	return nil
}

// announce tells the areas that a load is booked, and has it promise what they say that its customer bought. It returns the state from which the load goes on.
func (s *Steps) announce(ctx context.Context, b *batch, c *resource.Change[store.Load], was loadsapi.State, now time.Time) (loadsapi.State, error) {
	l := c.After
	if l.State != loadsapi.Booked || !slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, was) {
		return was, nil
	}
	about := loadsapi.Booking{Load: l.ID.String(), Number: l.Number, Tariff: string(l.Tariff), Currency: string(l.Currency)}
	if err := hook.Run(ctx, s.hooks, &about); err != nil {
		return was, err
	}
	if about.Expedited {
		l.PromisePickup(about.Within)
		if wrong := route.Check(ctx, s.places, l.Stops.V, l.Stops.V, func(string, string, string) {}, store.ErrInvalid); len(wrong.Fields) > 0 {
			return was, wrong
		}
		l.Derive()
		l.WarnOfPromise()
	}
	l.Stamp(was, now)
	b.told = append(b.told, l.Stepped(was))

	return loadsapi.Booked, nil // and perhaps ready at once
}

// checkReady refuses a load that would be ready without what the settings ask for.
func (s *Steps) checkReady(ctx context.Context, b *batch, l *store.Load, was loadsapi.State) error {
	if l.State != loadsapi.Ready || was != loadsapi.Booked {
		return nil
	}
	terms, err := b.terms(ctx)
	if err != nil {
		return err
	}
	if missing := l.Missing(terms.Required); len(missing) > 0 {
		return store.ErrNotReady.WithDetail("missing", missing)
	}

	return nil
}
