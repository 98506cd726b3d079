// Package paying takes and gives back what invoices cost, for companies and for the operator.
package paying

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Cashier takes payments of invoices, for companies and for the operator.
type Cashier struct {
	tables    *store.Tables
	life      *subscriptions.Life
	collector *subscriptions.Collector
	charges   *charging.Charges
	wallet    *charging.Wallet
}

// NewCashier returns a Cashier.
func NewCashier(t *store.Tables, l *subscriptions.Life, c *subscriptions.Collector, ch *charging.Charges, w *charging.Wallet) *Cashier {
	return &Cashier{tables: t, life: l, collector: c, charges: ch, wallet: w}
}

// payInvoice charges an open invoice again, with the card of its subscription, or another one.
func (s *Cashier) payInvoice(ctx context.Context, id uuid.UUID, card string) (store.Invoice, error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return i, err
	}
	_, err = s.life.Change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if i, err = s.payable(ctx, id); err != nil {
			return err
		}
		with := *sub
		if card != "" {
			with.Card = terms.CardsID(card)
		}
		if with.Card == "" {
			return store.ErrNoCard
		}
		if err := s.wallet.Check(ctx, string(with.Card)); err != nil {
			return err
		}
		a, err := s.charges.Charge(ctx, &with, i, true)
		if err != nil {
			return err
		}

		return s.collector.Settled(ctx, sub, a)
	})
	if err != nil {
		return i, err
	}

	return s.tables.Invoices.Find(ctx, id)
}

// payable returns an invoice with something left to pay, and no payment without a result.
func (s *Cashier) payable(ctx context.Context, id uuid.UUID) (store.Invoice, error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return i, err
	}
	if i.State != store.InvoiceOpen {
		return i, store.ErrNothingToPay
	}
	if pending, err := s.charges.Pending(ctx, id); err != nil || pending {
		return i, cmp.Or[error](err, store.ErrPaymentPending)
	}

	return i, nil
}

// RecordPayment stores a payment by bank transfer, for the operator.
func (s *Cashier) RecordPayment(ctx context.Context, id uuid.UUID, reference string) (p store.Payment, err error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return p, err
	}
	_, err = s.life.Change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if i, err = s.tables.Invoices.Find(ctx, id); err != nil {
			return err
		}
		if i.State != store.InvoiceOpen && i.State != store.InvoiceLost {
			return store.ErrNothingToPay
		}
		if pending, err := s.charges.Pending(ctx, id); err != nil || pending {
			return cmp.Or[error](err, store.ErrPaymentPending)
		}
		if i.State == store.InvoiceLost {
			i.Balance = i.WrittenOff
		}
		if p, err = s.charges.RecordManual(ctx, i, reference); err != nil {
			return err
		}

		return s.collector.Settled(ctx, sub, charging.Attempt{Payment: p})
	})

	return p, err
}
