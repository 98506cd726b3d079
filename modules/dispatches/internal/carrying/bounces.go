package carrying

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
)

// Bounces keeps which carriers have given loads back.
type Bounces struct {
	incidents carriersapi.Incidents
	bus       *events.Bus
}

// NewBounces returns a Bounces.
func NewBounces(incidents carriersapi.Incidents, bus *events.Bus) *Bounces {
	return &Bounces{incidents, bus}
}

// Record reports an incident of the carrier that has given a load back, in a transaction.
func (b *Bounces) Record(ctx context.Context, row store.Dispatch, why preferences.Reason) error {
	kind := "bounce"
	if why.ID == "no_show" {
		kind = "no_show"
	}
	if _, err := b.incidents.Report(ctx, carriersapi.Report{
		Area: dispatchesapi.Area, Key: row.ID.String(), Carrier: row.Carrier.String(), Kind: kind, Title: "Dispatch " + row.Number + ": " + why.Label,
		Description: row.EndNote, ItemType: dispatchesapi.Dispatch, ItemUUID: row.ID.String(),
	}); err != nil {
		return err
	}

	return b.bus.Publish(ctx, dispatchesapi.Bounced{About: row.About()})
}
