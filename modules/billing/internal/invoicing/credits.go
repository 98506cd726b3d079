package invoicing

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Credit is a credit of an invoice.
type Credit struct {
	// Amount is with taxes; "" is all that can be credited.
	Amount    money.Amount
	Reason    string
	Reference string // of a refund by bank transfer
	On        field.Date
}

// splitCredit decides how much of a credit takes off the balance of an invoice, and how much of it was paid and is given back.
func splitCredit(i store.Invoice, amount money.Amount) (total, refund money.Money, err error) {
	most, err := i.Money(i.Total).Sub(i.Money(i.Credited))
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
	case i.State == store.InvoiceLost || most.Sign() == 0:
		return total, refund, store.ErrNotCreditable
	case total.Sign() <= 0 || more > 0:
		return total, refund, store.ErrInvalidCredit.WithField("amount", "The amount must be more than 0, and at most "+string(most.Amount)+".").
			WithDetail("max", most.Amount)
	}
	if refund, err = total.Sub(i.Money(i.Balance)); err != nil || refund.Sign() < 0 {
		refund = money.Zero(i.Currency)
	}

	return total, refund, err
}

// Credit issues a credit note for an invoice, which the caller holds. What was paid of it is to be given back: Refund says how much.
func (b *Bills) Credit(ctx context.Context, id uuid.UUID, c Credit) (store.CreditNote, error) {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return store.CreditNote{}, err
	}
	i, err := b.tables.Invoices.Find(ctx, id)
	if err != nil {
		return store.CreditNote{}, err
	}
	total, refund, err := splitCredit(i, c.Amount)
	if err != nil {
		return store.CreditNote{}, err
	}
	parts, err := terms.CreditParts(i.Currency, i.Net, i.Taxes.V, i.Money(i.Credited), total)
	if err != nil {
		return store.CreditNote{}, err
	}
	note := store.CreditNote{
		Invoice: id, IssuedOn: c.On, Reason: c.Reason, Net: parts[0].Amount, Total: total.Amount, Currency: i.Currency, Refund: refund.Amount,
		RefundState: store.RefundNone, Reference: c.Reference,
	}
	tax := money.Zero(i.Currency)
	postings := []ledger.Posting{ledger.Debit(books.IncomeAccount, parts[0])}
	for n, t := range i.Taxes.V {
		part := parts[n+1]
		note.Taxes.V = append(note.Taxes.V, terms.Tax{Rate: t.Rate, Base: parts[0].Amount, Amount: part.Amount})
		postings = append(postings, ledger.Debit(books.TaxAccount(t.Code), part))
		if tax, err = tax.Add(part); err != nil {
			return note, err
		}
	}
	note.Tax = tax.Amount
	if refund.Sign() > 0 {
		note.RefundState = store.RefundPending
	}
	if note.Number, err = b.house.Number(ctx, seller, books.CreditSeries); err != nil {
		return note, err
	}
	made, err := b.tables.Credits.Create(ctx, note)
	if err != nil {
		return made, err
	}
	if err := b.takeOff(ctx, id, total, refund); err != nil {
		return made, err
	}
	err = b.house.Post(ctx, seller, books.Entry{
		Reference: "billing.credit_note:" + made.ID.String() + ":issued", Kind: "billing_credit_note", Source: books.InvoiceSource(id),
		Postings: append(postings, ledger.Credit(books.ReceivableAccount(ctx), total)),
	})
	if err != nil {
		return made, err
	}

	return made, b.bus.Publish(ctx, billingapi.InvoiceCredited{Invoice: id.String(), CreditNote: made.ID.String(), Amount: string(made.Total)})
}

// takeOff takes a credit off an invoice. What is to be given back was paid, and is paid no longer.
func (b *Bills) takeOff(ctx context.Context, id uuid.UUID, total, refund money.Money) error {
	_, err := b.tables.Invoices.Change(store.AsService(ctx), id, web.IfMatch{}, store.VerbCredit, func(ctx context.Context, i *store.Invoice) error {
		if err := i.Add(&i.Credited, total); err != nil {
			return err
		}
		back, err := refund.Neg()
		if err != nil {
			return err
		}
		if err := i.Add(&i.Paid, back); err != nil {
			return err
		}
		if err := i.Add(&i.Refunded, refund); err != nil {
			return err
		}
		if i.State != store.InvoiceOpen || i.Money(i.Balance).Sign() != 0 {
			return nil
		}
		if i.Money(i.Paid).Sign() > 0 { // what was left is credited
			i.PaidAt = new(b.tables.Clock.Now())

			return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbSettle)})
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbCredit)})
	})

	return err
}

// changeCredit holds a credit note, and has do change it, as the service.
func (b *Bills) changeCredit(ctx context.Context, id uuid.UUID, verb resource.Verb, do func(n *store.CreditNote)) (store.CreditNote, error) {
	return b.tables.Credits.Change(store.AsService(ctx), id, web.IfMatch{}, verb, func(_ context.Context, n *store.CreditNote) error {
		do(n)

		return nil
	})
}

// Refunded posts that money of a credit note was given back. A late report that a refund was completed, after it has failed, is passed over.
func (b *Bills) Refunded(ctx context.Context, id uuid.UUID) error {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return err
	}
	note, err := b.tables.Credits.Find(ctx, id)
	if err != nil || note.RefundState != store.RefundPending {
		return err
	}
	note, err = b.changeCredit(ctx, id, store.VerbRefund, func(n *store.CreditNote) {
		n.RefundState, n.RefundReason = store.RefundCompleted, ""
	})
	if err != nil {
		return err
	}
	amount, from, way := money.Money{Amount: note.Refund, Currency: note.Currency}, books.CardAccount, ""
	if note.Reference != "" {
		from, way = books.BankAccount, "_by_transfer"
	}

	return b.house.Post(ctx, seller, books.Entry{
		Reference: "billing.credit_note:" + id.String() + ":refunded" + way, Kind: "billing_refund", Source: books.InvoiceSource(note.Invoice),
		Postings: []ledger.Posting{ledger.Debit(books.ReceivableAccount(ctx), amount), ledger.Credit(from, amount)},
	})
}

// NotRefunded stores that a refund failed, or was taken back: the seller owes the money to the company.
func (b *Bills) NotRefunded(ctx context.Context, id uuid.UUID, reason string) error {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return err
	}
	note, err := b.tables.Credits.Find(ctx, id)
	if err != nil || note.RefundState != store.RefundPending && note.RefundState != store.RefundCompleted || note.Reference != "" {
		return err
	}
	given := note.RefundState == store.RefundCompleted
	note, err = b.changeCredit(ctx, id, store.VerbFail, func(n *store.CreditNote) {
		n.RefundState, n.RefundReason = store.RefundFailed, reason
	})
	if err != nil || !given {
		return err
	}
	amount := money.Money{Amount: note.Refund, Currency: note.Currency}

	return b.house.Post(ctx, seller, books.Entry{
		Reference: "billing.credit_note:" + id.String() + ":refund_failed", Kind: "billing_refund_failed", Source: books.InvoiceSource(note.Invoice),
		Postings: []ledger.Posting{ledger.Debit(books.CardAccount, amount), ledger.Credit(books.ReceivableAccount(ctx), amount)},
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
