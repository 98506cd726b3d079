package offers

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// LateResponses are acceptances of carriers after their offers expired.
type LateResponses struct {
	offers *resource.Resource[store.Offer]
	holder *Holder
	views  *Views
	gate   *proof.Gate
}

// NewLateResponses returns LateResponses.
func NewLateResponses(offers *resource.Resource[store.Offer], h *Holder, v *Views, g *proof.Gate) *LateResponses {
	return &LateResponses{offers, h, v, g}
}

// Keep keeps that a carrier has accepted an offer after it expired, if the carrier has proved who it is, and has seen what there is now.
func (l *LateResponses) Keep(ctx context.Context, id uuid.UUID, p store.Proposal) error {
	return l.holder.Hold(ctx, id, func(ctx context.Context, held Held) error {
		if !held.Offer.TakesLateResponse(p, held.At) {
			return nil
		}
		if err := l.gate.Check(ctx, held.Offer); err != nil {
			return store.IgnoreRefusal(err)
		}
		if err := l.views.CheckShown(ctx, held.Offer, p); err != nil {
			return store.IgnoreRefusal(err)
		}
		_, err := l.offers.Change(ctx, id, web.IfMatch{}, store.VerbLate, func(ctx context.Context, o *store.Offer) error {
			o.LateAt, o.AnsweredBy = &held.At, cmp.Or(p.Name, o.AnsweredBy)
			o.Record(ctx, "late_response", p, held.At)

			return nil
		})

		return err
	})
}
