package packet

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// Contacts returns the phones and e-mails that open packets were sent to or have in their profile, by carrier.
func Contacts(ctx context.Context, packets *resource.Resource[Packet], carriers ...uuid.UUID) (map[uuid.UUID][]string, error) {
	rows, err := packets.Where(ctx, "carrier_id IN ? AND state IN ('sent', 'started', 'submitted')", carriers)
	all := map[uuid.UUID][]string{}
	for _, row := range rows {
		if row.To != "" {
			all[row.Carrier] = append(all[row.Carrier], row.To)
		}
		all[row.Carrier] = append(all[row.Carrier], row.Proposal.V.Emails()...)
	}

	return all, err
}

// States returns the states of the newest packets of some carriers, after the given changes.
func States(
	ctx context.Context, packets *resource.Resource[Packet], changes []*resource.Change[Packet], carriers ...uuid.UUID,
) (map[uuid.UUID]State, error) {
	rows, err := packets.Where(ctx, "carrier_id IN ?", carriers)

	return newestStates(rows, changes, carriers), err
}

// newestStates returns the states of the newest packets of carriers, None for those without one, after changes of the rows.
func newestStates(rows []Packet, changes []*resource.Change[Packet], carriers []uuid.UUID) map[uuid.UUID]State {
	after := make(map[uuid.UUID]*Packet, len(rows)+len(changes))
	for i := range rows {
		after[rows[i].ID] = &rows[i]
	}
	for _, c := range changes {
		after[c.After.ID] = c.After
		if c.Verb == resource.Delete {
			delete(after, c.After.ID)
		}
	}
	newest := map[uuid.UUID]*Packet{}
	for _, p := range after {
		if n := newest[p.Carrier]; n == nil || bytes.Compare(n.ID[:], p.ID[:]) < 0 {
			newest[p.Carrier] = p
		}
	}
	states := make(map[uuid.UUID]State, len(carriers))
	for _, id := range carriers {
		states[id] = None
		if p := newest[id]; p != nil {
			states[id] = p.State
		}
	}

	return states
}
