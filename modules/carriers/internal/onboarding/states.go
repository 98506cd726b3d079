package onboarding

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/compliance"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// States keep the state of its newest packet with each carrier.
type States struct {
	carriers *resource.Resource[store.Carrier]
	packets  *resource.Resource[packet.Packet]
	roster   *store.Roster
	rechecks *compliance.Scheduler
}

// NewStates returns a States.
func NewStates(
	carriers *resource.Resource[store.Carrier], packets *resource.Resource[packet.Packet], r *store.Roster, again *compliance.Scheduler,
) *States {
	return &States{carriers, packets, r, again}
}

// AfterPacket updates packet_state of the carriers whose packets change, and has their verdicts checked again.
func (p *States) AfterPacket(ctx context.Context, all []*resource.Change[packet.Packet]) error {
	var ids []uuid.UUID
	for _, c := range all {
		ids = append(ids, c.After.Carrier)
		if c.Before != nil {
			ids = append(ids, c.Before.Carrier) // a merge of carriers moves packets
		}
	}
	ids = store.Distinct(ids)
	rows, err := p.roster.HoldSome(ctx, ids) // packets of one carrier may change at the same time
	if err != nil {
		return err
	}
	states, err := packet.States(ctx, p.packets, all, ids...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Packet == states[row.ID] || row.MergedInto != nil {
			continue
		}
		if _, err := p.carriers.Change(ctx, row.ID, web.IfMatch{}, packetChanged, func(_ context.Context, c *store.Carrier) error {
			c.Packet = states[row.ID]

			return nil
		}); err != nil {
			return err
		}
	}

	return p.rechecks.Schedule(ctx, ids...)
}
