// Package invoicing adds up, issues, settles and credits invoices.
package invoicing

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Bills issues invoices and credit notes, and keeps what is left of them to pay.
type Bills struct {
	tables  *store.Tables
	drafter *Drafter
	house   *books.House
	bus     *events.Bus
}

// NewBills returns Bills.
func NewBills(t *store.Tables, d *Drafter, h *books.House, bus *events.Bus) *Bills {
	return &Bills{tables: t, drafter: d, house: h, bus: bus}
}

// Issue issues an invoice for lines, and returns nil if there is nothing to bill. The credits that are left stay with the subscription.
func (b *Bills) Issue(ctx context.Context, s *store.Subscription, lines []terms.Line, on field.Date) (*store.Invoice, error) {
	d, err := b.drafter.Draft(ctx, s.Currency, lines, on)
	if err != nil {
		return nil, err
	}
	s.Pending.V = d.Left
	if len(d.Billed) == 0 {
		return nil, nil //nolint:nilnil // there is no invoice
	}
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return nil, err
	}
	zero := money.Zero(s.Currency).Amount
	row := store.Invoice{
		Subscription: s.ID, Seller: resource.JSON[store.Party]{V: seller.Party()}, Customer: resource.JSON[store.Party]{V: d.Customer}, IssuedOn: on,
		Lines: resource.JSON[[]terms.Line]{V: d.Billed}, Taxes: resource.JSON[[]terms.Tax]{V: d.Totals.Taxes},
		Net: d.Totals.Net.Amount, Tax: d.Totals.Tax.Amount, Total: d.Totals.Total.Amount, Currency: s.Currency,
		Paid: zero, Credited: zero, Refunded: zero, WrittenOff: zero, Balance: d.Totals.Total.Amount,
	}
	if row.Number, err = b.house.Number(ctx, seller, books.InvoiceSeries); err != nil {
		return nil, err
	}
	made, err := b.tables.Invoices.Create(ctx, row)
	if err != nil {
		return nil, err
	}
	if err := b.postIssued(ctx, seller, made); err != nil {
		return nil, err
	}
	err = b.bus.Publish(ctx, billingapi.InvoiceIssued{
		Invoice: made.ID.String(), Number: made.Number, Total: string(made.Total), Currency: string(made.Currency),
	})
	if err != nil || d.Totals.Total.Sign() > 0 {
		return &made, err
	}
	made, err = b.settle(ctx, made.ID, func(*store.Invoice) error { return nil })

	return &made, err
}

func (b *Bills) postIssued(ctx context.Context, s store.Seller, i store.Invoice) error {
	postings := []ledger.Posting{ledger.Debit(books.ReceivableAccount(ctx), i.Money(i.Total)), ledger.Credit(books.IncomeAccount, i.Money(i.Net))}
	for _, t := range i.Taxes.V {
		postings = append(postings, ledger.Credit(books.TaxAccount(t.Code), i.Money(t.Amount)))
	}

	return b.house.Post(ctx, s, books.Entry{
		Reference: invoiceRef(i.ID, "issued"), Kind: "billing_invoice_issued", Source: books.InvoiceSource(i.ID), Postings: postings,
	})
}

func invoiceRef(id uuid.UUID, what string) string {
	return "billing.invoice:" + id.String() + ":" + what
}

// settle changes the amounts of an invoice, and makes it paid once nothing is left to pay.
func (b *Bills) settle(ctx context.Context, id uuid.UUID, do func(i *store.Invoice) error) (store.Invoice, error) {
	ctx = store.AsService(ctx)
	paid := false
	row, err := b.tables.Invoices.Change(ctx, id, web.IfMatch{}, store.VerbPay, func(ctx context.Context, i *store.Invoice) error {
		if err := do(i); err != nil {
			return err
		}
		if i.Money(i.Balance).Sign() != 0 {
			return nil
		}
		i.PaidAt, paid = new(b.tables.Clock.Now()), true

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbSettle)})
	})
	if err != nil || !paid {
		return row, err
	}

	return row, b.bus.Publish(ctx, billingapi.InvoicePaid{Invoice: row.ID.String(), Number: row.Number})
}

// Pay stores that a payment was captured, and posts it. A payment of an invoice that was written off reverses that.
func (b *Bills) Pay(ctx context.Context, p store.Payment) error {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return err
	}
	from := books.CardAccount
	if p.Method == store.ByHand {
		from = books.BankAccount
	}
	applied, err := p.Applied()
	if err != nil {
		return err
	}
	if applied.Sign() > 0 {
		if err := b.payOff(ctx, seller, p, applied); err != nil {
			return err
		}
	}
	err = b.house.Post(ctx, seller, books.Entry{
		Reference: books.PaymentRef(p, "captured"), Kind: "billing_payment", Source: books.InvoiceSource(p.Invoice),
		Postings: []ledger.Posting{
			ledger.Debit(from, p.Money()), ledger.Credit(books.ReceivableAccount(ctx), applied), ledger.Credit(books.UnappliedAccount(ctx), p.Overpaid()),
		},
	})
	if err != nil {
		return err
	}

	return b.bus.Publish(ctx, billingapi.PaymentCaptured{Payment: p.ID.String(), Invoice: p.Invoice.String()})
}

// payOff takes a payment off what is left to pay of its invoice. One that was written off was not lost after all.
func (b *Bills) payOff(ctx context.Context, s store.Seller, p store.Payment, applied money.Money) error {
	_, err := b.settle(ctx, p.Invoice, func(i *store.Invoice) error {
		if i.State == store.InvoiceLost {
			lost := i.Money(i.WrittenOff)
			i.WrittenOff = money.Zero(i.Currency).Amount
			err := b.house.Post(ctx, s, books.Entry{
				Reference: books.PaymentRef(p, "recovered"), Kind: "billing_write_off_reversed", Source: books.InvoiceSource(i.ID),
				Postings: []ledger.Posting{ledger.Debit(books.ReceivableAccount(ctx), lost), ledger.Credit(books.LossAccount, lost)},
			})
			if err != nil {
				return err
			}
		}

		return i.Add(&i.Paid, applied)
	})

	return err
}

// WriteOff gives up what is left to pay of an invoice.
func (b *Bills) WriteOff(ctx context.Context, id uuid.UUID, reason string) error {
	seller, err := b.house.Seller(ctx)
	if err != nil {
		return err
	}
	var lost money.Money
	ctx = store.AsService(ctx)
	row, err := b.tables.Invoices.Change(ctx, id, web.IfMatch{}, store.VerbWriteOff, func(ctx context.Context, i *store.Invoice) error {
		lost = i.Money(i.Balance)
		if err := i.Add(&i.WrittenOff, lost); err != nil {
			return err
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(store.VerbWriteOff), Reason: reason})
	})
	if err != nil {
		return err
	}
	err = b.house.Post(ctx, seller, books.Entry{
		Reference: invoiceRef(id, fmt.Sprintf("written_off:%d", row.Version)), Kind: "billing_written_off", Source: books.InvoiceSource(id),
		Postings: []ledger.Posting{ledger.Debit(books.LossAccount, lost), ledger.Credit(books.ReceivableAccount(ctx), lost)},
	})
	if err != nil {
		return err
	}

	return b.bus.Publish(ctx, billingapi.InvoiceWrittenOff{Invoice: row.ID.String(), Number: row.Number})
}

// Open returns the invoices of a subscription that are open, the oldest first.
func (b *Bills) Open(ctx context.Context, subscription uuid.UUID) ([]store.Invoice, error) {
	rows, err := b.tables.Invoices.Where(ctx, "subscription_id = ? AND state = ?", subscription, store.InvoiceOpen)
	sortByAge(rows, func(i store.Invoice) resource.Row { return i.Row })

	return rows, err
}

// PaidFor is what was billed for the current period of a subscription, or is yet to be. Lines of it end with it; before a pause that lengthened
// it, with its plan's.
func (b *Bills) PaidFor(ctx context.Context, s *store.Subscription) (paid []terms.Paid, err error) {
	invoices, err := b.tables.Invoices.Where(ctx, "subscription_id = ?", s.ID)
	if err != nil {
		return nil, err
	}
	sortByAge(invoices, func(i store.Invoice) resource.Row { return i.Row })
	end := s.PeriodEnd
	for _, i := range invoices {
		for _, l := range i.Lines.V {
			if s.Lengthened() && l.Kind == terms.LinePlan {
				end = l.Until
			}
		}
	}
	add := func(lines []terms.Line, kept, total int64) {
		for _, l := range lines {
			if units, _ := (money.Money{Amount: l.Amount, Currency: s.Currency}).Units(); l.Until >= end {
				paid = append(paid, terms.Paid{Units: units, Days: terms.Days(l.From, l.Until), Kept: kept, Total: total})
			}
		}
	}
	for _, i := range invoices {
		total, _ := i.Money(i.Total).Units()
		credited, _ := i.Money(i.Credited).Units()
		add(i.Lines.V, max(total-credited, 0), total)
	}
	add(s.Pending.V, 1, 1)

	return paid, nil
}
