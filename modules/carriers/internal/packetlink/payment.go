package packetlink

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Payment saves how a carrier is paid.
type Payment struct {
	saver  *Saver
	stored *packet.Repository
}

// NewPayment returns a Payment.
func NewPayment(s *Saver, stored *packet.Repository) *Payment { return &Payment{s, stored} }

// save stores the account number encrypted, and its last four digits with the proposal.
func (s *Payment) save(ctx context.Context, text string, entered packet.RemitTo) (View, error) {
	return s.saver.save(ctx, text, func(ctx context.Context, p *packet.Packet) error {
		b, old := entered, p.Proposal.V.RemitTo // a copy, since this may run again
		if !p.Asks(packet.StepRemitTo) {
			return packet.ErrNotAsked
		}
		if unseen(&b.Seen, old.Read()) {
			return packet.ErrChanged
		}
		number, replaces := b.TakeAccount(old)
		if replaces {
			if err := s.stored.KeepAccount(ctx, p.ID, secret.Hide(number)); err != nil {
				return err
			}
		}
		p.Proposal.V.RemitTo = &b

		return nil
	})
}
