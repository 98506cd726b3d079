// Package subscriptions moves subscriptions through their lives: companies subscribe, change and cancel, and the service renews, charges and
// ends what is due.
package subscriptions

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Life moves subscriptions through their states.
type Life struct {
	settings store.Settings
	tables   *store.Tables
	plans    *catalogue.Plans
	calendar *calendar.Calendar
	bus      *events.Bus
}

// NewLife returns a Life.
func NewLife(s store.Settings, t *store.Tables, p *catalogue.Plans, days *calendar.Calendar, bus *events.Bus) *Life {
	return &Life{settings: s, tables: t, plans: p, calendar: days, bus: bus}
}

// now is the time by which subscriptions move.
func (l *Life) now() time.Time { return l.tables.Clock.Now() }

// Today is the day in the company's time zone.
func (l *Life) Today(ctx context.Context) (field.Date, error) {
	now, err := l.calendar.Now(ctx)

	return terms.DayOf(now), err
}

// schedule sets when the service looks at a subscription again.
func (l *Life) schedule(ctx context.Context, sub *store.Subscription) error {
	zone, err := l.calendar.Zone(ctx)
	if err != nil {
		return err
	}
	sub.Schedule(l.settings.TrialNoticeDays, zone)

	return nil
}

// Change changes a subscription that is held, and sets when the service looks at it again.
func (l *Life) Change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, do func(ctx context.Context, sub *store.Subscription) error,
) (store.Subscription, error) {
	return l.tables.Subscriptions.Change(ctx, id, match, verb, func(ctx context.Context, sub *store.Subscription) error {
		if err := do(ctx, sub); err != nil {
			return err
		}

		return l.schedule(ctx, sub)
	})
}

// move takes a step of the life of a subscription. The features of the company follow.
func (l *Life) move(ctx context.Context, sub *store.Subscription, verb resource.Verb, reason string) error {
	before, as := sub.State, ctx
	if verb != store.VerbPause && verb != store.VerbResume && verb != store.VerbCancel {
		as = store.AsService(ctx)
	}
	if err := l.tables.Subscriptions.Step(as, sub, state.Move{Verb: string(verb), Reason: reason}); err != nil {
		return err
	}
	if !sub.Open() {
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
func (l *Life) grant(ctx context.Context, sub *store.Subscription) error {
	full, decides := store.Granted(sub.State)
	if !decides {
		return nil
	}

	return l.plans.Grant(store.AsService(ctx), sub.Plan, full)
}

// beginNext begins the next period, with the plan that was chosen for it.
func (l *Life) beginNext(ctx context.Context, sub *store.Subscription, on field.Date, anchor bool) error {
	if sub.NextPlan != nil {
		next, err := l.plans.Find(ctx, *sub.NextPlan)
		if err != nil {
			return err
		}
		before := sub.Code
		anchor = anchor || next.Interval != sub.Interval
		sub.SetPlan(next)
		if err := l.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code}); err != nil {
			return err
		}
	}
	sub.BeginPeriod(on, anchor)

	return nil
}

// next is what is to be done with a subscription, and on which day.
func (l *Life) next(sub *store.Subscription) (store.Task, field.Date) {
	return sub.NextTask(l.settings.TrialNoticeDays)
}

// unpaidUntil is when a subscription lapses that begins now and is not paid.
func (l *Life) unpaidUntil() time.Time { return l.now().Add(l.settings.IncompleteFor) }

// warn publishes that a trial is about to end.
func (l *Life) warn(ctx context.Context, sub *store.Subscription) error {
	sub.Warned = true

	return l.bus.Publish(ctx, billingapi.SubscriptionTrialEnding{Subscription: sub.ID.String(), EndsOn: string(sub.TrialEndsOn)})
}

// started publishes that a subscription has begun.
func (l *Life) started(ctx context.Context, sub store.Subscription) error {
	return l.bus.Publish(ctx, billingapi.SubscriptionStarted{Subscription: sub.ID.String(), Plan: sub.Code, State: string(sub.State)})
}

// renewed publishes that a subscription has begun its next period, and returns its plan.
func (l *Life) renewed(ctx context.Context, sub *store.Subscription) (store.Plan, error) {
	p, err := l.plans.Find(ctx, sub.Plan)
	if err != nil {
		return p, err
	}

	return p, l.bus.Publish(ctx, billingapi.SubscriptionRenewed{
		Subscription: sub.ID.String(), From: string(sub.PeriodStart), Until: string(sub.PeriodEnd),
	})
}

// changedPlan grants what the plan of a subscription has, and publishes that it is another one.
func (l *Life) changedPlan(ctx context.Context, sub *store.Subscription, before string) error {
	if err := l.grant(ctx, sub); err != nil {
		return err
	}

	return l.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code})
}
