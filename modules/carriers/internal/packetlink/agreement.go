package packetlink

import (
	"context"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Agreements store that carriers accept the agreement.
type Agreements struct {
	saver    *Saver
	requests *Requests
	clock    clock.Clock
}

// NewAgreements returns an Agreements.
func NewAgreements(s *Saver, r *Requests, c clock.Clock) *Agreements { return &Agreements{s, r, c} }

// origin is where an acceptance comes from.
type origin struct{ address, userAgent string }

// accept stores an acceptance of the agreement with its evidence.
func (s *Agreements) accept(ctx context.Context, text string, from origin, a packet.Acceptance) (View, error) {
	return s.saver.save(ctx, text, func(ctx context.Context, p *packet.Packet) error {
		if !p.Asks(packet.StepAgreement) {
			return packet.ErrNotAsked
		}
		if p.Proposal.V.Agreement != nil {
			return nil // already accepted, by a double click or by someone else
		}
		shown, err := s.requests.agreementOf(ctx, *p)
		if err != nil {
			return err
		}
		p.Proposal.V.Agreement, err = shown.accepted(a, from, s.clock.Now())

		return err
	})
}

// mostUserAgent is how many characters of a browser's name are kept.
const mostUserAgent = 500

// accepted is an acceptance of the agreement. Errors: packet.ErrChanged for another text than this one, packet.ErrNotAccepted.
func (a agreement) accepted(by packet.Acceptance, from origin, at time.Time) (*packet.Accepted, error) {
	switch {
	case by.Version != a.Version:
		return nil, packet.ErrChanged
	case strings.TrimSpace(by.Name) == "" || !by.Accepted:
		return nil, packet.ErrNotAccepted
	}
	agent := []rune(from.userAgent)

	return &packet.Accepted{
		Acceptance: by, Text: a.Text, At: at, Address: from.address, UserAgent: string(agent[:min(len(agent), mostUserAgent)]),
	}, nil
}
