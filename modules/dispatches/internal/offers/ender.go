package offers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Ender ends offers.
type Ender struct {
	offers   *resource.Resource[store.Offer]
	sequence *Sequence
	loads    loadsapi.Standings
	db       *database.DB
	clock    clock.Clock
}

// NewEnder returns an Ender.
func NewEnder(offers *resource.Resource[store.Offer], s *Sequence, loads loadsapi.Standings, db *database.DB, c clock.Clock) *Ender {
	return &Ender{offers, s, loads, db, c}
}

// End declines or withdraws an offer, keeps why, and asks the next carrier of a sequence.
func (e *Ender) End(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, p store.Proposal) (store.Offer, error) {
	return e.endIf(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) (bool, error) {
		now := e.clock.Now()
		if p.Party == store.Carrier {
			if err := o.CheckAnswer(store.Proposal{Party: o.Turn, Shown: p.Shown}, now); err != nil {
				return false, err
			}
		}
		asked := o.State != store.Queued
		o.Turn, o.EndReason = "", p.Note
		o.Record(ctx, string(verb), p, now)

		return asked, e.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: p.Note, Party: p.Party})
	})
}

// EndUnlessAnswered is End as the service itself, if nothing has ended the offer meanwhile.
func (e *Ender) EndUnlessAnswered(ctx context.Context, id uuid.UUID, verb resource.Verb, why string) error {
	_, err := e.endIf(ctx, id, web.IfMatch{}, verb, func(ctx context.Context, o *store.Offer) (bool, error) {
		if o.State != store.Queued && !o.IsOpen() {
			return false, nil
		}
		asked := o.State != store.Queued
		o.End(ctx, string(verb), why, e.clock.Now())

		return asked, e.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: why})
	})

	return err
}

// Expire ends an offer that was not answered in time.
func (e *Ender) Expire(ctx context.Context, id uuid.UUID) error {
	_, err := e.endIf(ctx, id, web.IfMatch{}, store.VerbExpire, func(ctx context.Context, o *store.Offer) (bool, error) {
		now := e.clock.Now()
		if !o.IsOpen() || !o.IsPast(now) {
			return false, nil // it was answered meanwhile
		}
		o.End(ctx, string(store.VerbExpire), "", now)

		return true, e.offers.Step(ctx, o, state.Move{Verb: string(store.VerbExpire)})
	})

	return err
}

// endIf calls end with an offer, and asks the next carrier of its sequence if end says that its turn is over. The load is held before the offer, in the
// same order as in Holder, so that two transactions never wait for each other.
func (e *Ender) endIf(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, end func(ctx context.Context, o *store.Offer) (bool, error),
) (o store.Offer, err error) {
	err = e.db.InTx(ctx, func(ctx context.Context) error {
		if o, err = e.offers.Find(ctx, id); err != nil {
			return err
		}
		free := false
		if o.Mode == "sequential" {
			_, err := e.loads.ForCarrier(ctx, o.Load.String())
			if free = err == nil; store.IgnoreRefusal(err) != nil { // a refusal: the load is on hold, or a carrier has it
				return err
			}
		}
		next := false
		o, err = e.offers.Change(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) error {
			next, err = end(ctx, o)

			return err
		})
		if err != nil || !next || !free {
			return err
		}

		return e.sequence.AskNext(ctx, o)
	})

	return o, err
}
