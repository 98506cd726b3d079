package subscriptions

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Collector bills and collects what subscriptions owe.
type Collector struct {
	life      *Life
	wallet    *charging.Wallet
	charges   *charging.Charges
	bills     *invoicing.Bills
	companies *identity.Service
}

// NewCollector returns a Collector.
func NewCollector(l *Life, w *charging.Wallet, c *charging.Charges, b *invoicing.Bills, companies *identity.Service) *Collector {
	return &Collector{life: l, wallet: w, charges: c, bills: b, companies: companies}
}

// planLine is the line of a plan for the current period.
func planLine(sub *store.Subscription, name string) []terms.Line {
	if units := sub.Running().Price.Units; units == 0 {
		return nil
	}

	return []terms.Line{{
		Kind: terms.LinePlan, Description: name, Plan: sub.Code, From: sub.PeriodStart, Until: sub.PeriodEnd, Amount: sub.Price,
	}}
}

// bill issues an invoice for lines and what is pending, and charges it. Present says that the caller can confirm the payment.
func (c *Collector) bill(ctx context.Context, sub *store.Subscription, lines []terms.Line, present bool) error {
	if err := c.issue(ctx, sub, lines); err != nil {
		return err
	}

	return c.Collect(ctx, sub, present)
}

// issue issues an invoice for lines and what is pending.
func (c *Collector) issue(ctx context.Context, sub *store.Subscription, lines []terms.Line) error {
	today, err := c.life.Today(ctx)
	if err != nil {
		return err
	}
	_, err = c.bills.Issue(ctx, sub, append(append([]terms.Line{}, sub.Pending.V...), lines...), today)

	return err
}

// Collect charges the open invoices of a subscription, the oldest first. It goes on with the next one when a charge succeeds at once, and
// leaves out invoices whose payment is pending, and cards that are being saved.
func (c *Collector) Collect(ctx context.Context, sub *store.Subscription, present bool) error {
	open, err := c.bills.Open(ctx, sub.ID)
	if err != nil {
		return err
	}
	waiting := false
	for _, i := range open {
		pending, err := c.charges.Pending(ctx, i.ID)
		if err != nil {
			return err
		}
		if waiting = waiting || pending; pending {
			continue
		}
		saving, err := c.saving(ctx, sub)
		if err != nil || saving {
			return err
		}
		a, err := c.charges.Charge(ctx, sub, i, present)
		if err != nil {
			return err
		}
		switch a.Payment.State {
		case store.PaymentFailed:
			return c.failed(ctx, sub, a)
		case store.PaymentPending:
			waiting = true
		case store.PaymentCaptured:
			if err := c.charges.Apply(ctx, a.Payment); err != nil {
				return err
			}
		}
	}
	if waiting {
		return nil
	}

	return c.Recovered(ctx, sub)
}

// saving reports whether the card of a subscription is being saved: it is charged when it is.
func (c *Collector) saving(ctx context.Context, sub *store.Subscription) (bool, error) {
	if sub.Card == "" {
		return false, nil
	}
	all, err := c.wallet.Cards(ctx)
	if err != nil {
		return false, err
	}
	for _, card := range all {
		if card.UUID == string(sub.Card) {
			return card.State == "saving", nil
		}
	}
	sub.Card = "" // it was removed

	return false, nil
}

// Recovered is what follows when no invoice of a subscription is left to pay.
func (c *Collector) Recovered(ctx context.Context, sub *store.Subscription) error {
	was := sub.State
	switch was {
	case store.Incomplete, store.PastDue, store.Unpaid:
	default:
		return nil
	}
	sub.OverdueSince, sub.TriedOn, sub.Hard = "", "", false
	today, err := c.life.Today(ctx)
	if err != nil {
		return err
	}
	restart := was == store.Unpaid && sub.PeriodEnd <= today
	if restart {
		held, err := c.hold(ctx, sub)
		if err != nil {
			return err
		}
		restart = !held // a company that is suspended begins its period once it is not
	}
	if restart { // the company had nothing of the time in between: a new period begins today
		if err := c.life.beginNext(ctx, sub, today, true); err != nil {
			return err
		}
	}
	if err := c.life.move(ctx, sub, store.VerbActivate, "Its invoices are paid."); err != nil {
		return err
	}
	if restart {
		return c.billPeriod(ctx, sub, false)
	}

	return nil
}

// Settled is what follows the result of a payment.
func (c *Collector) Settled(ctx context.Context, sub *store.Subscription, a charging.Attempt) error {
	switch a.Payment.State {
	case store.PaymentCaptured:
		if err := c.charges.Apply(ctx, a.Payment); err != nil || !sub.Open() {
			return err
		}

		return c.Collect(ctx, sub, false)
	case store.PaymentFailed:
		if applied, err := a.Payment.Applied(); err != nil || applied.Sign() == 0 || !sub.Open() {
			return err
		}

		return c.failed(ctx, sub, a)
	default:
		return nil
	}
}

// failed is what follows when a charge fails.
func (c *Collector) failed(ctx context.Context, sub *store.Subscription, a charging.Attempt) error {
	today, err := c.life.Today(ctx)
	if err != nil {
		return err
	}
	sub.TriedOn, sub.Hard = today, a.Final
	if sub.State == store.Active {
		sub.OverdueSince = today
		if err := c.life.move(ctx, sub, store.VerbFallDue, "A charge failed: "+a.Payment.Reason+"."); err != nil {
			return err
		}
	}

	return c.giveUp(ctx, sub, today)
}

// giveUp makes a subscription unpaid whose last charge has failed.
func (c *Collector) giveUp(ctx context.Context, sub *store.Subscription, today field.Date) error {
	if sub.State != store.PastDue {
		return nil
	}
	if step, day := store.Dunning.Next(sub.Overdue()); step != terms.StepUnpaid || day > today {
		return nil
	}

	return c.life.move(ctx, sub, store.VerbUnpaid, "No charge succeeded.")
}

// billPeriod bills the period that has begun; later leaves collecting it to another step.
func (c *Collector) billPeriod(ctx context.Context, sub *store.Subscription, later bool) error {
	p, err := c.life.renewed(ctx, sub)
	if err != nil {
		return err
	}
	if sub.Uncollected = later; later {
		return c.issue(ctx, sub, planLine(sub, p.Name))
	}

	return c.bill(ctx, sub, planLine(sub, p.Name), false)
}

// end ends a subscription at once. What a company never had is credited; what it had stays due.
func (c *Collector) end(ctx context.Context, sub *store.Subscription, reason string) error {
	if sub.State == store.Incomplete {
		if err := c.creditOpen(ctx, sub, "The subscription was canceled before its first payment."); err != nil {
			return err
		}
	}
	sub.CancelReason = reason

	return c.life.move(ctx, sub, store.VerbCancel, reason)
}

// creditOpen credits the open invoices of a subscription. Error: billing.payment_pending.
func (c *Collector) creditOpen(ctx context.Context, sub *store.Subscription, reason string) error {
	open, err := c.bills.Open(ctx, sub.ID)
	if err != nil {
		return err
	}
	today, err := c.life.Today(ctx)
	if err != nil {
		return err
	}
	for _, i := range open {
		if pending, err := c.charges.Pending(ctx, i.ID); err != nil || pending {
			return cmp.Or[error](err, store.ErrPaymentPending)
		}
		if _, err := c.bills.Credit(ctx, i.ID, invoicing.Credit{Reason: reason, On: today}); err != nil {
			return err
		}
	}

	return nil
}

// hold puts off the renewal of a company that is suspended: it is not billed for time in which it can do nothing. What it owes is collected
// all the same.
func (c *Collector) hold(ctx context.Context, sub *store.Subscription) (bool, error) {
	if sub.Ending {
		return false, nil
	}
	active, err := c.companies.Active(ctx, principal.CompanyOf(ctx))
	if err != nil || active {
		return false, err
	}
	sub.Held, sub.NextAt = true, new(c.life.now().Add(retryPending))

	return true, nil
}
