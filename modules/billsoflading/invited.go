package billsoflading

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/share"
)

// signersOf is whom a driver may send the link to sign a bill of lading: the contacts of the stops of its load, and few others of the countries of the stops.
func (k *book) signersOf(ctx context.Context, b bol) (*share.Outsider, error) {
	return k.outsiderOf(ctx, b.Load, b.ID.String()+" "+string(b.State))
}

// driversOf is how the driver of a dispatch is texted, whose phone the carrier names by a link: US, Canadian and Mexican numbers, and those of the stops.
func (k *book) driversOf(ctx context.Context, load, dispatch uuid.UUID) (*share.Outsider, error) {
	who, err := k.outsiderOf(ctx, load, "driver of "+dispatch.String())
	if err == nil {
		who.Countries = append(who.Countries, "MX")
	}

	return who, err
}

func (k *book) outsiderOf(ctx context.Context, of uuid.UUID, thing string) (*share.Outsider, error) {
	load, err := k.look(ctx, of.String())
	if err != nil {
		return nil, err
	}
	who := &share.Outsider{Thing: thing}
	for _, s := range load.Stops {
		who.Countries = append(who.Countries, s.Venue.Country)
		for _, c := range s.Contacts {
			who.Known = append(who.Known, c.Phones...)
		}
	}

	return who, nil
}
