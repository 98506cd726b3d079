package billing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// reasonReversed is why a refund is no longer given: nothing was paid.
const reasonReversed = "payment_reversed"

// reverse takes back a captured payment that the vendor does not have. Its invoice is open again.
func (c *charges) reverse(ctx context.Context, p payment, reason string) (payment, error) {
	if err := c.noteFee(ctx, p, 0); err != nil {
		return p, err
	}
	p, err := c.end(ctx, p.ID, verbReverse, reason)
	if err != nil {
		return p, err
	}
	if err := c.bills.unpay(ctx, p); err != nil {
		return p, err
	}

	return p, c.bus.Publish(ctx, billingapi.PaymentReversed{Payment: p.ID.String(), Invoice: p.Invoice.String(), Reason: reason})
}

// unpay takes a payment off its invoice, and reverses what was posted for it.
func (b *bills) unpay(ctx context.Context, p payment) error {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return err
	}
	applied, err := p.applied()
	if err != nil {
		return err
	}
	if applied.Sign() > 0 {
		if err := b.reopen(ctx, p.Invoice, applied); err != nil {
			return err
		}
	}

	return b.house.post(ctx, seller, entry{
		reference: paymentRef(p, "reversed"), kind: "billing_payment_reversed", source: sourceOf(p.Invoice),
		postings: []ledger.Posting{
			ledger.Debit(receivable(ctx), applied), ledger.Debit(unapplied(ctx), p.excess()), ledger.Credit(cardAccount, p.money()),
		},
	})
}

// reopen takes an amount that was not paid off an invoice. Refunds of it that were not given are not given any more; what was given back
// without having been paid is part of the balance.
func (b *bills) reopen(ctx context.Context, id uuid.UUID, unpaid money.Money) error {
	kept, err := b.dropRefunds(ctx, id, money.Zero(unpaid.Currency))
	if err != nil {
		return err
	}
	_, err = b.tables.Invoices.Change(asService(ctx), id, web.IfMatch{}, verbReopen, func(ctx context.Context, i *invoice) error {
		less, err := kept.Sub(unpaid)
		if err != nil {
			return err
		}
		back, err := kept.Neg()
		if err != nil {
			return err
		}
		if err := i.add(&i.Paid, less); err != nil {
			return err
		}
		if err := i.add(&i.Refunded, back); err != nil {
			return err
		}
		i.PaidAt = nil
		if err := b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbReopen)}); err != nil || i.money(i.Balance).Sign() != 0 {
			return err
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbCredit)}) // all of it was credited
	})

	return err
}

// dropRefunds ends the refunds of an invoice that were not given, and returns their sum.
func (b *bills) dropRefunds(ctx context.Context, invoice uuid.UUID, sum money.Money) (money.Money, error) {
	notes, err := b.tables.Credits.Where(ctx, "invoice_id = ? AND refund_state IN ?", invoice, []string{refundPending, refundFailed})
	if err != nil {
		return sum, err
	}
	for _, note := range notes {
		if sum, err = sum.Add(money.Money{Amount: note.Refund, Currency: note.Currency}); err != nil {
			return sum, err
		}
		_, err := b.tables.Credits.Change(asService(ctx), note.ID, web.IfMatch{}, verbRefund, func(_ context.Context, n *creditNote) error {
			n.RefundState, n.RefundReason, n.Refund = refundNone, reasonReversed, money.Zero(n.Currency).Amount

			return nil
		})
		if err != nil {
			return sum, err
		}
	}

	return sum, nil
}
