package offers

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Acceptor takes acceptances of both parties.
type Acceptor struct {
	agreements *Agreements
	late       *LateResponses
	refresher  *Refresher
}

// NewAcceptor returns an Acceptor.
func NewAcceptor(a *Agreements, l *LateResponses, r *Refresher) *Acceptor { return &Acceptor{a, l, r} }

// Accept accepts an offer. An acceptance of a carrier that comes too late is kept as a late response.
func (a *Acceptor) Accept(ctx context.Context, id uuid.UUID, match web.IfMatch, p store.Proposal, crew store.Crew) (store.Offer, error) {
	o, err := a.agreements.Conclude(ctx, id, match, p, crew)
	if errors.Is(err, store.ErrOfferExpired) && p.Party == store.Carrier {
		if late := a.late.Keep(ctx, id, p); late != nil {
			return o, late
		}
	}

	return o, a.refresher.Refresh(ctx, err)
}

// Agreements turn offers into dispatches.
type Agreements struct {
	offers      *resource.Resource[store.Offer]
	holder      *Holder
	consent     *Consent
	assigner    *assigning.Assigner
	withdrawals *Withdrawals
}

// NewAgreements returns Agreements.
func NewAgreements(offers *resource.Resource[store.Offer], h *Holder, c *Consent, a *assigning.Assigner, w *Withdrawals) *Agreements {
	return &Agreements{offers, h, c, a, w}
}

// Conclude accepts an offer: its carrier has the load, there is a dispatch, and the other offers for the load end, all in one transaction. The load and
// the offer are held, so the second of two carriers finds the load taken. Accepting an accepted offer changes nothing.
func (a *Agreements) Conclude(ctx context.Context, id uuid.UUID, match web.IfMatch, p store.Proposal, crew store.Crew) (o store.Offer, err error) {
	err = a.holder.Hold(ctx, id, func(ctx context.Context, held Held) error {
		o = held.Offer
		if o.State == store.Accepted {
			return o.CheckAccepted(p)
		}
		if err := match.Check(o.Version); err != nil {
			return err
		}
		if err := a.consent.Check(ctx, held, match, p); err != nil {
			return err
		}
		made, err := a.assign(ctx, held, p, crew)
		if err != nil {
			return err
		}
		o, err = a.offers.Change(ctx, id, match, store.VerbAccept, func(ctx context.Context, o *store.Offer) error {
			o.Apply(p)
			o.Record(ctx, string(store.VerbAccept), o.Current(p), held.At)
			o.Turn, o.Dispatch, o.AnsweredBy = "", &made.ID, cmp.Or(p.Name, o.AnsweredBy)
			o.Warnings = store.WarningsOf(held.Load, o.PickupDate)

			return a.offers.Step(ctx, o, state.Move{Verb: string(store.VerbAccept), Reason: p.Note, Party: p.Party})
		})
		if err != nil {
			return err
		}

		return a.withdrawals.Supersede(ctx, o.Load, o.ID, "Another carrier has the load.")
	})

	return o, err
}

// assign gives the load of an offer to its carrier on the terms that are accepted.
func (a *Agreements) assign(ctx context.Context, held Held, p store.Proposal, crew store.Crew) (made store.Dispatch, err error) {
	agreed := held.Offer
	agreed.Apply(p)
	allowed, err := a.holder.AllowedDays(ctx, held.Load)
	if err != nil {
		return made, err
	}
	if wrong := allowed.Check(agreed.Days(), held.Offer.Days(), p.Party == store.Carrier); len(wrong.Fields) > 0 {
		return made, wrong
	}

	return a.assigner.Assign(ctx, held.Load, assigning.Assignment{
		To: agreed.Carrier, Pay: cmp.Or(string(agreed.Amount), held.Load.CarrierPay), Note: "Offer " + agreed.Number + " was accepted.", Reason: p.Note,
		Party: p.Party,
	}, store.Dispatch{
		Offer: &agreed.ID, PickupDate: agreed.PickupDate, DeliveryDate: agreed.DeliveryDate, AcceptedBy: p.Name, AcceptedFrom: p.Address,
	}, crew)
}
