package charging

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
)

// reverse takes back a captured payment that the vendor does not have. Its invoice is open again.
func (c *Charges) reverse(ctx context.Context, p store.Payment, reason string) (store.Payment, error) {
	if err := c.noteFee(ctx, p, 0); err != nil {
		return p, err
	}
	p, err := c.end(ctx, p.ID, store.VerbReverse, reason)
	if err != nil {
		return p, err
	}
	if err := c.bills.Unpay(ctx, p); err != nil {
		return p, err
	}

	return p, c.bus.Publish(ctx, billingapi.PaymentReversed{Payment: p.ID.String(), Invoice: p.Invoice.String(), Reason: reason})
}
