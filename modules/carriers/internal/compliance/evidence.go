// Package compliance judges carriers: whether one may take a load, by the regulator's facts, its papers and the company's rules.
package compliance

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Evidence is what verdicts are based on: the regulator's facts, and what the company knows.
type Evidence struct {
	payables *remit.Payables
	packets  *resource.Resource[packet.Packet]
	stored   *store.Repository
	registry *registry.Registry
}

// NewEvidence returns an Evidence.
func NewEvidence(p *remit.Payables, packets *resource.Resource[packet.Packet], stored *store.Repository, r *registry.Registry) *Evidence {
	return &Evidence{p, packets, stored, r}
}

// known is what a company knows of its carriers, by their ids.
type known struct {
	remitTos map[uuid.UUID]remit.Standing
	records  map[uuid.UUID]store.Record
	contacts map[uuid.UUID][]string
}

// ofCompany returns what the company knows of carriers until a day.
func (e *Evidence) ofCompany(ctx context.Context, today field.Date, ids ...uuid.UUID) (k known, err error) {
	if k.remitTos, err = e.payables.Of(ctx, ids...); err != nil {
		return k, err
	}
	if k.records, err = e.stored.Records(ctx, today, ids...); err != nil {
		return k, err
	}
	k.contacts, err = packet.Contacts(ctx, e.packets, ids...)

	return k, err
}

// own returns what the company knows of one of these carriers, with the insurance that is in force on a day.
func (k known) own(c *store.Carrier, day field.Date) verdict.Own {
	own := c.Own()
	own.Cargo = c.Cargo(day)
	k.remitTos[c.ID].Facts(&own)
	k.records[c.ID].Facts(&own)
	addContacts(&own, k.contacts[c.ID])

	return own
}

// regulator returns the regulator's facts about a carrier.
func (e *Evidence) regulator(ctx context.Context, c *store.Carrier) (regulatorapi.Facts, error) {
	return e.registry.Of(ctx, c.USDOT, c.Docket)
}

// addContacts adds the phones and e-mails of a carrier's packets to the facts about its contacts.
func addContacts(own *verdict.Own, contacts []string) {
	for _, contact := range contacts {
		if strings.Contains(contact, "@") {
			own.Emails = append(own.Emails, contact)
		} else {
			own.Phones = append(own.Phones, contact)
		}
	}
}
