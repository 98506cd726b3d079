package billing

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// credit is a credit of an invoice.
type credit struct {
	// amount is with taxes; "" is all that can be credited.
	amount    money.Amount
	reason    string
	reference string // of a refund by bank transfer
	on        field.Date
}

// splitCredit decides how much of a credit takes off the balance of an invoice, and how much of it was paid and is given back.
func splitCredit(i invoice, amount money.Amount) (total, refund money.Money, err error) {
	most, err := i.money(i.Total).Sub(i.money(i.Credited))
	if err != nil {
		return total, refund, err
	}
	total = most
	if amount != "" {
		if total, err = money.Of(amount, i.Currency); err != nil {
			return total, refund, err
		}
	}
	switch more, err := total.Compare(most); {
	case err != nil:
		return total, refund, err
	case i.State == invoiceLost || most.Sign() == 0:
		return total, refund, errUncreditable
	case total.Sign() <= 0 || more > 0:
		return total, refund, errCredit.WithField("amount", "The amount must be more than 0, and at most "+string(most.Amount)+".").WithDetail("max", most.Amount)
	}
	if refund, err = total.Sub(i.money(i.Balance)); err != nil || refund.Sign() < 0 {
		refund = money.Zero(i.Currency)
	}

	return total, refund, err
}

// credit issues a credit note for an invoice, which the caller holds. What was paid of it is to be given back: Refund says how much.
func (b *bills) credit(ctx context.Context, id uuid.UUID, c credit) (creditNote, error) {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return creditNote{}, err
	}
	i, err := b.tables.Invoices.Find(ctx, id)
	if err != nil {
		return creditNote{}, err
	}
	total, refund, err := splitCredit(i, c.amount)
	if err != nil {
		return creditNote{}, err
	}
	parts, err := terms.CreditParts(i.Currency, i.Net, i.Taxes.V, i.money(i.Credited), total)
	if err != nil {
		return creditNote{}, err
	}
	note := creditNote{
		Invoice: id, IssuedOn: c.on, Reason: c.reason, Net: parts[0].Amount, Total: total.Amount, Currency: i.Currency, Refund: refund.Amount,
		RefundState: refundNone, Reference: c.reference,
	}
	tax := money.Zero(i.Currency)
	postings := []ledger.Posting{ledger.Debit(incomeAccount, parts[0])}
	for n, t := range i.Taxes.V {
		part := parts[n+1]
		note.Taxes.V = append(note.Taxes.V, terms.Tax{Rate: t.Rate, Base: parts[0].Amount, Amount: part.Amount})
		postings = append(postings, ledger.Debit(taxAccount(t.Code), part))
		if tax, err = tax.Add(part); err != nil {
			return note, err
		}
	}
	note.Tax = tax.Amount
	if refund.Sign() > 0 {
		note.RefundState = refundPending
	}
	if note.Number, err = b.house.number(ctx, seller, creditSeries); err != nil {
		return note, err
	}
	made, err := b.tables.Credits.Create(ctx, note)
	if err != nil {
		return made, err
	}
	if err := b.takeOff(ctx, id, total, refund); err != nil {
		return made, err
	}
	err = b.house.post(ctx, seller, entry{
		reference: "billing.credit_note:" + made.ID.String() + ":issued", kind: "billing_credit_note", source: sourceOf(id),
		postings: append(postings, ledger.Credit(receivable(ctx), total)),
	})
	if err != nil {
		return made, err
	}

	return made, b.bus.Publish(ctx, billingapi.InvoiceCredited{Invoice: id.String(), CreditNote: made.ID.String(), Amount: string(made.Total)})
}

// takeOff takes a credit off an invoice. What is to be given back was paid, and is paid no longer.
func (b *bills) takeOff(ctx context.Context, id uuid.UUID, total, refund money.Money) error {
	_, err := b.tables.Invoices.Change(asService(ctx), id, web.IfMatch{}, verbCredit, func(ctx context.Context, i *invoice) error {
		if err := i.add(&i.Credited, total); err != nil {
			return err
		}
		back, err := refund.Neg()
		if err != nil {
			return err
		}
		if err := i.add(&i.Paid, back); err != nil {
			return err
		}
		if err := i.add(&i.Refunded, refund); err != nil {
			return err
		}
		if i.State != invoiceOpen || i.money(i.Balance).Sign() != 0 {
			return nil
		}
		if i.money(i.Paid).Sign() > 0 { // what was left is credited
			i.PaidAt = new(b.tables.Clock.Now())

			return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbSettle)})
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbCredit)})
	})

	return err
}

// refunded posts that money of a credit note was given back. A late report that a refund was completed, after it has failed, is passed over.
func (b *bills) refunded(ctx context.Context, id uuid.UUID) error {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return err
	}
	note, err := b.tables.Credits.Find(ctx, id)
	if err != nil || note.RefundState != refundPending {
		return err
	}
	note, err = b.tables.Credits.Change(asService(ctx), id, web.IfMatch{}, verbRefund, func(_ context.Context, n *creditNote) error {
		n.RefundState, n.RefundReason = refundCompleted, ""

		return nil
	})
	if err != nil {
		return err
	}
	amount, from, way := money.Money{Amount: note.Refund, Currency: note.Currency}, cardAccount, ""
	if note.Reference != "" {
		from, way = bankAccount, "_by_transfer"
	}

	return b.house.post(ctx, seller, entry{
		reference: "billing.credit_note:" + id.String() + ":refunded" + way, kind: "billing_refund", source: sourceOf(note.Invoice),
		postings: []ledger.Posting{ledger.Debit(receivable(ctx), amount), ledger.Credit(from, amount)},
	})
}

// notRefunded stores that a refund failed, or was taken back: the seller owes the money to the company.
func (b *bills) notRefunded(ctx context.Context, id uuid.UUID, reason string) error {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return err
	}
	note, err := b.tables.Credits.Find(ctx, id)
	if err != nil || note.RefundState != refundPending && note.RefundState != refundCompleted || note.Reference != "" {
		return err
	}
	given := note.RefundState == refundCompleted
	note, err = b.tables.Credits.Change(asService(ctx), id, web.IfMatch{}, verbFail, func(_ context.Context, n *creditNote) error {
		n.RefundState, n.RefundReason = refundFailed, reason

		return nil
	})
	if err != nil || !given {
		return err
	}
	amount := money.Money{Amount: note.Refund, Currency: note.Currency}

	return b.house.post(ctx, seller, entry{
		reference: "billing.credit_note:" + id.String() + ":refund_failed", kind: "billing_refund_failed", source: sourceOf(note.Invoice),
		postings: []ledger.Posting{ledger.Debit(cardAccount, amount), ledger.Credit(receivable(ctx), amount)},
	})
}

// sortByAge sorts rows, the oldest first.
func sortByAge[R any](rows []R, of func(R) resource.Row) {
	slices.SortFunc(rows, func(a, b R) int {
		x, y := of(a), of(b)
		if c := x.CreatedAt.Compare(y.CreatedAt); c != 0 {
			return c
		}

		return bytes.Compare(x.ID[:], y.ID[:])
	})
}
