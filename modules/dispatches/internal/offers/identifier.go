package offers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Identifier keeps with offers what their carriers claim and prove of themselves.
type Identifier struct {
	offers      *resource.Resource[store.Offer]
	holder      *Holder
	withdrawals *Withdrawals
}

// NewIdentifier returns an Identifier.
func NewIdentifier(offers *resource.Resource[store.Offer], h *Holder, w *Withdrawals) *Identifier {
	return &Identifier{offers, h, w}
}

// KeepClaim keeps a USDOT number with an offer. No carrier has it by that until a code proves it, so another one can be named instead.
func (i *Identifier) KeepClaim(ctx context.Context, id uuid.UUID, usdot string) error {
	_, err := i.offers.Change(ctx, id, web.IfMatch{}, store.VerbClaim, func(_ context.Context, o *store.Offer) error {
		o.ClaimedUSDOT = usdot

		return nil
	})

	return err
}

// KeepProof keeps that the carrier of an offer has proved who it is, which may be another one of the company than was thought. Any other open offer for
// the load to that one makes way.
func (i *Identifier) KeepProof(ctx context.Context, id, carrier uuid.UUID) error {
	return i.holder.Hold(ctx, id, func(ctx context.Context, held Held) error {
		if carrier != held.Offer.Carrier {
			if err := i.withdrawals.MakeWay(ctx, held.Offer, carrier); err != nil {
				return err
			}
		}
		_, err := i.offers.Change(ctx, id, web.IfMatch{}, store.VerbIdentify, func(_ context.Context, o *store.Offer) error {
			o.IdentifiedAt, o.Carrier = &held.At, carrier

			return nil
		})

		return err
	})
}
