package billing

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// subscribing subscribes companies to plans.
type subscribing struct {
	tables    *tables
	admission *admission
	life      *life
	collector *collector
}

func newSubscribing(t *tables, a *admission, l *life, c *collector) *subscribing {
	return &subscribing{tables: t, admission: a, life: l, collector: c}
}

// order is a wish to subscribe to a plan.
type order struct {
	plan plan
	card string
	// skipTrial begins with the first period.
	skipTrial bool
}

// subscribe subscribes the caller's company to a plan. The first invoice is charged, or the trial of the plan begins.
func (s *subscribing) subscribe(ctx context.Context, o order) (sub subscription, err error) {
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		trial, err := s.admission.admit(ctx, o)
		if err != nil {
			return err
		}
		today, err := s.life.today(ctx)
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
		sub, err = s.life.change(ctx, sub.ID, web.IfMatch{}, verbAdvance, func(ctx context.Context, sub *subscription) error {
			if trial {
				return s.life.move(ctx, sub, verbTrial, "")
			}

			return s.collector.bill(ctx, sub, planLine(sub, o.plan.Name), true)
		})
		if err != nil {
			return err
		}

		return s.life.started(ctx, sub)
	})

	return sub, err
}

// begun is a new subscription.
func begun(o order, trial bool, today field.Date) subscription {
	sub := subscription{StartedOn: today, Card: terms.CardsID(o.card)}
	sub.setPlan(o.plan)
	if trial {
		sub.TrialEndsOn = terms.AddDays(today, int(o.plan.TrialDays))
		sub.AnchorOn, sub.PeriodStart, sub.PeriodEnd = sub.TrialEndsOn, today, sub.TrialEndsOn
	} else {
		sub.beginPeriod(today, true)
	}

	return sub
}

// admission decides which companies can subscribe.
type admission struct {
	tables    *tables
	house     *house
	companies *identity.Service
	charges   *charges
}

func newAdmission(t *tables, h *house, companies *identity.Service, c *charges) *admission {
	return &admission{tables: t, house: h, companies: companies, charges: c}
}

// admit checks an order, and reports whether it begins with a trial: a company has one at most. It keeps others from subscribing the
// company until the transaction ends.
func (a *admission) admit(ctx context.Context, o order) (trial bool, err error) {
	seller, err := a.house.seller(ctx)
	if err != nil {
		return false, err
	}
	company := principal.CompanyOf(ctx)
	if company == seller.House {
		return false, errSellerBuys
	}
	if err := a.companies.Hold(ctx, company); err != nil {
		return false, err
	}
	if open, err := a.tables.Subscriptions.Count(ctx, "ended_at IS NULL"); err != nil || open > 0 {
		return false, orError(err, errSubscribed)
	}
	if o.card != "" {
		if err := a.charges.checkCard(ctx, o.card); err != nil {
			return false, err
		}
	}
	if o.skipTrial || o.plan.TrialDays == 0 {
		return false, nil
	}
	before, err := a.tables.Subscriptions.Count(ctx, "trial_ends_on IS NOT NULL")

	return before == 0, err
}

func orError(err, other error) error {
	if err != nil {
		return err
	}

	return other
}

// When a change of plan takes effect.
const (
	atOnce      = "now"
	atPeriodEnd = "period_end"
)

// wish is a wish for another plan.
type wish struct {
	plan      plan
	proration terms.Proration
	when      string
	// paid is what was billed for the current period.
	paid []terms.Paid
}

// outcome is what a change of plan does.
type outcome struct {
	when string
	// on is the day from which the plan holds.
	on field.Date
	// lines are those of the change, bill says that they are billed at once.
	lines []terms.Line
	bill  bool
}

// decide applies a wish to a subscription that is active or trialing.
func (w wish) decide(sub *subscription, today field.Date) (o outcome, err error) {
	switch {
	case sub.Plan == w.plan.ID && sub.NextPlan != nil: // it stays
		sub.NextPlan = nil

		return outcome{when: atOnce, on: today}, nil
	case sub.Plan == w.plan.ID:
		return o, errSamePlan
	case sub.Currency != w.plan.Currency:
		return o, errCurrency
	case sub.State == trialing:
		sub.setPlan(w.plan)

		return outcome{when: atOnce, on: today}, nil
	case sub.State == pastDue || sub.State == unpaid || sub.State == incomplete:
		return o, errOpenInvoice
	case sub.State != active:
		return o, errNotActive.WithDetail("state", string(sub.State))
	}
	if o.when = w.when; o.when == "" {
		o.when = atOnce
		if w.plan.price().Less(sub.running().Price) {
			o.when = atPeriodEnd
		}
	}
	if o.when == atPeriodEnd {
		sub.NextPlan, o.on = &w.plan.ID, sub.PeriodEnd

		return o, nil
	}
	running := sub.running()
	running.Paid = w.paid
	c := terms.Change(running, w.plan.price(), today, w.proration)
	o.on, o.bill, o.lines = today, c.Bill, prorationLines(sub, w.plan, c, today)
	sub.setPlan(w.plan)
	if c.Restart {
		sub.beginPeriod(today, true)
		o.lines = append(o.lines, planLine(sub, w.plan.Name)...)
	}

	return o, nil
}

// prorationLines are the lines of a change of plan within a period.
func prorationLines(sub *subscription, to plan, c terms.Changed, today field.Date) (lines []terms.Line) {
	line := func(kind terms.LineKind, units int64, code, text string) {
		if units != 0 {
			lines = append(lines, terms.Line{
				Kind: kind, Description: fmt.Sprintf("%s of %s, %d of %d days", text, code, c.Left, c.Of), Plan: code, From: today, Until: sub.PeriodEnd,
				Amount: money.OfUnits(units, sub.Currency).Amount,
			})
		}
	}
	line(terms.LineCredit, c.Credit, sub.Code, "Unused time")
	if !c.Restart {
		line(terms.LineCharge, c.Charge, to.Code, "Remaining time")
	}

	return lines
}

// changing changes subscriptions as companies ask for it.
type changing struct {
	life      *life
	collector *collector
	charges   *charges
	bills     *bills
}

func newChanging(l *life, c *collector, ch *charges, b *bills) *changing {
	return &changing{life: l, collector: c, charges: ch, bills: b}
}

// update gives a subscription another plan.
func (s *changing) update(ctx context.Context, id uuid.UUID, match web.IfMatch, w wish) (subscription, error) {
	return s.life.change(ctx, id, match, verbPlan, func(ctx context.Context, sub *subscription) error {
		today, err := s.life.today(ctx)
		if err != nil {
			return err
		}
		if w.paid, err = s.bills.paidFor(ctx, sub); err != nil {
			return err
		}
		was, before := sub.Plan, sub.Code
		o, err := w.decide(sub, today)
		if err != nil || sub.Plan == was {
			return err
		}
		if err := s.life.changedPlan(ctx, sub, before); err != nil {
			return err
		}
		if o.bill {
			return s.collector.bill(ctx, sub, o.lines, true)
		}
		sub.Pending.V = append(sub.Pending.V, o.lines...)

		return nil
	})
}

// cancel ends a subscription at the end of its period, or at once.
func (s *changing) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, atEnd bool, reason string) (subscription, error) {
	return s.life.change(ctx, id, match, verbCancel, func(ctx context.Context, sub *subscription) error {
		if atEnd && (sub.State == active || sub.State == trialing) {
			sub.Ending, sub.CancelReason, sub.NextPlan = true, reason, nil

			return nil
		}

		return s.collector.end(ctx, sub, reason)
	})
}

// resume continues a subscription that is paused, or takes back that it is to be canceled.
func (s *changing) resume(ctx context.Context, id uuid.UUID, match web.IfMatch) (subscription, error) {
	return s.life.change(ctx, id, match, verbResume, func(ctx context.Context, sub *subscription) error {
		switch {
		case sub.State == paused:
			today, err := s.life.today(ctx)
			if err != nil {
				return err
			}
			sub.unpause(today)

			return s.life.move(ctx, sub, verbResume, "")
		case sub.open() && sub.Ending:
			sub.Ending, sub.CancelReason = false, ""

			return nil
		default:
			return errNotEnding
		}
	})
}

// pause pauses a subscription: nothing is charged, and the days that are left are kept.
func (s *changing) pause(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (subscription, error) {
	return s.life.change(ctx, id, match, verbPause, func(ctx context.Context, sub *subscription) error {
		open, err := s.bills.open(ctx, sub.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return errOpenInvoice
		}
		today, err := s.life.today(ctx)
		if err != nil {
			return err
		}
		if err := s.life.move(ctx, sub, verbPause, reason); err != nil {
			return err
		}
		sub.pause(today)

		return nil
	})
}

// changeMethod has a subscription paid with another card, which is charged at once for what is open.
func (s *changing) changeMethod(ctx context.Context, id uuid.UUID, match web.IfMatch, card string) (subscription, error) {
	return s.life.change(ctx, id, match, verbMethod, func(ctx context.Context, sub *subscription) error {
		if !sub.open() {
			return errNone
		}
		if err := s.charges.checkCard(ctx, card); err != nil {
			return err
		}
		sub.Card, sub.Hard = terms.CardsID(card), false

		return s.collector.collect(ctx, sub, true)
	})
}
