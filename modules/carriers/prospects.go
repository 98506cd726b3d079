package carriers

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
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

// Name implements carriersapi.Prospects.
func (p prospects) Name(ctx context.Context, id, usdot string) error {
	number, err := parseUSDOT(usdot)
	if err != nil {
		return carriersapi.ErrUSDOT.WithField("usdot", "The usdot must be a USDOT number: up to eight digits.")
	}
	_, err = p.carriers.Change(ctx, item.ID(id), web.IfMatch{}, resource.Update, func(_ context.Context, c *carrier) error {
		if c.Prospect && c.USDOT == nil {
			c.USDOT = new(number.String())
		}

		return nil
	})
	if errs.KindOf(err) == errs.Conflict && err != nil {
		return carriersapi.ErrKnown
	}

	return err
}
