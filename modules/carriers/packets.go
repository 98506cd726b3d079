package carriers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Verbs of changes of carriers by packets.
const (
	applyPacket   resource.Verb = "packet_applied"
	packetChanged resource.Verb = "packet_changed"
)

// onboarding implements packet.Carriers.
type onboarding struct {
	carriers *resource.Resource[carrier]
	registry *registry.Registry
	remits   *remits
}

func newOnboarding(carriers *resource.Resource[carrier], g *registry.Registry, r *remits) *onboarding {
	return &onboarding{carriers, g, r}
}

// newNeighbours returns the services that packets use.
func newNeighbours(
	o *onboarding, i *identities, files attachmentsapi.Files, uploads attachmentsapi.Uploads, brands companiesapi.Brands,
) packet.Neighbours {
	return packet.Neighbours{
		Carriers: o, Identities: i, Files: files, Uploads: uploads, Brands: brands,
		Missing: i.carriers.NotFound(), Refusals: []*errs.Error{errCarrier, remit.ErrInvalid},
	}
}

// Known implements packet.Carriers.
func (o *onboarding) Known(ctx context.Context, id uuid.UUID) (k packet.Known, err error) {
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

// Apply implements packet.Carriers.
func (o *onboarding) Apply(ctx context.Context, id uuid.UUID, d packet.Decision) error {
	_, err := o.carriers.Change(ctx, id, web.IfMatch{}, applyPacket, func(_ context.Context, c *carrier) error {
		if d.W9 {
			c.W9 = d.Today
		}
		if d.AcceptedOn != "" {
			c.Signed = d.AcceptedOn
		}
		if d.Proposal.Equipment != nil {
			c.equip(d.Proposal.Equipment)
		}
		if d.Proposal.Insurance != nil {
			c.insure(d.Proposal.Insurance, d.Certificate)
		}

		return c.introduce(d.Proposal.Profile)
	})
	if err != nil || d.Proposal.RemitTo == nil {
		return err
	}
	_, err = o.remits.propose(ctx, id, redirection(d))

	return err
}

// introduce applies a profile.
func (c *carrier) introduce(p *packet.Profile) error {
	if p == nil {
		return nil
	}
	c.LegalName, c.DBA = strings.TrimSpace(p.LegalName), strings.TrimSpace(p.DBA)
	if phone, ok := packet.ParsePhone(p.Phone); ok && phone != "" {
		c.Phone = phone
	}
	if email, ok := packet.ParseEmail(p.Email); ok && email != "" {
		c.Email = email
	}
	people := slices.Clone(c.People.V)
	for _, of := range []struct{ role, name, phone, email string }{
		{"dispatch", p.DispatchName, p.DispatchPhone, p.DispatchEmail}, {"billing", p.BillingName, p.BillingPhone, p.BillingEmail},
	} {
		name := strings.TrimSpace(of.name)
		if name == "" {
			continue
		}
		phone, _ := packet.ParsePhone(of.phone)
		email, _ := packet.ParseEmail(of.email)
		made := person{Name: name, Role: of.role, Phone: phone, Email: email}
		if at := slices.IndexFunc(people, func(p person) bool { return p.Role == of.role && strings.EqualFold(p.Name, name) }); at >= 0 {
			people[at] = made
		} else {
			people = append(people, made)
		}
	}
	c.People.V = people

	return nil
}

// equip replaces equipment and lanes. Empty lists change nothing.
func (c *carrier) equip(e *packet.Equipment) {
	if len(e.Units) > 0 {
		c.Equipment.V = make([]equipment, len(e.Units))
		for i, u := range e.Units {
			c.Equipment.V[i] = equipment(u)
		}
	}
	if len(e.Lanes) > 0 {
		c.Lanes.V = make([]lane, len(e.Lanes))
		for i, l := range e.Lanes {
			c.Lanes.V[i] = lane{From: l.From, To: l.To}
		}
	}
}

// insure adds unverified certificates. It replaces an unverified one of the same kind and number.
func (c *carrier) insure(i *packet.Insurance, certificate *uuid.UUID) {
	policies := slices.Clone(c.Insurance.V)
	for kind, p := range map[string]packet.Policy{"cargo": i.Cargo, "auto_liability": i.Liability} {
		cover, _ := packet.ParseMoney(p.Cover)
		deductible, _ := packet.ParseMoney(p.Deductible)
		made := policy{
			Kind: kind, Insurer: strings.TrimSpace(p.Insurer), Number: strings.TrimSpace(p.Number), Cover: cover, Deductible: deductible,
			Effective: field.Date(p.Effective), Expires: field.Date(p.Expires), Exclusions: p.Exclusions, File: certificate,
		}
		if at := slices.IndexFunc(policies, func(p policy) bool { return p.Kind == kind && p.Number == made.Number && p.Verified == "" }); at >= 0 {
			policies[at] = made
		} else {
			policies = append(policies, made)
		}
	}
	slices.SortStableFunc(policies, func(a, b policy) int { return strings.Compare(a.Kind, b.Kind) })
	c.Insurance.V = policies
}

// redirection returns the remit-to of a packet as a proposed change.
func redirection(d packet.Decision) remit.Proposal {
	r := d.Proposal.RemitTo
	p := remit.Proposal{
		Kind: r.Kind, Payee: strings.TrimSpace(r.Payee), Method: r.Method, Bank: r.Bank, AccountType: r.AccountType, RequestedVia: "packet",
		Note: fmt.Sprintf("From the onboarding packet %s.", d.Packet),
	}
	if d.Proposal.Agreement != nil {
		p.RequestedBy = d.Proposal.Agreement.Name
	}
	if r.Method == remit.ByCheck {
		p.Address = r.Address
	} else {
		p.Routing, p.AccountNumber = r.Routing, d.Account.Reveal()
	}
	if r.Kind == remit.Factor && d.Notice != nil {
		p.Notice, p.NoticeDate = d.Notice, d.Today
	}

	return p
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

// packetStates keep the state of its newest packet with each carrier.
type packetStates struct {
	carriers *resource.Resource[carrier]
	packets  *resource.Resource[packet.Packet]
	roster   *roster
	rechecks *rechecks
}

func newPacketStates(
	carriers *resource.Resource[carrier], packets *resource.Resource[packet.Packet], r *roster, again *rechecks,
) *packetStates {
	return &packetStates{carriers, packets, r, again}
}

// afterPacket updates packet_state of the carriers whose packets change, and has their verdicts checked again.
func (p *packetStates) afterPacket(ctx context.Context, all []*resource.Change[packet.Packet]) error {
	var ids []uuid.UUID
	for _, c := range all {
		ids = append(ids, c.After.Carrier)
		if c.Before != nil {
			ids = append(ids, c.Before.Carrier) // a merge of carriers moves packets
		}
	}
	ids = distinct(ids)
	rows, err := p.roster.holdSome(ctx, ids) // packets of one carrier may change at the same time
	if err != nil {
		return err
	}
	states, err := packet.States(ctx, p.packets, all, ids...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Packet == states[row.ID] || row.MergedInto != nil {
			continue
		}
		if _, err := p.carriers.Change(ctx, row.ID, web.IfMatch{}, packetChanged, func(_ context.Context, c *carrier) error {
			c.Packet = states[row.ID]

			return nil
		}); err != nil {
			return err
		}
	}

	return p.rechecks.enqueue(ctx, ids)
}
