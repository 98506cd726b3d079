// Package onboarding sends packets to carriers, and applies those that the company approves to the records of the carriers.
package onboarding

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Verbs of changes of carriers by packets.
const (
	applyPacket   resource.Verb = "packet_applied"
	packetChanged resource.Verb = "packet_changed"
)

// Carriers reads and changes the records of carriers for packets.
type Carriers struct {
	carriers *resource.Resource[store.Carrier]
	registry *registry.Registry
	proposer *remit.Proposer
}

// NewCarriers returns a Carriers.
func NewCarriers(carriers *resource.Resource[store.Carrier], g *registry.Registry, r *remit.Proposer) *Carriers {
	return &Carriers{carriers, g, r}
}

// missing is the error of a carrier that does not exist.
func (o *Carriers) missing() *errs.Error { return o.carriers.NotFound() }

// Known returns what the company and the regulator know of a carrier. Error: carriers.carrier_not_found.
func (o *Carriers) Known(ctx context.Context, id uuid.UUID) (k packet.Known, err error) {
	row, err := o.carriers.Find(ctx, id)
	if err != nil {
		return k, err
	}
	f, err := o.registry.Of(ctx, row.USDOT, row.Docket)
	if err != nil {
		return k, err
	}
	k = packet.Known{LegalName: row.LegalName, DBA: row.DBA, Phone: string(row.Phone), Email: string(row.Email), Units: []packet.Unit{}, Lanes: []packet.Lane{}}
	k.Record = packet.Record{LegalName: f.Identity.LegalName, DBA: f.Identity.DBA, Phone: f.Identity.Phone, Email: f.Identity.Email}
	if row.USDOT != nil {
		k.USDOT = *row.USDOT
	}
	if row.Docket != nil {
		k.Docket = *row.Docket
	}
	for _, e := range row.Equipment.V {
		k.Units = append(k.Units, packet.Unit(e))
	}
	for _, l := range row.Lanes.V {
		k.Lanes = append(k.Lanes, packet.Lane{From: l.From, To: l.To})
	}

	return k, nil
}

// apply writes an approved packet into the record of its carrier. It joins the caller's transaction.
func (o *Carriers) apply(ctx context.Context, id uuid.UUID, d decision) error {
	_, err := o.carriers.Change(ctx, id, web.IfMatch{}, applyPacket, func(_ context.Context, c *store.Carrier) error {
		d.applyTo(c)

		return nil
	})
	if err != nil || d.proposal.RemitTo == nil {
		return err
	}
	_, err = o.proposer.Propose(ctx, id, d.redirection())

	return err
}
