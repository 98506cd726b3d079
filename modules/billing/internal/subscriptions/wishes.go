package subscriptions

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// When a change of plan takes effect.
const (
	atOnce      = "now"
	atPeriodEnd = "period_end"
)

// Wish is a wish for another plan.
type Wish struct {
	plan      store.Plan
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
func (w Wish) decide(sub *store.Subscription, today field.Date) (o outcome, err error) {
	switch {
	case sub.Plan == w.plan.ID && sub.NextPlan != nil: // it stays
		sub.NextPlan = nil

		return outcome{when: atOnce, on: today}, nil
	case sub.Plan == w.plan.ID:
		return o, store.ErrSamePlan
	case sub.Currency != w.plan.Currency:
		return o, store.ErrCurrency
	case sub.State == store.Trialing:
		sub.SetPlan(w.plan)

		return outcome{when: atOnce, on: today}, nil
	case sub.State == store.PastDue || sub.State == store.Unpaid || sub.State == store.Incomplete:
		return o, store.ErrInvoiceOpen
	case sub.State != store.Active:
		return o, store.ErrNotActive.WithDetail("state", string(sub.State))
	}
	if o.when = w.when; o.when == "" {
		o.when = atOnce
		if w.plan.Cost().Less(sub.Running().Price) {
			o.when = atPeriodEnd
		}
	}
	if o.when == atPeriodEnd {
		sub.NextPlan, o.on = &w.plan.ID, sub.PeriodEnd

		return o, nil
	}
	running := sub.Running()
	running.Paid = w.paid
	c := terms.Change(running, w.plan.Cost(), today, w.proration)
	o.on, o.bill, o.lines = today, c.Bill, prorationLines(sub, w.plan, c, today)
	sub.SetPlan(w.plan)
	if c.Restart {
		sub.BeginPeriod(today, true)
		o.lines = append(o.lines, planLine(sub, w.plan.Name)...)
	}

	return o, nil
}

// prorationLines are the lines of a change of plan within a period.
func prorationLines(sub *store.Subscription, to store.Plan, c terms.Changed, today field.Date) (lines []terms.Line) {
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

// UpdateBody is a wish for another plan, as requests have it.
type UpdateBody struct {
	Plan      uuid.UUID       `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
	Code      string          `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
	Proration terms.Proration `json:"proration,omitempty" enum:"next,now,none" default:"next" doc:"Whether what is left of the period is charged and credited on the next invoice, at once, or not."`
	When      string          `json:"when,omitempty" enum:"now,period_end" doc:"When the plan takes effect; by default a cheaper one at the end of the period, another one at once."`
}

// SchemaName implements web.SchemaNamer.
func (UpdateBody) SchemaName() string { return "SubscriptionUpdate" }

// Wish returns the wish in a body, with the plan that was chosen.
func (b UpdateBody) Wish(ctx context.Context, from *catalogue.Plans) (Wish, error) {
	p, err := from.Chosen(ctx, catalogue.PlanChoice{Plan: b.Plan, Code: b.Code})
	if b.Proration == "" {
		b.Proration = terms.ProrateNext
	}

	return Wish{plan: p, proration: b.Proration, when: b.When}, err
}
