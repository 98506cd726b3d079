package offers

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Consent decides whether an offer can be accepted by a party: it is open, the party knows what it accepts, and a carrier has proved who it is.
type Consent struct {
	views *Views
	gate  *proof.Gate
}

// NewConsent returns a Consent.
func NewConsent(v *Views, g *proof.Gate) *Consent { return &Consent{v, g} }

// Check refuses an acceptance.
func (c *Consent) Check(ctx context.Context, held Held, match web.IfMatch, p store.Proposal) error {
	if p.Party == store.Carrier {
		return c.checkCarrier(ctx, held, p)
	}
	if err := held.Offer.CheckAcceptance(p, held.At); err != nil {
		return err
	}
	if held.Unavailable != nil {
		return held.Unavailable
	}
	if err := store.CheckNamed(match, p.Shown); err != nil {
		return err
	}

	return c.views.CheckAgreed(ctx, held.Offer)
}

// checkCarrier refuses an acceptance by a link, first what needs no proof of who has the link.
func (c *Consent) checkCarrier(ctx context.Context, held Held, p store.Proposal) error {
	if err := held.Offer.Ended(held.At); err != nil {
		return err
	}
	if store.IsCarried(held.Load) {
		return store.ErrVehicleTaken // the offer ends in a moment
	}
	if err := c.gate.Check(ctx, held.Offer); err != nil {
		return err
	}
	if err := held.Offer.CheckAcceptance(p, held.At); err != nil {
		return err
	}
	if held.Unavailable != nil {
		return held.Unavailable
	}

	return c.views.CheckShown(ctx, held.Offer, p)
}
