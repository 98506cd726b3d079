package charging

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/ledger"
)

// Apply has a captured payment pay its invoice. What it is more than that is given back: a payment that was believed to have failed may turn
// out to be captured after the invoice was paid by another one, or credited.
func (c *Charges) Apply(ctx context.Context, p store.Payment) error {
	i, err := c.tables.Invoices.Find(ctx, p.Invoice)
	if err != nil {
		return err
	}
	due := i.Money(i.Balance)
	if i.State == store.InvoiceLost {
		due = i.Money(i.WrittenOff)
	}
	excess, err := p.Money().Sub(due)
	if err != nil {
		return err
	}
	if excess.Sign() > 0 {
		p, err = c.change(ctx, p.ID, store.VerbCapture, func(_ context.Context, p *store.Payment) error {
			p.Excess = excess.Amount

			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.bills.Pay(ctx, p); err != nil || excess.Sign() <= 0 || p.Method != store.ByCard {
		return err
	}
	seller, err := c.house.Seller(ctx)
	if err != nil {
		return err
	}
	units, _ := excess.Units()
	_, err = c.orders.Refund(seller.AsHouse(ctx), cardsapi.RefundOrder{
		Reference: ExcessPrefix + p.ID.String(), Payment: string(p.CardPayment), Units: units, Reason: "It was paid twice.",
	})

	return err
}

// RecordExcess posts that the excess of a payment was given back, or that it was not after all.
func (c *Charges) RecordExcess(ctx context.Context, id uuid.UUID, s cardsapi.RefundState, completed bool) error {
	p, err := c.tables.Payments.Find(ctx, id)
	if err != nil {
		return err
	}
	seller, err := c.house.Seller(ctx)
	if err != nil {
		return err
	}
	e := books.Entry{Reference: ExcessPrefix + id.String() + ":refunded", Kind: "billing_refund", Source: books.InvoiceSource(p.Invoice)}
	e.Postings = []ledger.Posting{ledger.Debit(books.UnappliedAccount(ctx), p.Overpaid()), ledger.Credit(books.CardAccount, p.Overpaid())}
	if s == cardsapi.RefundFailed {
		if !completed {
			return nil
		}
		e.Reference, e.Kind = ExcessPrefix+id.String()+":refund_failed", "billing_refund_failed"
		e.Postings = []ledger.Posting{ledger.Debit(books.CardAccount, p.Overpaid()), ledger.Credit(books.UnappliedAccount(ctx), p.Overpaid())}
	}

	return c.house.Post(ctx, seller, e)
}
