package parts

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
	"github.com/dispatchd/dispatchd/platform/web"
)

// atVenues is the reference of stops to the contacts at their venues, as what has moved names it.
const atVenues = "stops.venue.contact_uuid"

// VenueMover has stops follow contacts that are merged.
type VenueMover struct {
	loads *resource.Resource[store.Load]
}

// NewVenueMover returns a VenueMover.
func NewVenueMover(loads *resource.Resource[store.Load]) *VenueMover { return &VenueMover{loads} }

// MoveReferences implements resource.MovesReferences: the contacts at the venues of stops follow contacts that are merged.
func (s *VenueMover) MoveReferences(ctx context.Context, m resource.Moving) ([]resource.Moved, error) {
	only, all := m.Among(loadsapi.Load, atVenues)
	if m.Type != contactsapi.Item || !all && len(only) == 0 {
		return nil, nil
	}
	rows, err := s.loads.Where(ctx, "CAST(stops AS text) LIKE ?", "%"+m.From.String()+"%")
	if err != nil {
		return nil, err
	}
	var moved []uuid.UUID
	for _, row := range rows {
		names := slices.ContainsFunc(row.Stops.V, func(one store.Stop) bool { return one.Venue.Contact == m.From })
		if names && (all || slices.Contains(only, row.ID)) {
			moved = append(moved, row.ID)
		}
	}
	if len(moved) > moving.Most {
		return nil, moving.ErrTooMany.WithDetail("type", loadsapi.Load)
	}
	for _, id := range moved {
		if _, err := s.loads.Change(ctx, id, web.IfMatch{}, resource.Move, func(_ context.Context, l *store.Load) error {
			l.Stops.V = slices.Clone(l.Stops.V)
			for i := range l.Stops.V {
				if at := &l.Stops.V[i].Venue; at.Contact == m.From {
					at.Contact = m.To
				}
			}

			return nil
		}); err != nil {
			return nil, err
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}

	return []resource.Moved{{Of: loadsapi.Load, By: atVenues, Rows: moved}}, nil
}
