package billing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// life moves subscriptions through their states.
type life struct {
	settings settings
	tables   *tables
	plans    *plans
	calendar *calendar.Calendar
	bus      *events.Bus
}

func newLife(s settings, t *tables, p *plans, days *calendar.Calendar, bus *events.Bus) *life {
	return &life{settings: s, tables: t, plans: p, calendar: days, bus: bus}
}

// now is the time by which subscriptions move.
func (l *life) now() time.Time { return l.tables.Clock.Now() }

// today is the day in the company's time zone.
func (l *life) today(ctx context.Context) (field.Date, error) {
	now, err := l.calendar.Now(ctx)

	return terms.DayOf(now), err
}

// schedule sets when the service looks at a subscription again.
func (l *life) schedule(ctx context.Context, sub *subscription) error {
	zone, err := l.calendar.Zone(ctx)
	if err != nil {
		return err
	}
	sub.schedule(l.settings.TrialNoticeDays, zone)

	return nil
}

// change changes a subscription that is held, and sets when the service looks at it again.
func (l *life) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, do func(ctx context.Context, sub *subscription) error,
) (subscription, error) {
	return l.tables.Subscriptions.Change(ctx, id, match, verb, func(ctx context.Context, sub *subscription) error {
		if err := do(ctx, sub); err != nil {
			return err
		}

		return l.schedule(ctx, sub)
	})
}

// move takes a step of the life of a subscription. The features of the company follow.
func (l *life) move(ctx context.Context, sub *subscription, verb resource.Verb, reason string) error {
	before, as := sub.State, ctx
	if verb != verbPause && verb != verbResume && verb != verbCancel {
		as = asService(ctx)
	}
	if err := l.tables.Subscriptions.Step(as, sub, state.Move{Verb: string(verb), Reason: reason}); err != nil {
		return err
	}
	if !sub.open() {
		sub.EndedAt, sub.NextPlan, sub.Ending = new(l.now()), nil, false
	}
	if err := l.grant(ctx, sub); err != nil {
		return err
	}

	return l.bus.Publish(ctx, billingapi.SubscriptionMoved{
		Subscription: sub.ID.String(), Plan: sub.Code, Before: string(before), After: string(sub.State),
	})
}

// grant has the company use the areas of the plan, or those that it keeps without one.
func (l *life) grant(ctx context.Context, sub *subscription) error {
	full, decides := granted(sub.State)
	if !decides {
		return nil
	}

	return l.plans.grant(asService(ctx), sub.Plan, full)
}

// beginNext begins the next period, with the plan that was chosen for it.
func (l *life) beginNext(ctx context.Context, sub *subscription, on field.Date, anchor bool) error {
	if sub.NextPlan != nil {
		next, err := l.plans.find(ctx, *sub.NextPlan)
		if err != nil {
			return err
		}
		before := sub.Code
		anchor = anchor || next.Interval != sub.Interval
		sub.setPlan(next)
		if err := l.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code}); err != nil {
			return err
		}
	}
	sub.beginPeriod(on, anchor)

	return nil
}

// next is what is to be done with a subscription, and on which day.
func (l *life) next(sub *subscription) (task, field.Date) {
	return sub.nextTask(l.settings.TrialNoticeDays)
}

// unpaidUntil is when a subscription lapses that begins now and is not paid.
func (l *life) unpaidUntil() time.Time { return l.now().Add(l.settings.IncompleteFor) }

// warn publishes that a trial is about to end.
func (l *life) warn(ctx context.Context, sub *subscription) error {
	sub.Warned = true

	return l.bus.Publish(ctx, billingapi.SubscriptionTrialEnding{Subscription: sub.ID.String(), EndsOn: string(sub.TrialEndsOn)})
}

// started publishes that a subscription has begun.
func (l *life) started(ctx context.Context, sub subscription) error {
	return l.bus.Publish(ctx, billingapi.SubscriptionStarted{Subscription: sub.ID.String(), Plan: sub.Code, State: string(sub.State)})
}

// renewed publishes that a subscription has begun its next period, and returns its plan.
func (l *life) renewed(ctx context.Context, sub *subscription) (plan, error) {
	p, err := l.plans.find(ctx, sub.Plan)
	if err != nil {
		return p, err
	}

	return p, l.bus.Publish(ctx, billingapi.SubscriptionRenewed{
		Subscription: sub.ID.String(), From: string(sub.PeriodStart), Until: string(sub.PeriodEnd),
	})
}

// changedPlan grants what the plan of a subscription has, and publishes that it is another one.
func (l *life) changedPlan(ctx context.Context, sub *subscription, before string) error {
	if err := l.grant(ctx, sub); err != nil {
		return err
	}

	return l.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code})
}
