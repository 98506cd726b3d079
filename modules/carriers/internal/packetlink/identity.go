package packetlink

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/proof"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Identity has link holders prove who they are.
type Identity struct {
	entrance   *Entrance
	identities *proof.Identities
	saver      *Saver
	viewer     *Viewer
	clock      clock.Clock
}

// NewIdentity returns an Identity.
func NewIdentity(e *Entrance, i *proof.Identities, s *Saver, v *Viewer, c clock.Clock) *Identity {
	return &Identity{e, i, s, v, c}
}

// enter is Entrance.enter for a packet that still asks for an identity code.
func (s *Identity) enter(ctx context.Context, text string) (context.Context, packet.Packet, error) {
	ctx, row, err := s.entrance.enter(ctx, text)
	switch {
	case err != nil:
	case !row.Asks(packet.StepIdentity):
		err = packet.ErrNotAsked
	case !row.Open():
		err = packet.ErrClosed
	}

	return ctx, row, err
}

// sendCode sends an identity code to the regulator's record.
func (s *Identity) sendCode(ctx context.Context, text, channel string) (View, error) {
	ctx, row, err := s.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	if err := s.identities.Issue(ctx, row.Carrier, channel); err != nil {
		return View{}, err
	}

	return s.viewer.view(ctx, row)
}

// redeemCode redeems an identity code. The confirmation is stored with the carrier at once: it is a fact, not a part of the proposal.
func (s *Identity) redeemCode(ctx context.Context, text, code string) (View, error) {
	ctx, row, err := s.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	if row.Proposal.V.VerifiedAt == nil {
		if err := s.identities.Redeem(ctx, row.Carrier, code); err != nil {
			return View{}, err
		}
	}

	return s.saver.save(ctx, text, func(_ context.Context, p *packet.Packet) error {
		if p.Proposal.V.VerifiedAt == nil {
			p.Proposal.V.VerifiedAt = new(s.clock.Now())
		}

		return nil
	})
}
