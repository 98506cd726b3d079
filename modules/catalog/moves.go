package catalog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Customers with prices of their own are contacts, of an area that a company may do without.
const (
	contactItem = "contacts.contact"
	serviceItem = "catalog.service"
	byOverride  = "price_overrides.contact_uuid"
)

// moves has special prices follow contacts that are merged.
type moves struct{ services *resource.Resource[service] }

func newMoves(services *resource.Resource[service]) moves { return moves{services} }

// follow implements resource.MovesReferences. Where the other contact has a price of its own at that time, it keeps that one.
func (v moves) follow(ctx context.Context, m resource.Moving) ([]resource.Moved, error) {
	only, all := m.Among(serviceItem, byOverride)
	if m.Type != contactItem || !all && len(only) == 0 {
		return nil, nil
	}
	rows, err := v.services.Where(ctx, "CAST(price_overrides AS text) LIKE ?", "%"+m.From.String()+"%")
	if err != nil {
		return nil, err
	}
	var moved []uuid.UUID
	for _, row := range rows {
		if !row.moveOverrides(m.From, m.To) || !all && !slices.Contains(only, row.ID) {
			continue
		}
		if moved = append(moved, row.ID); len(moved) > moving.Most {
			return nil, moving.ErrTooMany.WithDetail("type", serviceItem)
		}
		if _, err := v.services.Change(ctx, row.ID, web.IfMatch{}, resource.Move, func(_ context.Context, s *service) error {
			s.moveOverrides(m.From, m.To)

			return nil
		}); err != nil {
			return nil, err
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}

	return []resource.Moved{{Of: serviceItem, By: byOverride, Rows: moved}}, nil
}

// moveOverrides has the prices of one contact be those of another one, as far as it has none of its own at that time. It reports whether there are such prices.
func (s *service) moveOverrides(from, to uuid.UUID) (moved bool) {
	now := slices.Clone(s.PriceOverrides.V)
	for i, o := range now {
		if o.Contact == nil || *o.Contact != from {
			continue
		}
		taken := slices.ContainsFunc(now, func(other override) bool { return other.Contact != nil && *other.Contact == to && o.overlaps(other) })
		if !taken {
			now[i].Contact, moved = &to, true
		}
	}
	s.PriceOverrides.V = now

	return moved
}
