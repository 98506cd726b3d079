package loads

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// owing are the states of loads whose customers may owe something.
var owing = []loadsapi.State{loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}

// payer is the contact that is invoiced, nil for none.
func (l *load) payer() *uuid.UUID {
	if l.BillTo != nil {
		return l.BillTo
	}

	return l.Customer
}

// credited is what the payer of a load is given credit for, in units: what it owes to the broker beyond what is due at the booking. Without a payment plan,
// that is all that is left to pay.
func (l *load) credited() int64 {
	if len(l.Plan.V) == 0 {
		return max(0, l.balance().Customer)
	}

	return plan.OnCredit(l.Plan.V, l.Payments.V, l.Currency)
}

// askCredit asks whether the payer of a load gets credit: when it is booked, and when it owes more, or another contact does, before a carrier has it.
func (s *service) askCredit(ctx context.Context, c *resource.Change[load]) error {
	l := c.After
	if !slices.Contains(of(loadsapi.Booked, loadsapi.Ready), l.State) || c.Verb == verbSplit || c.Verb == verbMerge || l.payer() == nil {
		return nil
	}
	amount := l.credited()
	if was := c.Before; was != nil && slices.Contains(owing, was.State) && was.payer() != nil && *was.payer() == *l.payer() && was.credited() >= amount {
		return nil
	}
	if amount == 0 {
		return nil
	}

	err := hook.Run(ctx, s.hooks, &loadsapi.AskingCredit{
		Load: l.ID.String(), Payer: l.payer().String(), Amount: string(l.amountOf(amount)), Currency: string(l.Currency), Planned: len(l.Plan.V) > 0,
		Owed: func(ctx context.Context) (string, error) { return s.owed(ctx, l) },
	})
	if refusal, is := errors.AsType[*errs.Error](err); is && l.CreditReason != "" && errs.IsRefusal(err) {
		l.warn("loads.credit_overridden", "bill_to_uuid", "The load is booked all the same: "+refusal.Message)
		err = nil
	}

	return err
}

// owed is what the payer of a load is given credit for by its other loads in the same currency.
func (s *service) owed(ctx context.Context, l *load) (string, error) {
	others, err := s.loads.Where(ctx, "id <> ? AND currency = ? AND state IN ? AND billing <> ? AND (bill_to_id = ? OR bill_to_id IS NULL AND customer_id = ?)",
		l.ID, l.Currency, owing, plan.Paid, *l.payer(), *l.payer())
	var sum int64
	for i := range others {
		sum += others[i].credited()
	}

	return string(l.amountOf(sum)), err
}

// choose returns why some carriers may not have a load, by carrier, as its customer and payer want it.
func (s *service) choose(ctx context.Context, l *load, carriers ...string) (map[string]error, error) {
	about := loadsapi.ChoosingCarriers{Load: l.ID.String(), Carriers: carriers, Refused: map[string]error{}}
	for _, id := range []*uuid.UUID{l.Customer, l.payer()} {
		if id != nil && !slices.Contains(about.Contacts, id.String()) {
			about.Contacts = append(about.Contacts, id.String())
		}
	}
	if len(about.Contacts) == 0 || len(carriers) == 0 {
		return nil, nil //nolint:nilnil // nobody is refused
	}
	err := hook.Run(ctx, s.hooks, &about)

	return about.Refused, err
}
