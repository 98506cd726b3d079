// Package agreement has payment plans follow what payers and carriers have agreed on with the company.
package agreement

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Agreements knows what payers and carriers have agreed on with the company.
type Agreements struct {
	contacts contactsapi.Contacts
	hooks    *hook.Bus
	db       *database.DB
}

// New returns Agreements.
func New(c contactsapi.Contacts, hooks *hook.Bus, db *database.DB) *Agreements {
	return &Agreements{c, hooks, db}
}

// agreedWith returns what a payer and a carrier have agreed on with the company, each nil for none.
func (s *Agreements) agreedWith(ctx context.Context, payer, carrier *uuid.UUID) (loadsapi.AskingTerms, error) {
	about := loadsapi.AskingTerms{}
	if payer == nil && carrier == nil {
		return about, nil
	}
	if payer != nil {
		about.Payer = payer.String()
	}
	if carrier != nil {
		about.Carrier = carrier.String()
	}

	return about, s.db.InTx(ctx, func(ctx context.Context) error { return hook.Run(ctx, s.hooks, &about) })
}

// netDays is within how many days a payer pays an invoice: as was agreed on with it as a shipper, or else as a contact. Nil is as the template says.
func (s *Agreements) netDays(ctx context.Context, said loadsapi.AskingTerms) (*int64, error) {
	if said.NetDays != nil || said.Payer == "" {
		return said.NetDays, nil
	}
	found, err := s.contacts.Find(ctx, said.Payer)

	return found[said.Payer].NetDays, err
}

// FollowAgreed has a plan that a template makes be due as its payer and its carrier have agreed on. A line that was there before stays as it was, unless
// another contact pays it, or another carrier gets it, and nobody has agreed on it: the customer has not signed, and nothing was paid.
func (s *Agreements) FollowAgreed(ctx context.Context, was, l *store.Load) error {
	if l.PlanTemplate == "" || len(l.Plan.V) == 0 {
		return nil
	}
	var before []plan.Line
	if was != nil && was.PlanTemplate == l.PlanTemplate {
		before = was.Plan.V
	}
	left := plan.KeepTerms(l.Plan.V, before, func(old plan.Line) bool {
		switch {
		case plan.PaidOn(old, l.Payments.V, l.Currency):
			return true
		case old.From == store.Customer:
			return was.SignedAt != nil || store.SameID(was.Payer(), l.Payer())
		default:
			return store.SameID(was.Carrier, l.Carrier)
		}
	})
	if len(left) == 0 {
		return nil
	}
	said, err := s.agreedWith(ctx, l.Payer(), l.Carrier)
	if err != nil {
		return err
	}
	agreed := plan.Agreed{CarrierDays: said.CarrierDays, AtPickup: said.Terms == loadsapi.TermsCOP}
	if slices.ContainsFunc(left, (*plan.Line).Invoiced) {
		if agreed.NetDays, err = s.netDays(ctx, said); err != nil {
			return err
		}
	}
	for _, line := range left {
		agreed.Apply(line)
	}

	return nil
}

// ChoosePlan gives a load without a payment plan a template, when it is made and when it gets its payer: the one that suits the payer's terms, or else that of
// the settings for a new load.
func (s *Agreements) ChoosePlan(ctx context.Context, read terms.Read, c *resource.Change[store.Load]) error {
	l := c.After
	made := c.Verb == resource.Create
	paid := c.Verb == resource.Update && l.Payer() != nil && !store.SameID(c.Before.Payer(), l.Payer()) && l.SignedAt == nil && slices.Contains(store.Unsold, l.State)
	if l.PlanTemplate != "" || len(l.Plan.V) > 0 || !made && !paid {
		return nil
	}
	usual := terms.NoPlan
	if made {
		now, err := read(ctx)
		if err != nil {
			return err
		}
		usual = now.Plan
	}
	said, err := s.agreedWith(ctx, l.Payer(), nil)
	if err != nil {
		return err
	}
	if usual = plan.TemplateFor(said.Terms, usual); usual != terms.NoPlan {
		l.PlanTemplate = usual
	}

	return nil
}
