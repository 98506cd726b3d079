package packetlink

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/onboarding"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Submitter submits packets for the company's decision.
type Submitter struct {
	entrance *Entrance
	packets  *resource.Resource[packet.Packet]
	progress *onboarding.Progress
	viewer   *Viewer
	clock    clock.Clock
}

// NewSubmitter returns a Submitter.
func NewSubmitter(e *Entrance, packets *resource.Resource[packet.Packet], p *onboarding.Progress, v *Viewer, c clock.Clock) *Submitter {
	return &Submitter{e, packets, p, v, c}
}

// submit submits a packet. Submitting it again changes nothing.
func (s *Submitter) submit(ctx context.Context, text string) (View, error) {
	ctx, row, err := s.entrance.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	row, err = s.packets.Change(ctx, row.ID, web.IfMatch{}, packet.Submit, func(ctx context.Context, p *packet.Packet) error {
		if p.State == packet.Submitted {
			return nil
		}
		if p.State != packet.Started {
			return packet.ErrClosed
		}
		steps, _, err := s.progress.Of(ctx, *p)
		if err != nil {
			return err
		}
		if err := packet.CheckComplete(steps); err != nil {
			return err
		}
		p.SubmittedAt = new(s.clock.Now())

		return s.packets.Step(ctx, p, state.Move{Verb: string(packet.Submit), Party: party})
	})
	if err != nil {
		return View{}, err
	}

	return s.viewer.view(ctx, row)
}
