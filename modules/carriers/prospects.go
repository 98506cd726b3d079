package carriers

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// errNobody says that no carrier is reached so.
var errNobody = errors.New("nobody")

// prospects implements carriersapi.Prospects.
type prospects struct {
	carriers *resource.Resource[carrier]
	rows     *repository
}

func newProspects(carriers *resource.Resource[carrier], rows *repository) carriersapi.Prospects {
	return prospects{carriers, rows}
}

// Prospect implements carriersapi.Prospects.
func (p prospects) Prospect(ctx context.Context, n carriersapi.NewProspect) (string, error) {
	row, err := p.rows.reachedBy(ctx, n.Email, n.Phone)
	if errors.Is(err, errNobody) {
		row, err = p.carriers.Create(ctx, carrier{LegalName: n.Name, Email: field.Email(n.Email), Phone: field.Phone(n.Phone), Status: active, Packet: packet.None, Prospect: true})
	}

	return row.ID.String(), err
}
