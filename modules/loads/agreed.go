package loads

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// agreedWith returns what a payer and a carrier have agreed on with the company, each nil for none.
func (s *service) agreedWith(ctx context.Context, payer, carrier *uuid.UUID) (loadsapi.AskingTerms, error) {
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
func (s *service) netDays(ctx context.Context, said loadsapi.AskingTerms) (*int64, error) {
	if said.NetDays != nil || said.Payer == "" {
		return said.NetDays, nil
	}
	found, err := s.contacts.Find(ctx, said.Payer)

	return found[said.Payer].NetDays, err
}

// followAgreed has a plan that a template makes be due as its payer and its carrier have agreed on. A line that was there before stays as it was, unless
// another contact pays it, or another carrier gets it, and nobody has agreed on it: the customer has not signed, and nothing was paid.
func (s *service) followAgreed(ctx context.Context, was, l *load) error {
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
		case old.From == customer:
			return was.SignedAt != nil || is(was.payer(), l.payer())
		default:
			return is(was.Carrier, l.Carrier)
		}
	})
	if len(left) == 0 {
		return nil
	}
	said, err := s.agreedWith(ctx, l.payer(), l.Carrier)
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

// is reports whether two references name the same, or both nothing.
func is(a, b *uuid.UUID) bool {
	if a == nil || b == nil {
		return a == b
	}

	return *a == *b
}

// choosePlan gives a load without a payment plan a template, when it is made and when it gets its payer: the one that suits the payer's terms, or else that of
// the settings for a new load.
func (s *service) choosePlan(ctx context.Context, b *batch, c *resource.Change[load]) error {
	l := c.After
	made := c.Verb == resource.Create
	paid := c.Verb == resource.Update && l.payer() != nil && !is(c.Before.payer(), l.payer()) && l.SignedAt == nil && slices.Contains(unsold, l.State)
	if l.PlanTemplate != "" || len(l.Plan.V) > 0 || !made && !paid {
		return nil
	}
	usual := terms.NoPlan
	if made {
		now, err := s.terms(ctx, b)
		if err != nil {
			return err
		}
		usual = now.Plan
	}
	said, err := s.agreedWith(ctx, l.payer(), nil)
	if err != nil {
		return err
	}
	if usual = plan.TemplateFor(said.Terms, usual); usual != terms.NoPlan {
		l.PlanTemplate = usual
	}

	return nil
}
