package directory

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// prospects implements carriersapi.Prospects.
type prospects struct {
	carriers *resource.Resource[store.Carrier]
	rows     *store.Repository
}

// NewProspects returns the prospects of other areas.
func NewProspects(carriers *resource.Resource[store.Carrier], rows *store.Repository) carriersapi.Prospects {
	return prospects{carriers, rows}
}

// Prospect implements carriersapi.Prospects.
func (p prospects) Prospect(ctx context.Context, n carriersapi.NewProspect) (string, error) {
	row, err := p.rows.ReachedBy(ctx, n.Email, n.Phone)
	if errors.Is(err, store.ErrNone) {
		row, err = p.carriers.Create(ctx, store.Carrier{
			LegalName: n.Name, Email: field.Email(n.Email), Phone: field.Phone(n.Phone), Status: store.Active, Packet: packet.None, Prospect: true,
		})
	}

	return row.ID.String(), err
}
