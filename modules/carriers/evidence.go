package carriers

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// evidence is what verdicts are based on: the regulator's facts, and what the company knows.
type evidence struct {
	payables *remit.Payables
	packets  *resource.Resource[packet.Packet]
	stored   *repository
	registry *registry.Registry
}

func newEvidence(p *remit.Payables, packets *resource.Resource[packet.Packet], stored *repository, r *registry.Registry) *evidence {
	return &evidence{p, packets, stored, r}
}

// known is what a company knows of its carriers, by their ids.
type known struct {
	remitTos map[uuid.UUID]remit.Standing
	records  map[uuid.UUID]record
	contacts map[uuid.UUID][]string
}

// ofCompany returns what the company knows of carriers until a day.
func (e *evidence) ofCompany(ctx context.Context, today field.Date, ids ...uuid.UUID) (k known, err error) {
	if k.remitTos, err = e.payables.Of(ctx, ids...); err != nil {
		return k, err
	}
	if k.records, err = e.records(ctx, today, ids...); err != nil {
		return k, err
	}
	k.contacts, err = packet.Contacts(ctx, e.packets, ids...)

	return k, err
}

// own returns what the company knows of one of these carriers, with the insurance that is in force on a day.
func (k known) own(c *carrier, day field.Date) verdict.Own {
	own := c.own()
	own.Cargo = c.cargo(day)
	k.remitTos[c.ID].Facts(&own)
	k.records[c.ID].facts(&own)
	addContacts(&own, k.contacts[c.ID])

	return own
}

// regulator returns the regulator's facts about a carrier.
func (e *evidence) regulator(ctx context.Context, c *carrier) (regulatorapi.Facts, error) {
	return e.registry.Of(ctx, c.USDOT, c.Docket)
}

// records returns the records of carriers until a day, without empty ones.
func (e *evidence) records(ctx context.Context, today field.Date, carriers ...uuid.UUID) (map[uuid.UUID]record, error) {
	day, err := time.Parse(time.DateOnly, string(today))
	if err != nil {
		return nil, err
	}
	rows, err := e.stored.incidents(ctx, field.Date(day.AddDate(0, 0, -remembered).Format(time.DateOnly)), carriers)
	all := map[uuid.UUID]record{}
	for _, row := range rows {
		of := all[row.CarrierID]
		switch {
		case row.State == string(incidentOpen):
			of.Open += row.N
		case row.Confirmed:
			of.Confirmed += row.N
		}
		if slices.Contains(bounces, row.Kind) && (row.Confirmed || row.State == string(incidentOpen)) {
			of.Bounces += row.N
		}
		all[row.CarrierID] = of
	}

	return all, err
}
