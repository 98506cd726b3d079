package inbound

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// The most of inbound.memory that bodies take which come to one endpoint, and from one address. Behind a proxy that is not
// trusted all come from one: who knows one endpoint must not fill that share.
const (
	endpointPercent = 25
	addressPercent  = 50
)

// room is the memory for bodies.
type room struct{ endpoints, addresses, all *ratelimit.Shares[string] }

func newRoom(memory int64) room {
	const percent = 100

	return room{
		endpoints: ratelimit.NewShares[string](memory * endpointPercent / percent),
		addresses: ratelimit.NewShares[string](memory * addressPercent / percent),
		all:       ratelimit.NewShares[string](memory),
	}
}

// place is what one body takes of the room.
type place struct {
	size  int64
	parts [3]part
}

// part is what a body takes of a share. One that is larger than a share takes all of it.
type part struct {
	shares *ratelimit.Shares[string]
	key    string
	held   int64
}

func (r room) place(endpoint uuid.UUID, address string) place {
	return place{parts: [3]part{{shares: r.endpoints, key: endpoint.String()}, {shares: r.addresses, key: address}, {shares: r.all}}}
}

// grow takes n bytes more, and waits for them until ctx ends.
func (p *place) grow(ctx context.Context, n int64) error {
	p.size += n
	for i := range p.parts {
		part := &p.parts[i]
		more := min(p.size, part.shares.Most()) - part.held
		if err := part.shares.Acquire(ctx, part.key, more); err != nil {
			return err
		}
		part.held += more
	}

	return nil
}

// leave gives everything back.
func (p *place) leave() {
	for _, part := range p.parts {
		if part.held > 0 {
			part.shares.Release(part.key, part.held)
		}
	}
}
