package onboarding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

// applyTo changes a carrier as the packet proposes.
func (d decision) applyTo(c *store.Carrier) {
	if d.w9 {
		c.W9 = d.today
	}
	if d.acceptedOn != "" {
		c.Signed = d.acceptedOn
	}
	if d.proposal.Equipment != nil {
		equip(c, d.proposal.Equipment)
	}
	if d.proposal.Insurance != nil {
		insure(c, d.proposal.Insurance, d.certificate)
	}
	if d.proposal.Profile != nil {
		introduce(c, d.proposal.Profile)
	}
}

// introduce applies a profile.
func introduce(c *store.Carrier, p *packet.Profile) {
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
		made := store.Person{Name: name, Role: of.role, Phone: phone, Email: email}
		if at := slices.IndexFunc(people, func(p store.Person) bool { return p.Role == of.role && strings.EqualFold(p.Name, name) }); at >= 0 {
			people[at] = made
		} else {
			people = append(people, made)
		}
	}
	c.People.V = people
}

// equip replaces equipment and lanes. Empty lists change nothing.
func equip(c *store.Carrier, e *packet.Equipment) {
	if len(e.Units) > 0 {
		c.Equipment.V = make([]store.Equipment, len(e.Units))
		for i, u := range e.Units {
			c.Equipment.V[i] = store.Equipment(u)
		}
	}
	if len(e.Lanes) > 0 {
		c.Lanes.V = make([]store.Lane, len(e.Lanes))
		for i, l := range e.Lanes {
			c.Lanes.V[i] = store.Lane{From: l.From, To: l.To}
		}
	}
}

// insure adds unverified certificates. It replaces an unverified one of the same kind and number.
func insure(c *store.Carrier, i *packet.Insurance, certificate *uuid.UUID) {
	policies := slices.Clone(c.Insurance.V)
	for kind, p := range map[string]packet.Policy{"cargo": i.Cargo, "auto_liability": i.Liability} {
		cover, _ := packet.ParseMoney(p.Cover)
		deductible, _ := packet.ParseMoney(p.Deductible)
		made := store.Policy{
			Kind: kind, Insurer: strings.TrimSpace(p.Insurer), Number: strings.TrimSpace(p.Number), Cover: cover, Deductible: deductible,
			Effective: field.Date(p.Effective), Expires: field.Date(p.Expires), Exclusions: p.Exclusions, File: certificate,
		}
		if at := slices.IndexFunc(policies, func(p store.Policy) bool { return p.Kind == kind && p.Number == made.Number && p.Verified == "" }); at >= 0 {
			policies[at] = made
		} else {
			policies = append(policies, made)
		}
	}
	slices.SortStableFunc(policies, func(a, b store.Policy) int { return strings.Compare(a.Kind, b.Kind) })
	c.Insurance.V = policies
}

// redirection returns the remit-to of a packet as a proposed change.
func (d decision) redirection() remit.Proposal {
	r := d.proposal.RemitTo
	p := remit.Proposal{
		Kind: r.Kind, Payee: strings.TrimSpace(r.Payee), Method: r.Method, Bank: r.Bank, AccountType: r.AccountType, RequestedVia: "packet",
		Note: fmt.Sprintf("From the onboarding packet %s.", d.packet),
	}
	if d.proposal.Agreement != nil {
		p.RequestedBy = d.proposal.Agreement.Name
	}
	if r.Method == remit.ByCheck {
		p.Address = r.Address
	} else {
		p.Routing, p.AccountNumber = r.Routing, d.account.Reveal()
	}
	if r.Kind == remit.Factor && d.notice != nil {
		p.Notice, p.NoticeDate = d.notice, d.today
	}

	return p
}
