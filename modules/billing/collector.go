package billing

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// collector bills and collects what subscriptions owe, and does what is due with them.
type collector struct {
	tables    *tables
	life      *life
	charges   *charges
	bills     *bills
	companies *identity.Service
}

func newCollector(t *tables, l *life, c *charges, b *bills, companies *identity.Service) *collector {
	return &collector{tables: t, life: l, charges: c, bills: b, companies: companies}
}

// planLine is the line of a plan for the current period.
func planLine(sub *subscription, name string) []terms.Line {
	if units := sub.running().Price.Units; units == 0 {
		return nil
	}

	return []terms.Line{{
		Kind: terms.LinePlan, Description: name, Plan: sub.Code, From: sub.PeriodStart, Until: sub.PeriodEnd, Amount: sub.Price,
	}}
}

// bill issues an invoice for lines and what is pending, and charges it. Present says that the caller can confirm the payment.
func (c *collector) bill(ctx context.Context, sub *subscription, lines []terms.Line, present bool) error {
	if err := c.issue(ctx, sub, lines); err != nil {
		return err
	}

	return c.collect(ctx, sub, present)
}

// issue issues an invoice for lines and what is pending.
func (c *collector) issue(ctx context.Context, sub *subscription, lines []terms.Line) error {
	today, err := c.life.today(ctx)
	if err != nil {
		return err
	}
	_, err = c.bills.issue(ctx, sub, append(append([]terms.Line{}, sub.Pending.V...), lines...), today)

	return err
}

// collect charges the open invoices of a subscription, the oldest first. It goes on with the next one when a charge succeeds at once, and
// leaves out invoices whose payment is pending, and cards that are being saved.
func (c *collector) collect(ctx context.Context, sub *subscription, present bool) error {
	open, err := c.bills.open(ctx, sub.ID)
	if err != nil {
		return err
	}
	waiting := false
	for _, i := range open {
		pending, err := c.charges.pending(ctx, i.ID)
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
		a, err := c.charges.charge(ctx, sub, i, present)
		if err != nil {
			return err
		}
		switch a.payment.State {
		case paymentFailed:
			return c.failed(ctx, sub, a)
		case paymentPending:
			waiting = true
		case paymentCaptured:
			if err := c.charges.apply(ctx, a.payment); err != nil {
				return err
			}
		}
	}
	if waiting {
		return nil
	}

	return c.recovered(ctx, sub)
}

// saving reports whether the card of a subscription is being saved: it is charged when it is.
func (c *collector) saving(ctx context.Context, sub *subscription) (bool, error) {
	if sub.Card == "" {
		return false, nil
	}
	all, err := c.charges.cardsOf(ctx)
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

// recovered is what follows when no invoice of a subscription is left to pay.
func (c *collector) recovered(ctx context.Context, sub *subscription) error {
	was := sub.State
	switch was {
	case incomplete, pastDue, unpaid:
	default:
		return nil
	}
	sub.OverdueSince, sub.TriedOn, sub.Hard = "", "", false
	today, err := c.life.today(ctx)
	if err != nil {
		return err
	}
	restart := was == unpaid && sub.PeriodEnd <= today
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
	if err := c.life.move(ctx, sub, verbActivate, "Its invoices are paid."); err != nil {
		return err
	}
	if restart {
		return c.billPeriod(ctx, sub, false)
	}

	return nil
}

// settled is what follows the result of a payment.
func (c *collector) settled(ctx context.Context, sub *subscription, a attempt) error {
	switch a.payment.State {
	case paymentCaptured:
		if err := c.charges.apply(ctx, a.payment); err != nil || !sub.open() {
			return err
		}

		return c.collect(ctx, sub, false)
	case paymentFailed:
		if applied, err := a.payment.applied(); err != nil || applied.Sign() == 0 || !sub.open() {
			return err
		}

		return c.failed(ctx, sub, a)
	default:
		return nil
	}
}

// failed is what follows when a charge fails.
func (c *collector) failed(ctx context.Context, sub *subscription, a attempt) error {
	today, err := c.life.today(ctx)
	if err != nil {
		return err
	}
	sub.TriedOn, sub.Hard = today, a.final
	if sub.State == active {
		sub.OverdueSince = today
		if err := c.life.move(ctx, sub, verbFallDue, "A charge failed: "+a.payment.Reason+"."); err != nil {
			return err
		}
	}

	return c.giveUp(ctx, sub, today)
}

// giveUp makes a subscription unpaid whose last charge has failed.
func (c *collector) giveUp(ctx context.Context, sub *subscription, today field.Date) error {
	if sub.State != pastDue {
		return nil
	}
	if step, day := dunning.Next(sub.overdue()); step != terms.StepUnpaid || day > today {
		return nil
	}

	return c.life.move(ctx, sub, verbUnpaid, "No charge succeeded.")
}

// billPeriod bills the period that has begun; later leaves collecting it to another step.
func (c *collector) billPeriod(ctx context.Context, sub *subscription, later bool) error {
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
func (c *collector) end(ctx context.Context, sub *subscription, reason string) error {
	if sub.State == incomplete {
		if err := c.creditOpen(ctx, sub, "The subscription was canceled before its first payment."); err != nil {
			return err
		}
	}
	sub.CancelReason = reason

	return c.life.move(ctx, sub, verbCancel, reason)
}

// creditOpen credits the open invoices of a subscription. Error: billing.payment_pending.
func (c *collector) creditOpen(ctx context.Context, sub *subscription, reason string) error {
	open, err := c.bills.open(ctx, sub.ID)
	if err != nil {
		return err
	}
	today, err := c.life.today(ctx)
	if err != nil {
		return err
	}
	for _, i := range open {
		if pending, err := c.charges.pending(ctx, i.ID); err != nil || pending {
			return pendingOr(err)
		}
		if _, err := c.bills.credit(ctx, i.ID, credit{reason: reason, on: today}); err != nil {
			return err
		}
	}

	return nil
}

func pendingOr(err error) error {
	if err != nil {
		return err
	}

	return errPaymentOpen
}
