package saving

import (
	"context"
	"errors"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Creditor asks the areas about what a change of a load lets its payer owe, and its carrier get.
type Creditor struct {
	loads *resource.Resource[store.Load]
	hooks *hook.Bus
}

// NewCreditor returns a Creditor.
func NewCreditor(loads *resource.Resource[store.Load], hooks *hook.Bus) *Creditor {
	return &Creditor{loads, hooks}
}

// askCredit asks whether the payer of a load gets credit: when it is booked, and when it owes more, or another contact does, before a carrier has it.
func (s *Creditor) askCredit(ctx context.Context, c *resource.Change[store.Load]) error {
	l := c.After
	if !slices.Contains(store.States(loadsapi.Booked, loadsapi.Ready), l.State) || c.Verb == store.VerbSplit || c.Verb == store.VerbMerge || l.Payer() == nil {
		return nil
	}
	amount := l.Credited()
	if was := c.Before; was != nil && slices.Contains(store.Owing, was.State) && was.Payer() != nil && *was.Payer() == *l.Payer() && was.Credited() >= amount {
		return nil
	}
	if amount == 0 {
		return nil
	}

	err := hook.Run(ctx, s.hooks, &loadsapi.AskingCredit{
		Load: l.ID.String(), Payer: l.Payer().String(), Amount: string(l.AmountOf(amount)), Currency: string(l.Currency), Planned: len(l.Plan.V) > 0,
		Owed: func(ctx context.Context) (string, error) { return s.owed(ctx, l) },
	})
	if refusal, is := errors.AsType[*errs.Error](err); is && l.CreditReason != "" && errs.IsRefusal(err) {
		l.Warn("loads.credit_overridden", "bill_to_uuid", "The load is booked all the same: "+refusal.Message)
		err = nil
	}

	return err
}

// owed is what the payer of a load is given credit for by its other loads in the same currency.
func (s *Creditor) owed(ctx context.Context, l *store.Load) (string, error) {
	others, err := s.loads.Where(ctx, "id <> ? AND currency = ? AND state IN ? AND billing <> ? AND (bill_to_id = ? OR bill_to_id IS NULL AND customer_id = ?)",
		l.ID, l.Currency, store.Owing, plan.Paid, *l.Payer(), *l.Payer())
	var sum int64
	for i := range others {
		sum += others[i].Credited()
	}

	return string(l.AmountOf(sum)), err
}

// askCarrying asks the areas about another pay of the carrier, and about vehicles that are picked up.
func (s *Creditor) askCarrying(ctx context.Context, c *resource.Change[store.Load]) error {
	if c.Before == nil {
		return nil
	}
	if err := s.askToReprice(ctx, c); err != nil {
		return err
	}

	return cargo.AskToPickUp(ctx, s.hooks, c.After.ID, c.Before.Vehicles.V, c.After.Vehicles.V)
}

// askToReprice asks the areas whether the carrier that has a load may get another pay.
func (s *Creditor) askToReprice(ctx context.Context, c *resource.Change[store.Load]) error {
	before, l := c.Before, c.After
	if before.Carrier == nil || l.Carrier == nil || *before.Carrier != *l.Carrier || before.CarrierPay == l.CarrierPay {
		return nil
	}

	return hook.Run(ctx, s.hooks, &loadsapi.Repricing{Load: l.ID.String(), Carrier: l.Carrier.String(), CarrierPay: string(l.CarrierPay)})
}
