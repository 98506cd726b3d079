package charging

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Refund gives back what was paid of a credit note, to the card that paid it.
func (c *Charges) Refund(ctx context.Context, note store.CreditNote) error {
	if note.RefundState != store.RefundPending {
		return nil
	}
	if note.Reference != "" { // the seller has sent it back
		return c.bills.Refunded(ctx, note.ID)
	}
	paid, err := c.tables.Payments.Where(ctx, "invoice_id = ? AND state = ? AND method = ?", note.Invoice, store.PaymentCaptured, store.ByCard)
	if err != nil {
		return err
	}
	if len(paid) == 0 {
		return store.ErrRefundByHand
	}
	seller, err := c.house.Seller(ctx)
	if err != nil {
		return err
	}
	units, _ := (money.Money{Amount: note.Refund, Currency: note.Currency}).Units()
	reported, err := c.orders.Refund(seller.AsHouse(ctx), cardsapi.RefundOrder{
		Reference: CreditPrefix + note.ID.String(), Payment: string(paid[0].CardPayment), Units: units, Reason: note.Reason,
	})
	if err != nil {
		return err
	}

	return c.RecordRefund(ctx, note.ID, reported.State, reported.Reason)
}

// RecordRefund stores what the area cards reports of a refund.
func (c *Charges) RecordRefund(ctx context.Context, note uuid.UUID, s cardsapi.RefundState, reason cardsapi.Reason) error {
	switch s {
	case cardsapi.RefundCompleted:
		return c.bills.Refunded(ctx, note)
	case cardsapi.RefundFailed:
		return c.bills.NotRefunded(ctx, note, string(reason))
	default:
		return nil
	}
}

// RefersTo returns the id in a reference with a prefix.
func RefersTo(reference, prefix string) (uuid.UUID, bool) {
	text, is := strings.CutPrefix(reference, prefix)
	id, err := uuid.Parse(text)

	return id, is && err == nil
}
