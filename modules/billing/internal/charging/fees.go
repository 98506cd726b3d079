package charging

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
)

// noteKnownFee posts the vendor's fee of a payment; 0 is not known yet.
func (c *Charges) noteKnownFee(ctx context.Context, p store.Payment, units int64) error {
	if units == 0 {
		return nil
	}

	return c.noteFee(ctx, p, units)
}

// noteFee posts the vendor's fee of a payment, which is held: the difference to what was posted before, which is what the row has.
func (c *Charges) noteFee(ctx context.Context, p store.Payment, units int64) error {
	fee := money.OfUnits(units, p.Currency)
	before := money.Zero(p.Currency)
	if p.Fee != "" {
		before.Amount = p.Fee
	}
	change, err := fee.Sub(before)
	if err != nil || change.Sign() == 0 {
		return err
	}
	p, err = c.change(ctx, p.ID, store.VerbFee, func(_ context.Context, p *store.Payment) error {
		p.Fee = fee.Amount

		return nil
	})
	if err != nil {
		return err
	}
	seller, err := c.house.Seller(ctx)
	if err != nil {
		return err
	}

	return c.house.Post(ctx, seller, books.Entry{
		Reference: books.PaymentRef(p, "fee"), Kind: "billing_card_fee", Source: books.InvoiceSource(p.Invoice), Postings: books.FeePostings(change),
	})
}
