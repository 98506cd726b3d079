// Package paying takes and gives back what invoices cost, for companies and for the operator.
package paying

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Cashier takes and gives back what invoices cost, for companies and for the operator.
type Cashier struct {
	tables    *store.Tables
	life      *subscriptions.Life
	collector *subscriptions.Collector
	charges   *charging.Charges
	bills     *invoicing.Bills
}

// NewCashier returns a Cashier.
func NewCashier(t *store.Tables, l *subscriptions.Life, c *subscriptions.Collector, ch *charging.Charges, b *invoicing.Bills) *Cashier {
	return &Cashier{tables: t, life: l, collector: c, charges: ch, bills: b}
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
		if err := s.charges.CheckCard(ctx, string(with.Card)); err != nil {
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

// CreditInvoice issues a credit note for an invoice, and gives back what was paid, for the operator.
func (s *Cashier) CreditInvoice(ctx context.Context, id uuid.UUID, c invoicing.Credit) (note store.CreditNote, err error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return note, err
	}
	_, err = s.life.Change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if pending, err := s.charges.Pending(ctx, id); err != nil || pending {
			return cmp.Or[error](err, store.ErrPaymentPending)
		}
		if refunds, err := s.tables.Credits.Count(ctx, "invoice_id = ? AND refund_state = ?", id, store.RefundPending); err != nil || refunds > 0 {
			return cmp.Or[error](err, store.ErrRefundPending)
		}
		if c.On, err = s.life.Today(ctx); err != nil {
			return err
		}
		if note, err = s.bills.Credit(ctx, id, c); err != nil {
			return err
		}
		if err := s.charges.Refund(ctx, note); err != nil {
			return err
		}
		if note, err = s.tables.Credits.Find(ctx, note.ID); err != nil || !sub.Open() {
			return err
		}

		return s.creditedOpen(ctx, sub)
	})

	return note, err
}

// RecordRefund stores that what a credit note gives back was sent by bank transfer, after the refund to the card failed, for the operator.
func (s *Cashier) RecordRefund(ctx context.Context, id uuid.UUID, reference string) (note store.CreditNote, err error) {
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		note, err = s.tables.Credits.Change(ctx, id, web.IfMatch{}, store.VerbRefund, func(_ context.Context, n *store.CreditNote) error {
			if n.RefundState != store.RefundFailed {
				return store.ErrRefundNotFailed.WithDetail("refund_state", n.RefundState)
			}
			n.RefundState, n.Reference = store.RefundPending, reference

			return nil
		})
		if err != nil {
			return err
		}
		if err := s.bills.Refunded(ctx, id); err != nil {
			return err
		}
		note, err = s.tables.Credits.Find(ctx, id)

		return err
	})

	return note, err
}

// creditedOpen activates a subscription whose last open invoice was credited.
func (s *Cashier) creditedOpen(ctx context.Context, sub *store.Subscription) error {
	open, err := s.bills.Open(ctx, sub.ID)
	if err != nil || len(open) > 0 {
		return err
	}

	return s.collector.Recovered(ctx, sub)
}
