package subscriptions

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Renewer does what is due with subscriptions: it renews, charges and ends them.
type Renewer struct {
	tables    *store.Tables
	life      *Life
	collector *Collector
	charges   *charging.Charges
	bills     *invoicing.Bills
}

// NewRenewer returns a Renewer.
func NewRenewer(t *store.Tables, l *Life, c *Collector, ch *charging.Charges, b *invoicing.Bills) *Renewer {
	return &Renewer{tables: t, life: l, collector: c, charges: ch, bills: b}
}

// advance does what is due with a subscription: one step, and reports whether the next one is due at once.
func (r *Renewer) advance(ctx context.Context, id uuid.UUID) (more bool, err error) {
	row, err := r.tables.Subscriptions.Change(ctx, id, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if sub.NextAt == nil || sub.NextAt.After(r.life.now()) {
			return nil
		}
		today, err := r.life.Today(ctx)
		if err != nil {
			return err
		}
		next, day := r.life.next(sub)
		if day <= today { // else the company has another time zone since
			if err := r.perform(ctx, sub, next, today); err != nil {
				return err
			}
		}
		if sub.NextAt != nil && sub.NextAt.After(r.life.now()) { // put off
			return nil
		}

		return r.life.schedule(ctx, sub)
	})
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}

	return err == nil && row.NextAt != nil && !row.NextAt.After(r.life.now()), err
}

// perform does what is due.
func (r *Renewer) perform(ctx context.Context, sub *store.Subscription, next store.Task, today field.Date) error {
	switch next {
	case store.TaskWarn:
		return r.life.warn(ctx, sub)
	case store.TaskRenew:
		if held, err := r.collector.hold(ctx, sub); err != nil || held {
			return err
		}

		return r.renew(ctx, sub, today)
	case store.TaskCollect:
		sub.Uncollected = false

		return r.collector.Collect(ctx, sub, false)
	case store.TaskCharge:
		sub.TriedOn = today // where a payment is pending, the next day of the schedule is waited for

		return r.collector.Collect(ctx, sub, false)
	case store.TaskUnpaid:
		if waits, err := r.waits(ctx, sub); err != nil || waits {
			return err
		}

		return r.collector.giveUp(ctx, sub, today)
	case store.TaskCancel:
		return r.abandon(ctx, sub)
	case store.TaskLapse:
		return r.lapse(ctx, sub)
	case store.TaskNone:
		return nil
	default:
		return nil
	}
}

// renew begins the next period, the first one after a trial, or ends the subscription. A renewal that was held begins its period today.
func (r *Renewer) renew(ctx context.Context, sub *store.Subscription, today field.Date) error {
	if sub.Ending {
		return r.collector.end(ctx, sub, sub.CancelReason)
	}
	changes, on := sub.NextPlan != nil, sub.PeriodEnd // of a trial, the day of its end
	late := sub.Held && on < today
	if late {
		on = today
	}
	sub.Held = false
	if err := r.life.beginNext(ctx, sub, on, late || sub.State == store.Trialing); err != nil {
		return err
	}
	if sub.State == store.Trialing {
		if err := r.life.move(ctx, sub, store.VerbActivate, "The trial is over."); err != nil {
			return err
		}
	}
	if changes {
		if err := r.life.grant(ctx, sub); err != nil {
			return err
		}
	}

	return r.collector.billPeriod(ctx, sub, true)
}

// lapse ends a subscription that was never paid.
func (r *Renewer) lapse(ctx context.Context, sub *store.Subscription) error {
	waits, err := r.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	if err := r.collector.creditOpen(ctx, sub, "The first payment was not made in time."); err != nil {
		return err
	}

	return r.life.move(ctx, sub, store.VerbLapse, "The first payment was not made in time.")
}

// abandon ends a subscription that stayed unpaid, and writes off its invoices.
func (r *Renewer) abandon(ctx context.Context, sub *store.Subscription) error {
	waits, err := r.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	open, err := r.bills.Open(ctx, sub.ID)
	if err != nil {
		return err
	}
	for _, i := range open {
		if err := r.bills.WriteOff(ctx, i.ID, "The subscription stayed unpaid."); err != nil {
			return err
		}
	}
	sub.CancelReason = "unpaid"

	return r.life.move(store.AsService(ctx), sub, store.VerbCancel, "It stayed unpaid.")
}

// waits puts off what would end a subscription while a payment has no result yet.
func (r *Renewer) waits(ctx context.Context, sub *store.Subscription) (bool, error) {
	open, err := r.bills.Open(ctx, sub.ID)
	if err != nil {
		return false, err
	}
	for _, i := range open {
		pending, err := r.charges.Pending(ctx, i.ID)
		if err != nil {
			return false, err
		}
		if pending {
			sub.NextAt = new(r.life.now().Add(retryPending))

			return true, nil
		}
	}

	return false, nil
}
