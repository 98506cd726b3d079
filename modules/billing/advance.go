package billing

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// runEvery is how often the service looks for subscriptions with something to do.
	runEvery = 5 * time.Minute
	// runAtOnce is how many it works on before it looks again.
	runAtOnce = 500
	// runTogether is how many it works on at the same time.
	runTogether = 8
	// runFor is how long a job looks again, nearly until the next one begins; runTimeout is how long it may run.
	runFor     = runEvery - 20*time.Second
	runTimeout = runEvery + time.Minute
	// retryPending is when to look again at a subscription that failed, or has a payment without a result.
	retryPending = time.Hour
)

// runArgs are the arguments of the job that renews, charges and ends the subscriptions of all companies.
type runArgs struct{}

// Kind implements jobs.Args.
func (runArgs) Kind() string { return "billing.run" }

// runner works on subscriptions that are due.
type runner struct {
	collector *collector
	tables    *tables
	log       *slog.Logger
}

func newRunner(c *collector, t *tables, log *slog.Logger) *runner {
	return &runner{collector: c, tables: t, log: log}
}

// ran is how many subscriptions a run worked on, and how many of them failed.
type ran struct{ done, failed int }

// work is the job: it goes on until nothing is due, or the time of a job is nearly over.
func (r *runner) work(ctx context.Context, _ runArgs) error {
	for until := time.After(runFor); ; {
		last, err := r.run(ctx, runAtOnce)
		if err != nil || last.done == 0 {
			return err
		}
		select {
		case <-until:
			return nil
		default:
		}
	}
}

// run works on up to so many subscriptions that are due, each in a transaction of its own. One that fails is logged and put off, and does
// not keep others from being worked on.
func (r *runner) run(ctx context.Context, most int) (n ran, err error) {
	places, err := r.due(ctx, r.tables.Clock.Now(), most)
	if err != nil {
		return n, err
	}
	var done, failed atomic.Int64
	var group errgroup.Group
	group.SetLimit(runTogether)
	for _, at := range places {
		group.Go(func() error {
			as := principal.AsCompany(ctx, at.CompanyID)
			failure := r.survive(func() error { return r.steps(as, at.ID) })
			if failure == nil {
				done.Add(1)

				return nil
			}
			failed.Add(1)
			r.log.ErrorContext(ctx, "subscription not advanced", "subscription", at.ID, "company", at.CompanyID, "error", failure)

			return r.postpone(as, at.ID, r.tables.Clock.Now().Add(retryPending))
		})
	}
	err = group.Wait()

	return ran{int(done.Load()), int(failed.Load())}, err
}

// steps does what is due with a subscription. A renewal is two steps: the lock on the numbers of invoices, which all renewals wait for, is
// not held while the charge is ordered.
func (r *runner) steps(ctx context.Context, id uuid.UUID) error {
	for range 2 {
		if more, err := r.collector.advance(ctx, id); err != nil || !more {
			return err
		}
	}

	return nil
}

// survive has a panic about one subscription be its failure, rather than the end of the process.
func (*runner) survive(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()

	return do()
}

// advance does what is due with a subscription: one step, and reports whether the next one is due at once.
func (c *collector) advance(ctx context.Context, id uuid.UUID) (more bool, err error) {
	row, err := c.tables.Subscriptions.Change(ctx, id, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if sub.NextAt == nil || sub.NextAt.After(c.life.now()) {
			return nil
		}
		today, err := c.life.today(ctx)
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
func (c *collector) perform(ctx context.Context, sub *subscription, next task, today field.Date) error {
	switch next {
	case taskWarn:
		return c.life.warn(ctx, sub)
	case taskRenew:
		if held, err := c.hold(ctx, sub); err != nil || held {
			return err
		}

		return c.renew(ctx, sub, today)
	case taskCollect:
		sub.Uncollected = false

		return c.collect(ctx, sub, false)
	case taskCharge:
		sub.TriedOn = today // where a payment is pending, the next day of the schedule is waited for

		return c.collect(ctx, sub, false)
	case taskUnpaid:
		if waits, err := c.waits(ctx, sub); err != nil || waits {
			return err
		}

		return c.giveUp(ctx, sub, today)
	case taskCancel:
		return c.abandon(ctx, sub)
	case taskLapse:
		return c.lapse(ctx, sub)
	case taskNone:
		return nil
	default:
		return nil
	}
}

// hold puts off the renewal of a company that is suspended: it is not billed for time in which it can do nothing. What it owes is collected
// all the same.
func (c *collector) hold(ctx context.Context, sub *subscription) (bool, error) {
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
func (c *collector) renew(ctx context.Context, sub *subscription, today field.Date) error {
	if sub.Ending {
		return c.end(ctx, sub, sub.CancelReason)
	}
	changes, on := sub.NextPlan != nil, sub.PeriodEnd // of a trial, the day of its end
	late := sub.Held && on < today
	if late {
		on = today
	}
	sub.Held = false
	if err := c.life.beginNext(ctx, sub, on, late || sub.State == trialing); err != nil {
		return err
	}
	if sub.State == trialing {
		if err := c.life.move(ctx, sub, verbActivate, "The trial is over."); err != nil {
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
func (c *collector) lapse(ctx context.Context, sub *subscription) error {
	waits, err := c.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	if err := c.creditOpen(ctx, sub, "The first payment was not made in time."); err != nil {
		return err
	}

	return c.life.move(ctx, sub, verbLapse, "The first payment was not made in time.")
}

// abandon ends a subscription that stayed unpaid, and writes off its invoices.
func (c *collector) abandon(ctx context.Context, sub *subscription) error {
	waits, err := c.waits(ctx, sub)
	if err != nil || waits {
		return err
	}
	open, err := c.bills.open(ctx, sub.ID)
	if err != nil {
		return err
	}
	for _, i := range open {
		if err := c.bills.writeOff(ctx, i.ID, "The subscription stayed unpaid."); err != nil {
			return err
		}
	}
	sub.CancelReason = "unpaid"

	return c.life.move(asService(ctx), sub, verbCancel, "It stayed unpaid.")
}

// waits puts off what would end a subscription while a payment has no result yet.
func (c *collector) waits(ctx context.Context, sub *subscription) (bool, error) {
	open, err := c.bills.open(ctx, sub.ID)
	if err != nil {
		return false, err
	}
	for _, i := range open {
		pending, err := c.charges.pending(ctx, i.ID)
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
