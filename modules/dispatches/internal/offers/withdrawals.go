package offers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Withdrawals end the open offers for a load that make way, as the service itself.
type Withdrawals struct {
	offers *resource.Resource[store.Offer]
	rows   *store.Repository
	clock  clock.Clock
}

// NewWithdrawals returns Withdrawals.
func NewWithdrawals(offers *resource.Resource[store.Offer], rows *store.Repository, c clock.Clock) *Withdrawals {
	return &Withdrawals{offers, rows, c}
}

// Supersede ends all offers for a load but one.
func (w *Withdrawals) Supersede(ctx context.Context, load, but uuid.UUID, why string) error {
	return w.end(ctx, load, store.VerbSupersede, why, func(o store.Offer) bool { return o.ID != but })
}

// MakeWay withdraws the open offers to a carrier for the load of another offer, which is that carrier's own.
func (w *Withdrawals) MakeWay(ctx context.Context, own store.Offer, carrier uuid.UUID) error {
	why := "The carrier answers by the offer " + own.Number + "."

	return w.end(ctx, own.Load, store.VerbWithdraw, why, func(o store.Offer) bool { return o.Carrier == carrier && o.ID != own.ID })
}

// end takes a step that ends the open offers for a load that match.
func (w *Withdrawals) end(ctx context.Context, load uuid.UUID, verb resource.Verb, why string, match func(o store.Offer) bool) error {
	open, err := w.rows.OpenOffers(ctx, load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, o := range open {
		if match(o) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	now := w.clock.Now()
	_, err = w.offers.ChangeSome(principal.AsCompany(ctx, principal.CompanyOf(ctx)), ids, verb, func(ctx context.Context, o *store.Offer) error {
		if o.State != store.Queued && !o.IsOpen() { // it was answered meanwhile
			return nil
		}
		o.End(ctx, string(verb), why, now)

		return w.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: why})
	})

	return err
}
