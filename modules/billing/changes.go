package billing

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// subscriber does what a company asks of its subscription and its invoices, and the operator for it.
type subscriber struct {
	life          *service
	subscriptions *resource.Resource[subscription]
	plans         *plans
	charges       *charges
	office        *office
}

func newSubscriber(s *service) *subscriber {
	return &subscriber{s, s.subscriptions, s.plans, s.charges, s.office}
}

// order is a wish to subscribe to a plan.
type order struct {
	plan plan
	card string
	// skipTrial begins with the first period.
	skipTrial bool
}

// subscribe subscribes the caller's company to a plan. The first invoice is charged, or the trial of the plan begins.
func (s *subscriber) subscribe(ctx context.Context, o order) (sub subscription, err error) {
	err = s.charges.db.InTx(ctx, func(ctx context.Context) error {
		trial, err := s.admit(ctx, o)
		if err != nil {
			return err
		}
		today, err := s.life.today(ctx)
		if err != nil {
			return err
		}
		row := begun(o, trial, today)
		if !trial {
			row.NextAt = new(s.life.now().Add(s.office.settings.IncompleteFor))
		}
		if sub, err = s.subscriptions.Create(ctx, row); err != nil {
			return err
		}
		sub, err = s.life.change(ctx, sub.ID, web.IfMatch{}, verbAdvance, func(ctx context.Context, sub *subscription) error {
			if trial {
				return s.life.move(ctx, sub, verbTrial, "")
			}

			return s.life.bill(ctx, sub, planLine(sub, o.plan.Name), true)
		})
		if err != nil {
			return err
		}

		return s.office.bus.Publish(ctx, billingapi.SubscriptionStarted{Subscription: sub.ID.String(), Plan: sub.Code, State: string(sub.State)})
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

// admit checks an order, and reports whether it begins with a trial: a company has one at most. It keeps others from subscribing the
// company until the transaction ends.
func (s *subscriber) admit(ctx context.Context, o order) (trial bool, err error) {
	seller, err := s.charges.bills.house.sellers.required(ctx)
	if err != nil {
		return false, err
	}
	company := principal.CompanyOf(ctx)
	if company == seller.House {
		return false, errSellerBuys
	}
	if err := s.office.companies.Hold(ctx, company); err != nil {
		return false, err
	}
	if open, err := s.subscriptions.Count(ctx, "ended_at IS NULL"); err != nil || open > 0 {
		return false, orError(err, errSubscribed)
	}
	if o.card != "" {
		if err := s.charges.checkCard(ctx, o.card); err != nil {
			return false, err
		}
	}
	if o.skipTrial || o.plan.TrialDays == 0 {
		return false, nil
	}
	before, err := s.subscriptions.Count(ctx, "trial_ends_on IS NOT NULL")

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

// update gives a subscription another plan.
func (s *subscriber) update(ctx context.Context, id uuid.UUID, match web.IfMatch, w wish) (subscription, error) {
	return s.life.change(ctx, id, match, verbPlan, func(ctx context.Context, sub *subscription) error {
		today, err := s.life.today(ctx)
		if err != nil {
			return err
		}
		if w.paid, err = s.charges.bills.paidFor(ctx, sub); err != nil {
			return err
		}
		was, before := sub.Plan, sub.Code
		o, err := w.decide(sub, today)
		if err != nil || sub.Plan == was {
			return err
		}
		if err := s.life.grant(ctx, sub); err != nil {
			return err
		}
		err = s.office.bus.Publish(ctx, billingapi.SubscriptionPlanChanged{Subscription: sub.ID.String(), Before: before, After: sub.Code})
		if err != nil {
			return err
		}
		if o.bill {
			return s.life.bill(ctx, sub, o.lines, true)
		}
		sub.Pending.V = append(sub.Pending.V, o.lines...)

		return nil
	})
}

// cancel ends a subscription at the end of its period, or at once.
func (s *subscriber) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, atEnd bool, reason string) (subscription, error) {
	return s.life.change(ctx, id, match, verbCancel, func(ctx context.Context, sub *subscription) error {
		if atEnd && (sub.State == active || sub.State == trialing) {
			sub.Ending, sub.CancelReason, sub.NextPlan = true, reason, nil

			return nil
		}

		return s.life.end(ctx, sub, reason)
	})
}

// resume continues a subscription that is paused, or takes back that it is to be canceled.
func (s *subscriber) resume(ctx context.Context, id uuid.UUID, match web.IfMatch) (subscription, error) {
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
func (s *subscriber) pause(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (subscription, error) {
	return s.life.change(ctx, id, match, verbPause, func(ctx context.Context, sub *subscription) error {
		open, err := s.charges.bills.open(ctx, sub.ID)
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
func (s *subscriber) changeMethod(ctx context.Context, id uuid.UUID, match web.IfMatch, card string) (subscription, error) {
	return s.life.change(ctx, id, match, verbMethod, func(ctx context.Context, sub *subscription) error {
		if !sub.open() {
			return errNone
		}
		if err := s.charges.checkCard(ctx, card); err != nil {
			return err
		}
		sub.Card, sub.Hard = terms.CardsID(card), false

		return s.life.collect(ctx, sub, true)
	})
}

// payInvoice charges an open invoice again, with the card of its subscription, or another one.
func (s *subscriber) payInvoice(ctx context.Context, id uuid.UUID, card string) (invoice, error) {
	bills := s.charges.bills
	i, err := bills.invoices.Find(ctx, id)
	if err != nil {
		return i, err
	}
	_, err = s.life.change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if i, err = s.payable(ctx, id); err != nil {
			return err
		}
		with := *sub
		if card != "" {
			with.Card = terms.CardsID(card)
		}
		if with.Card == "" {
			return errNoCard
		}
		if err := s.charges.checkCard(ctx, string(with.Card)); err != nil {
			return err
		}
		a, err := s.charges.charge(ctx, &with, i, true)
		if err != nil {
			return err
		}

		return s.life.settled(ctx, sub, a)
	})
	if err != nil {
		return i, err
	}

	return bills.invoices.Find(ctx, id)
}

// payable returns an invoice with something left to pay, and no payment without a result.
func (s *subscriber) payable(ctx context.Context, id uuid.UUID) (invoice, error) {
	i, err := s.charges.bills.invoices.Find(ctx, id)
	if err != nil {
		return i, err
	}
	if i.State != invoiceOpen {
		return i, errNothingToPay
	}
	if pending, err := s.charges.pending(ctx, id); err != nil || pending {
		return i, pendingOr(err)
	}

	return i, nil
}

// recordPayment stores a payment by bank transfer, for the operator.
func (s *subscriber) recordPayment(ctx context.Context, id uuid.UUID, reference string) (p payment, err error) {
	i, err := s.charges.bills.invoices.Find(ctx, id)
	if err != nil {
		return p, err
	}
	_, err = s.life.change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if i, err = s.charges.bills.invoices.Find(ctx, id); err != nil {
			return err
		}
		if i.State != invoiceOpen && i.State != invoiceLost {
			return errNothingToPay
		}
		if pending, err := s.charges.pending(ctx, id); err != nil || pending {
			return pendingOr(err)
		}
		if i.State == invoiceLost {
			i.Balance = i.WrittenOff
		}
		if p, err = s.charges.recordManual(ctx, i, reference); err != nil {
			return err
		}

		return s.life.settled(ctx, sub, attempt{payment: p})
	})

	return p, err
}

// creditInvoice issues a credit note for an invoice, and gives back what was paid, for the operator.
func (s *subscriber) creditInvoice(ctx context.Context, id uuid.UUID, c credit) (note creditNote, err error) {
	bills := s.charges.bills
	i, err := bills.invoices.Find(ctx, id)
	if err != nil {
		return note, err
	}
	_, err = s.life.change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if pending, err := s.charges.pending(ctx, id); err != nil || pending {
			return pendingOr(err)
		}
		if refunds, err := bills.credits.Count(ctx, "invoice_id = ? AND refund_state = ?", id, refundPending); err != nil || refunds > 0 {
			return orError(err, errRefundPending)
		}
		if c.on, err = s.life.today(ctx); err != nil {
			return err
		}
		if note, err = bills.credit(ctx, id, c); err != nil {
			return err
		}
		if err := s.charges.refund(ctx, note); err != nil {
			return err
		}
		if note, err = bills.credits.Find(ctx, note.ID); err != nil || !sub.open() {
			return err
		}

		return s.creditedOpen(ctx, sub)
	})

	return note, err
}

// recordRefund stores that what a credit note gives back was sent by bank transfer, after the refund to the card failed, for the operator.
func (s *subscriber) recordRefund(ctx context.Context, id uuid.UUID, reference string) (note creditNote, err error) {
	bills := s.charges.bills
	err = s.charges.db.InTx(ctx, func(ctx context.Context) error {
		note, err = bills.credits.Change(ctx, id, web.IfMatch{}, verbRefund, func(_ context.Context, n *creditNote) error {
			if n.RefundState != refundFailed {
				return errRefundNotFailed.WithDetail("refund_state", n.RefundState)
			}
			n.RefundState, n.Reference = refundPending, reference

			return nil
		})
		if err != nil {
			return err
		}
		if err := bills.refunded(ctx, id); err != nil {
			return err
		}
		note, err = bills.credits.Find(ctx, id)

		return err
	})

	return note, err
}

// creditedOpen activates a subscription whose last open invoice was credited.
func (s *subscriber) creditedOpen(ctx context.Context, sub *subscription) error {
	open, err := s.charges.bills.open(ctx, sub.ID)
	if err != nil || len(open) > 0 {
		return err
	}

	return s.life.recovered(ctx, sub)
}
