package invoicing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// reasonReversed is why a refund is no longer given: nothing was paid.
const reasonReversed = "payment_reversed"

// Unpay takes a payment off its invoice, and reverses what was posted for it.
func (b *Bills) Unpay(ctx context.Context, p store.Payment) error {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return err
	}
	applied, err := p.Applied()
	if err != nil {
		return err
	}
	if applied.Sign() > 0 {
		if err := b.reopen(ctx, p.Invoice, applied); err != nil {
			return err
		}
	}

	return b.house.Post(ctx, seller, books.Entry{
		Reference: books.PaymentRef(p, "reversed"), Kind: "billing_payment_reversed", Source: books.InvoiceSource(p.Invoice),
		Postings: []ledger.Posting{
			ledger.Debit(books.ReceivableAccount(ctx), applied), ledger.Debit(books.UnappliedAccount(ctx), p.Overpaid()),
			ledger.Credit(books.CardAccount, p.Money()),
		},
	})
}

// reopen takes an amount that was not paid off an invoice. Refunds of it that were not given are not given any more; what was given back
// without having been paid is part of the balance.
func (b *Bills) reopen(ctx context.Context, id uuid.UUID, unpaid money.Money) error {
	kept, err := b.dropRefunds(ctx, id, money.Zero(unpaid.Currency))
	if err != nil {
		return err
	}
	_, err = b.tables.Invoices.Change(store.AsService(ctx), id, web.IfMatch{}, store.VerbReopen, func(ctx context.Context, i *store.Invoice) error {
		less, err := kept.Sub(unpaid)
		if err != nil {
			return err
		}
		back, err := kept.Neg()
		if err != nil {
			return err
		}
		if err := i.Add(&i.Paid, less); err != nil {
			return err
		}
		if err := i.Add(&i.Refunded, back); err != nil {
			return err
		}
		i.PaidAt = nil
		if err := b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbReopen)}); err != nil || i.Money(i.Balance).Sign() != 0 {
			return err
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbCredit)}) // all of it was credited
	})

	return err
}

// dropRefunds ends the refunds of an invoice that were not given, and returns their sum.
func (b *Bills) dropRefunds(ctx context.Context, invoice uuid.UUID, sum money.Money) (money.Money, error) {
	notes, err := b.tables.Credits.Where(ctx, "invoice_id = ? AND refund_state IN ?", invoice, []string{store.RefundPending, store.RefundFailed})
	if err != nil {
		return sum, err
	}
	for _, note := range notes {
		if sum, err = sum.Add(money.Money{Amount: note.Refund, Currency: note.Currency}); err != nil {
			return sum, err
		}
		_, err := b.changeCredit(ctx, note.ID, store.VerbRefund, func(n *store.CreditNote) {
			n.RefundState, n.RefundReason, n.Refund = store.RefundNone, reasonReversed, money.Zero(n.Currency).Amount
		})
		if err != nil {
			return sum, err
		}
	}

	return sum, nil
}
