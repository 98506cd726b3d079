package billing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// cashier takes and gives back what invoices cost, for companies and for the operator.
type cashier struct {
	tables    *tables
	life      *life
	collector *collector
	charges   *charges
	bills     *bills
}

func newCashier(t *tables, l *life, c *collector, ch *charges, b *bills) *cashier {
	return &cashier{tables: t, life: l, collector: c, charges: ch, bills: b}
}

// payInvoice charges an open invoice again, with the card of its subscription, or another one.
func (s *cashier) payInvoice(ctx context.Context, id uuid.UUID, card string) (invoice, error) {
	i, err := s.tables.Invoices.Find(ctx, id)
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

		return s.collector.settled(ctx, sub, a)
	})
	if err != nil {
		return i, err
	}

	return s.tables.Invoices.Find(ctx, id)
}

// payable returns an invoice with something left to pay, and no payment without a result.
func (s *cashier) payable(ctx context.Context, id uuid.UUID) (invoice, error) {
	i, err := s.tables.Invoices.Find(ctx, id)
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
func (s *cashier) recordPayment(ctx context.Context, id uuid.UUID, reference string) (p payment, err error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return p, err
	}
	_, err = s.life.change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if i, err = s.tables.Invoices.Find(ctx, id); err != nil {
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

		return s.collector.settled(ctx, sub, attempt{payment: p})
	})

	return p, err
}

// creditInvoice issues a credit note for an invoice, and gives back what was paid, for the operator.
func (s *cashier) creditInvoice(ctx context.Context, id uuid.UUID, c credit) (note creditNote, err error) {
	i, err := s.tables.Invoices.Find(ctx, id)
	if err != nil {
		return note, err
	}
	_, err = s.life.change(ctx, i.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if pending, err := s.charges.pending(ctx, id); err != nil || pending {
			return pendingOr(err)
		}
		if refunds, err := s.tables.Credits.Count(ctx, "invoice_id = ? AND refund_state = ?", id, refundPending); err != nil || refunds > 0 {
			return orError(err, errRefundPending)
		}
		if c.on, err = s.life.today(ctx); err != nil {
			return err
		}
		if note, err = s.bills.credit(ctx, id, c); err != nil {
			return err
		}
		if err := s.charges.refund(ctx, note); err != nil {
			return err
		}
		if note, err = s.tables.Credits.Find(ctx, note.ID); err != nil || !sub.open() {
			return err
		}

		return s.creditedOpen(ctx, sub)
	})

	return note, err
}

// recordRefund stores that what a credit note gives back was sent by bank transfer, after the refund to the card failed, for the operator.
func (s *cashier) recordRefund(ctx context.Context, id uuid.UUID, reference string) (note creditNote, err error) {
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		note, err = s.tables.Credits.Change(ctx, id, web.IfMatch{}, verbRefund, func(_ context.Context, n *creditNote) error {
			if n.RefundState != refundFailed {
				return errRefundNotFailed.WithDetail("refund_state", n.RefundState)
			}
			n.RefundState, n.Reference = refundPending, reference

			return nil
		})
		if err != nil {
			return err
		}
		if err := s.bills.refunded(ctx, id); err != nil {
			return err
		}
		note, err = s.tables.Credits.Find(ctx, id)

		return err
	})

	return note, err
}

// creditedOpen activates a subscription whose last open invoice was credited.
func (s *cashier) creditedOpen(ctx context.Context, sub *subscription) error {
	open, err := s.bills.open(ctx, sub.ID)
	if err != nil || len(open) > 0 {
		return err
	}

	return s.collector.recovered(ctx, sub)
}
