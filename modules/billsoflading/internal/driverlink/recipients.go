package driverlink

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Recipients decides to whom people with a link may have the company send something.
type Recipients struct{ views loadsapi.Views }

// NewRecipients returns Recipients.
func NewRecipients(v loadsapi.Views) *Recipients { return &Recipients{v} }

// signers are those to whom a driver may send the link to sign a bill of lading: the contacts of the stops of its load, and a few others in the countries
// of the stops.
func (k *Recipients) signers(ctx context.Context, b store.Bol) (*share.Outsider, error) {
	return k.of(ctx, b.Load, b.ID.String()+" "+string(b.State))
}

// drivers are the phones of the driver of a dispatch, which the carrier names by a link: US, Canadian and Mexican numbers, and those of the stops.
func (k *Recipients) drivers(ctx context.Context, load, dispatch uuid.UUID) (*share.Outsider, error) {
	who, err := k.of(ctx, load, "driver of "+dispatch.String())
	if err == nil {
		who.Countries = append(who.Countries, "MX")
	}

	return who, err
}

func (k *Recipients) of(ctx context.Context, id uuid.UUID, thing string) (*share.Outsider, error) {
	seen, err := k.views.Carrier(ctx, id.String())
	if err != nil {
		return nil, err
	}
	who := &share.Outsider{Thing: thing}
	for _, s := range seen.Load.Stops {
		who.Countries = append(who.Countries, s.Venue.Country)
		for _, c := range s.Contacts {
			who.Known = append(who.Known, c.Phones...)
		}
	}

	return who, nil
}
