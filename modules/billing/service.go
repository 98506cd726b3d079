package billing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// service decides about subscriptions of the caller's company. Whoever changes one holds its row first; invoices, payments and features
// follow in the same transaction.
type service struct {
	office        *office
	subscriptions *resource.Resource[subscription]
	plans         *plans
	charges       *charges
	calendar      *calendar.Calendar
}

func newService(o *office, subscriptions *resource.Resource[subscription], p *plans, c *charges, days *calendar.Calendar) *service {
	return &service{o, subscriptions, p, c, days}
}

// today is the day in the company's time zone.
func (s *service) today(ctx context.Context) (field.Date, error) {
	now, err := s.calendar.Now(ctx)

	return terms.DayOf(now), err
}

// schedule sets when the service looks at a subscription again.
func (s *service) schedule(ctx context.Context, sub *subscription) error {
	zone, err := s.calendar.Zone(ctx)
	if err != nil {
		return err
	}
	sub.schedule(s.office.settings.TrialNoticeDays, zone)

	return nil
}

// change changes a subscription that is held, and sets when the service looks at it again.
func (s *service) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, do func(ctx context.Context, sub *subscription) error,
) (subscription, error) {
	return s.subscriptions.Change(ctx, id, match, verb, func(ctx context.Context, sub *subscription) error {
		if err := do(ctx, sub); err != nil {
			return err
		}

		return s.schedule(ctx, sub)
	})
}

// current returns the subscription of the company that has not ended. Error: billing.no_subscription.
func (s *service) current(ctx context.Context) (subscription, error) {
	rows, err := s.subscriptions.Where(ctx, "ended_at IS NULL")
	if err != nil {
		return subscription{}, err
	}
	if len(rows) == 0 {
		return subscription{}, errNone
	}

	return rows[0], nil
}

// move takes a step of the life of a subscription. The features of the company follow.
func (s *service) move(ctx context.Context, sub *subscription, verb resource.Verb, reason string) error {
	before, as := sub.State, ctx
	if verb != verbPause && verb != verbResume && verb != verbCancel {
		as = asService(ctx)
	}
	if err := s.subscriptions.Step(as, sub, state.Move{Verb: string(verb), Reason: reason}); err != nil {
		return err
	}
	if !sub.open() {
		sub.EndedAt, sub.NextPlan, sub.Ending = new(s.office.clock.Now()), nil, false
	}
	if err := s.grant(ctx, sub); err != nil {
		return err
	}

	return s.office.bus.Publish(ctx, billingapi.SubscriptionMoved{
		Subscription: sub.ID.String(), Plan: sub.Code, Before: string(before), After: string(sub.State),
	})
}

// grant has the company use the areas of the plan, or those that it keeps without one.
func (s *service) grant(ctx context.Context, sub *subscription) error {
	full, decides := granted(sub.State)
	if !decides {
		return nil
	}
	var areas []string
	if full {
		p, err := s.plans.find(ctx, sub.Plan)
		if err != nil {
			return err
		}
		areas = p.Features.V.Areas
	}

	return s.plans.features.apply(asService(ctx), principal.CompanyOf(ctx), areas)
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
func (s *service) bill(ctx context.Context, sub *subscription, lines []terms.Line, present bool) error {
	if err := s.issue(ctx, sub, lines); err != nil {
		return err
	}

	return s.collect(ctx, sub, present)
}

// issue issues an invoice for lines and what is pending.
func (s *service) issue(ctx context.Context, sub *subscription, lines []terms.Line) error {
	today, err := s.today(ctx)
	if err != nil {
		return err
	}
	_, err = s.charges.bills.issue(ctx, sub, append(append([]terms.Line{}, sub.Pending.V...), lines...), today)

	return err
}

// collect charges the open invoices of a subscription, the oldest first. It goes on with the next one when a charge succeeds at once, and
// leaves out invoices whose payment is pending, and cards that are being saved.
func (s *service) collect(ctx context.Context, sub *subscription, present bool) error {
	open, err := s.charges.bills.open(ctx, sub.ID)
	if err != nil {
		return err
	}
	waiting := false
	for _, i := range open {
		pending, err := s.charges.pending(ctx, i.ID)
		if err != nil {
			return err
		}
		if waiting = waiting || pending; pending {
			continue
		}
		saving, err := s.saving(ctx, sub)
		if err != nil || saving {
			return err
		}
		a, err := s.charges.charge(ctx, sub, i, present)
		if err != nil {
			return err
		}
		switch a.payment.State {
		case paymentFailed:
			return s.failed(ctx, sub, a)
		case paymentPending:
			waiting = true
		case paymentCaptured:
			if err := s.charges.apply(ctx, a.payment); err != nil {
				return err
			}
		}
	}
	if waiting {
		return nil
	}

	return s.recovered(ctx, sub)
}

// saving reports whether the card of a subscription is being saved: it is charged when it is.
func (s *service) saving(ctx context.Context, sub *subscription) (bool, error) {
	if sub.Card == "" {
		return false, nil
	}
	all, err := s.charges.cardsOf(ctx)
	if err != nil {
		return false, err
	}
	for _, c := range all {
		if c.UUID == string(sub.Card) {
			return c.State == "saving", nil
		}
	}
	sub.Card = "" // it was removed

	return false, nil
}

// recovered is what follows when no invoice of a subscription is left to pay.
func (s *service) recovered(ctx context.Context, sub *subscription) error {
	was := sub.State
	switch was {
	case incomplete, pastDue, unpaid:
	default:
		return nil
	}
	sub.OverdueSince, sub.TriedOn, sub.Hard = "", "", false
	today, err := s.today(ctx)
	if err != nil {
		return err
	}
	restart := was == unpaid && sub.PeriodEnd <= today
	if restart {
		held, err := s.hold(ctx, sub)
		if err != nil {
			return err
		}
		restart = !held // a company that is suspended begins its period once it is not
	}
	if restart { // the company had nothing of the time in between: a new period begins today
		if err := s.beginNext(ctx, sub, today, true); err != nil {
			return err
		}
	}
	if err := s.move(ctx, sub, verbActivate, "Its invoices are paid."); err != nil {
		return err
	}
	if restart {
		return s.billPeriod(ctx, sub, false)
	}

	return nil
}

// settled is what follows the result of a payment.
func (s *service) settled(ctx context.Context, sub *subscription, a attempt) error {
	switch a.payment.State {
	case paymentCaptured:
		if err := s.charges.apply(ctx, a.payment); err != nil || !sub.open() {
			return err
		}

		return s.collect(ctx, sub, false)
	case paymentFailed:
		if applied, err := a.payment.applied(); err != nil || applied.Sign() == 0 || !sub.open() {
			return err
		}

		return s.failed(ctx, sub, a)
	default:
		return nil
	}
}

// failed is what follows when a charge fails.
func (s *service) failed(ctx context.Context, sub *subscription, a attempt) error {
	today, err := s.today(ctx)
	if err != nil {
		return err
	}
	sub.TriedOn, sub.Hard = today, a.final
	if sub.State == active {
		sub.OverdueSince = today
		if err := s.move(ctx, sub, verbFallDue, "A charge failed: "+a.payment.Reason+"."); err != nil {
			return err
		}
	}

	return s.giveUp(ctx, sub, today)
}

// giveUp makes a subscription unpaid whose last charge has failed.
func (s *service) giveUp(ctx context.Context, sub *subscription, today field.Date) error {
	if sub.State != pastDue {
		return nil
	}
	if step, day := dunning.Next(sub.overdue()); step != terms.StepUnpaid || day > today {
		return nil
	}

	return s.move(ctx, sub, verbUnpaid, "No charge succeeded.")
}

// beginNext begins the next period, with the plan that was chosen for it.
func (s *service) beginNext(ctx context.Context, sub *subscription, on field.Date, anchor bool) error {
	if sub.NextPlan != nil {
		next, err := s.plans.find(ctx, *sub.NextPlan)
		if err != nil {
			return err
		}
		before := sub.Code
		anchor = anchor || next.Interval != sub.Interval
		sub.setPlan(next)
		if err := s.office.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code}); err != nil {
			return err
		}
	}
	sub.beginPeriod(on, anchor)

	return nil
}

// billPeriod bills the period that has begun. What is collected later is charged by the next step of the subscription.
func (s *service) billPeriod(ctx context.Context, sub *subscription, later bool) error {
	p, err := s.plans.find(ctx, sub.Plan)
	if err != nil {
		return err
	}
	err = s.office.bus.Publish(ctx, billingapi.SubscriptionRenewed{
		Subscription: sub.ID.String(), From: string(sub.PeriodStart), Until: string(sub.PeriodEnd),
	})
	if err != nil {
		return err
	}

	if sub.Uncollected = later; later {
		return s.issue(ctx, sub, planLine(sub, p.Name))
	}

	return s.bill(ctx, sub, planLine(sub, p.Name), false)
}

// end ends a subscription at once. What a company never had is credited; what it had stays due.
func (s *service) end(ctx context.Context, sub *subscription, reason string) error {
	if sub.State == incomplete {
		if err := s.creditOpen(ctx, sub, "The subscription was canceled before its first payment."); err != nil {
			return err
		}
	}
	sub.CancelReason = reason

	return s.move(ctx, sub, verbCancel, reason)
}

// creditOpen credits the open invoices of a subscription. Error: billing.payment_pending.
func (s *service) creditOpen(ctx context.Context, sub *subscription, reason string) error {
	open, err := s.charges.bills.open(ctx, sub.ID)
	if err != nil {
		return err
	}
	today, err := s.today(ctx)
	if err != nil {
		return err
	}
	for _, i := range open {
		if pending, err := s.charges.pending(ctx, i.ID); err != nil || pending {
			return pendingOr(err)
		}
		if _, err := s.charges.bills.credit(ctx, i.ID, credit{reason: reason, on: today}); err != nil {
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

// now is the time with the precision of both databases.
func (s *service) now() time.Time { return s.office.clock.Now() }
