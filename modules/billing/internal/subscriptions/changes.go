package subscriptions

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Changer changes subscriptions as companies ask for it.
type Changer struct {
	life      *Life
	collector *Collector
	wallet    *charging.Wallet
	bills     *invoicing.Bills
}

// NewChanger returns a Changer.
func NewChanger(l *Life, c *Collector, w *charging.Wallet, b *invoicing.Bills) *Changer {
	return &Changer{life: l, collector: c, wallet: w, bills: b}
}

// Update gives a subscription another plan.
func (s *Changer) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, w Wish) (store.Subscription, error) {
	return s.life.Change(ctx, id, match, store.VerbPlan, func(ctx context.Context, sub *store.Subscription) error {
		today, err := s.life.Today(ctx)
		if err != nil {
			return err
		}
		if w.paid, err = s.bills.PaidFor(ctx, sub); err != nil {
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
func (s *Changer) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, atEnd bool, reason string) (store.Subscription, error) {
	return s.life.Change(ctx, id, match, store.VerbCancel, func(ctx context.Context, sub *store.Subscription) error {
		if atEnd && (sub.State == store.Active || sub.State == store.Trialing) {
			sub.Ending, sub.CancelReason, sub.NextPlan = true, reason, nil

			return nil
		}

		return s.collector.end(ctx, sub, reason)
	})
}

// resume continues a subscription that is paused, or takes back that it is to be canceled.
func (s *Changer) resume(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Subscription, error) {
	return s.life.Change(ctx, id, match, store.VerbResume, func(ctx context.Context, sub *store.Subscription) error {
		switch {
		case sub.State == store.Paused:
			today, err := s.life.Today(ctx)
			if err != nil {
				return err
			}
			sub.Unpause(today)

			return s.life.move(ctx, sub, store.VerbResume, "")
		case sub.Open() && sub.Ending:
			sub.Ending, sub.CancelReason = false, ""

			return nil
		default:
			return store.ErrNotEnding
		}
	})
}

// pause pauses a subscription: nothing is charged, and the days that are left are kept.
func (s *Changer) pause(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (store.Subscription, error) {
	return s.life.Change(ctx, id, match, store.VerbPause, func(ctx context.Context, sub *store.Subscription) error {
		open, err := s.bills.Open(ctx, sub.ID)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return store.ErrInvoiceOpen
		}
		today, err := s.life.Today(ctx)
		if err != nil {
			return err
		}
		if err := s.life.move(ctx, sub, store.VerbPause, reason); err != nil {
			return err
		}
		sub.Pause(today)

		return nil
	})
}

// changeMethod has a subscription paid with another card, which is charged at once for what is open.
func (s *Changer) changeMethod(ctx context.Context, id uuid.UUID, match web.IfMatch, card string) (store.Subscription, error) {
	return s.life.Change(ctx, id, match, store.VerbMethod, func(ctx context.Context, sub *store.Subscription) error {
		if !sub.Open() {
			return store.ErrNoSubscription
		}
		if err := s.wallet.Check(ctx, card); err != nil {
			return err
		}
		sub.Card, sub.Hard = terms.CardsID(card), false

		return s.collector.Collect(ctx, sub, true)
	})
}
