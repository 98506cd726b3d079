package packetlink

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// party is the party of a life cycle step that a link holder takes.
const party = "carrier"

// Saver saves what link holders enter.
type Saver struct {
	entrance *Entrance
	packets  *resource.Resource[packet.Packet]
	limits   *share.Service
	viewer   *Viewer
	clock    clock.Clock
}

// NewSaver returns a Saver.
func NewSaver(e *Entrance, packets *resource.Resource[packet.Packet], limits *share.Service, v *Viewer, c clock.Clock) *Saver {
	return &Saver{e, packets, limits, v, c}
}

// A carrier saves steps of a packet so often at most.
const savesPerHour, savesPerDay = 200, 600

// save changes the proposal of a packet by its link. The first change starts the packet.
func (s *Saver) save(ctx context.Context, text string, do func(ctx context.Context, p *packet.Packet) error) (View, error) {
	ctx, row, err := s.entrance.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	if row, err = s.change(ctx, row.ID, func(ctx context.Context, p *packet.Packet) error {
		if err := s.limits.AllowEntries(ctx, packet.Item+" "+p.ID.String(), 1, savesPerHour, savesPerDay); err != nil {
			return err
		}

		return do(ctx, p)
	}); err != nil {
		return View{}, err
	}

	return s.viewer.view(ctx, row)
}

// change is save without a limit, for a packet that was entered.
func (s *Saver) change(ctx context.Context, id uuid.UUID, do func(ctx context.Context, p *packet.Packet) error) (packet.Packet, error) {
	return s.packets.Change(ctx, id, web.IfMatch{}, "save", func(ctx context.Context, p *packet.Packet) error {
		if !p.Open() {
			return packet.ErrClosed
		}
		if err := do(ctx, p); err != nil {
			return err
		}
		if p.State == packet.Sent {
			p.StartedAt = new(s.clock.Now())

			return s.packets.Step(ctx, p, state.Move{Verb: string(packet.Start), Party: party})
		}

		return nil
	})
}

// unseen reports whether a step was saved after the caller read it, and sets the revision of s. old is nil for a step that was never
// saved.
func unseen(s, old *packet.Seen) bool {
	var current int64
	if old != nil && old.Revision != nil {
		current = *old.Revision
	}
	stale := s.Revision != nil && *s.Revision != current
	s.Revision = new(current + 1)

	return stale
}

// saveStep stores the entries of a step that the packet asks for.
func saveStep[E any, P interface {
	*E
	Read() *packet.Seen
}](ctx context.Context, s *Saver, text, step string, entries E, at func(*packet.Proposal) **E) (View, error) {
	return s.save(ctx, text, func(_ context.Context, p *packet.Packet) error {
		b, saved := entries, at(&p.Proposal.V) // a copy, since this may run again
		if !p.Asks(step) {
			return packet.ErrNotAsked
		}
		if unseen(P(&b).Read(), P(*saved).Read()) {
			return packet.ErrChanged
		}
		*saved = &b

		return nil
	})
}
