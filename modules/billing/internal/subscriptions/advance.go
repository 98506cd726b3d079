package subscriptions

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// advance does what is due with a subscription: one step, and reports whether the next one is due at once.
func (c *Collector) advance(ctx context.Context, id uuid.UUID) (more bool, err error) {
	row, err := c.tables.Subscriptions.Change(ctx, id, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if sub.NextAt == nil || sub.NextAt.After(c.life.now()) {
			return nil
		}
		today, err := c.life.Today(ctx)
		if err != nil {
			return err
		}
		next, day := c.life.next(sub)
		if day <= today { // else the company has another time zone since
			if err := c.perform(ctx, sub, next, today); err != nil {
				return err
			}
		}
		if sub.NextAt != nil && sub.NextAt.After(c.life.now()) { // put off
			return nil
		}

		return c.life.schedule(ctx, sub)
	})
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}

	return err == nil && row.NextAt != nil && !row.NextAt.After(c.life.now()), err
}

// perform does what is due.
func (c *Collector) perform(ctx context.Context, sub *store.Subscription, next store.Task, today field.Date) error {
	switch next {
	case store.TaskWarn:
		return c.life.warn(ctx, sub)
	case store.TaskRenew:
		if held, err := c.hold(ctx, sub); err != nil || held {
			return err
		}

		return c.renew(ctx, sub, today)
	case store.TaskCollect:
		sub.Uncollected = false

		return c.Collect(ctx, sub, false)
	case store.TaskCharge:
		sub.TriedOn = today // where a payment is pending, the next day of the schedule is waited for

		return c.Collect(ctx, sub, false)
	case store.TaskUnpaid:
		if waits, err := c.waits(ctx, sub); err != nil || waits {
			return err
		}

		return c.giveUp(ctx, sub, today)
	case store.TaskCancel:
		return c.abandon(ctx, sub)
	case store.TaskLapse:
		return c.lapse(ctx, sub)
	case store.TaskNone:
		return nil
	default:
		return nil
	}
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

// renew begins the next period, the first one after a trial, or ends the subscription. A renewal that was held begins its period today.
func (c *Collector) renew(ctx context.Context, sub *store.Subscription, today field.Date) error {
	if sub.Ending {
		return c.end(ctx, sub, sub.CancelReason)
	}
	changes, on := sub.NextPlan != nil, sub.PeriodEnd // of a trial, the day of its end
	late := sub.Held && on < today
	if late {
		on = today
	}
	sub.Held = false
	if err := c.life.beginNext(ctx, sub, on, late || sub.State == store.Trialing); err != nil {
		return err
	}
	if sub.State == store.Trialing {
		if err := c.life.move(ctx, sub, store.VerbActivate, "The trial is over."); err != nil {
			return err
		}
	}
	if changes {
		if err := c.life.grant(ctx, sub); err != nil {
			return err
		}
	}

	return c.billPeriod(ctx, sub, true)
}

// lapse ends a subscription that was never paid.
func (c *Collector) lapse(ctx context.Context, sub *store.Subscription) error {
	waits, err := c.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	if err := c.creditOpen(ctx, sub, "The first payment was not made in time."); err != nil {
		return err
	}

	return c.life.move(ctx, sub, store.VerbLapse, "The first payment was not made in time.")
}

// abandon ends a subscription that stayed unpaid, and writes off its invoices.
func (c *Collector) abandon(ctx context.Context, sub *store.Subscription) error {
	waits, err := c.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	open, err := c.bills.Open(ctx, sub.ID)
	if err != nil {
		return err
	}
	for _, i := range open {
		if err := c.bills.WriteOff(ctx, i.ID, "The subscription stayed unpaid."); err != nil {
			return err
		}
	}
	sub.CancelReason = "unpaid"

	return c.life.move(store.AsService(ctx), sub, store.VerbCancel, "It stayed unpaid.")
}

// waits puts off what would end a subscription while a payment has no result yet.
func (c *Collector) waits(ctx context.Context, sub *store.Subscription) (bool, error) {
	open, err := c.bills.Open(ctx, sub.ID)
	if err != nil {
		return false, err
	}
	for _, i := range open {
		pending, err := c.charges.Pending(ctx, i.ID)
		if err != nil {
			return false, err
		}
		if pending {
			sub.NextAt = new(c.life.now().Add(retryPending))

			return true, nil
		}
	}

	return false, nil
}
