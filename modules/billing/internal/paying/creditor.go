package paying

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Creditor credits invoices, and gives back what was paid, for the operator.
type Creditor struct {
	tables    *store.Tables
	life      *subscriptions.Life
	collector *subscriptions.Collector
	charges   *charging.Charges
	bills     *invoicing.Bills
}

// NewCreditor returns a Creditor.
func NewCreditor(t *store.Tables, l *subscriptions.Life, c *subscriptions.Collector, ch *charging.Charges, b *invoicing.Bills) *Creditor {
	return &Creditor{tables: t, life: l, collector: c, charges: ch, bills: b}
}

// Credit issues a credit note for an invoice, and gives back what was paid.
func (s *Creditor) Credit(ctx context.Context, id uuid.UUID, c invoicing.Credit) (note store.CreditNote, err error) {
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

// RecordRefund stores that what a credit note gives back was sent by bank transfer, after the refund to the card failed.
func (s *Creditor) RecordRefund(ctx context.Context, id uuid.UUID, reference string) (note store.CreditNote, err error) {
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
func (s *Creditor) creditedOpen(ctx context.Context, sub *store.Subscription) error {
	open, err := s.bills.Open(ctx, sub.ID)
	if err != nil || len(open) > 0 {
		return err
	}

	return s.collector.Recovered(ctx, sub)
}
