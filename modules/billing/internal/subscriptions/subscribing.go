package subscriptions

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Subscriber subscribes companies to plans.
type Subscriber struct {
	tables    *store.Tables
	admission *Admission
	life      *Life
	collector *Collector
}

// NewSubscriber returns a Subscriber.
func NewSubscriber(t *store.Tables, a *Admission, l *Life, c *Collector) *Subscriber {
	return &Subscriber{tables: t, admission: a, life: l, collector: c}
}

// Order is a wish to subscribe to a plan.
type Order struct {
	Plan store.Plan
	Card string
	// SkipTrial begins with the first period.
	SkipTrial bool
}

// Subscribe subscribes the caller's company to a plan. The first invoice is charged, or the trial of the plan begins.
func (s *Subscriber) Subscribe(ctx context.Context, o Order) (sub store.Subscription, err error) {
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		trial, err := s.admission.admit(ctx, o)
		if err != nil {
			return err
		}
		today, err := s.life.Today(ctx)
		if err != nil {
			return err
		}
		row := begun(o, trial, today)
		if !trial {
			row.NextAt = new(s.life.unpaidUntil())
		}
		if sub, err = s.tables.Subscriptions.Create(ctx, row); err != nil {
			return err
		}
		sub, err = s.life.Change(ctx, sub.ID, web.IfMatch{}, store.VerbAdvance, func(ctx context.Context, sub *store.Subscription) error {
			if trial {
				return s.life.move(ctx, sub, store.VerbTrial, "")
			}

			return s.collector.bill(ctx, sub, planLine(sub, o.Plan.Name), true)
		})
		if err != nil {
			return err
		}

		return s.life.started(ctx, sub)
	})

	return sub, err
}

// begun is a new subscription.
func begun(o Order, trial bool, today field.Date) store.Subscription {
	sub := store.Subscription{StartedOn: today, Card: terms.CardsID(o.Card)}
	sub.SetPlan(o.Plan)
	if trial {
		sub.TrialEndsOn = terms.AddDays(today, int(o.Plan.TrialDays))
		sub.AnchorOn, sub.PeriodStart, sub.PeriodEnd = sub.TrialEndsOn, today, sub.TrialEndsOn
	} else {
		sub.BeginPeriod(today, true)
	}

	return sub
}
