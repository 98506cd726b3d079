package billsoflading

import (
	"context"
	"encoding/json"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/share"
)

// signersOf is whom a driver may send the link to sign a bill of lading: the contacts of the stops of its load, and few others of the countries of the stops.
func signersOf(ctx context.Context, k *book, b bol) (*share.Outsider, error) {
	seen, err := k.coverage.Seen(ctx, b.Load.String(), loadsapi.Carrier)
	if err != nil {
		return nil, err
	}
	var load struct {
		Stops []struct {
			Venue struct {
				Country string `json:"country"`
			} `json:"venue"`
			Contacts []struct {
				Phones []string `json:"phones"`
			} `json:"contacts"`
		} `json:"stops"`
	}
	if err := json.Unmarshal(seen, &load); err != nil {
		return nil, err
	}
	who := &share.Outsider{Thing: b.ID.String() + " " + string(b.State)}
	for _, s := range load.Stops {
		who.Countries = append(who.Countries, s.Venue.Country)
		for _, c := range s.Contacts {
			who.Known = append(who.Known, c.Phones...)
		}
	}

	return who, nil
}
