package packetlink

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Entrance lets the holders of links to their packets.
type Entrance struct {
	links   *link.Service
	packets *resource.Resource[packet.Packet]
}

// NewEntrance returns an Entrance.
func NewEntrance(links *link.Service, packets *resource.Resource[packet.Packet]) *Entrance {
	return &Entrance{links, packets}
}

// enter returns the packet of a valid link and the context of its company. It changes nothing.
func (e *Entrance) enter(ctx context.Context, text string) (context.Context, packet.Packet, error) {
	ctx, found, err := e.links.Enter(ctx, packet.Purpose, text)
	if err != nil {
		return ctx, packet.Packet{}, err
	}
	row, err := e.packets.Find(ctx, found.Subject.ID)
	if errors.Is(err, e.packets.NotFound()) || err == nil && (row.State == packet.Revoked || row.State == packet.Expired) {
		err = packet.ErrGone
	}

	return ctx, row, err
}
