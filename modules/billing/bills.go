package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The series of numbers, which are the seller's.
const (
	invoiceSeries = "billing.invoice"
	creditSeries  = "billing.credit_note"
)

// house is the seller's side of what companies owe: who sells, its ledger, and its series of numbers.
type house struct {
	sellers *sellers
	books   *ledger.Ledger
	numbers *numbering.Numbers
}

func newHouse(s *sellers, books *ledger.Ledger, numbers *numbering.Numbers) *house {
	return &house{sellers: s, books: books, numbers: numbers}
}

// seller returns who sells. Error: errNoSeller.
func (h *house) seller(ctx context.Context) (seller, error) { return h.sellers.required(ctx) }

// number returns the next number of a series of the seller.
func (h *house) number(ctx context.Context, s seller, series string) (string, error) {
	return h.numbers.Next(s.house(ctx), series)
}

// customer returns a context in which the service acts for the owner of a payment, false if the event is not the seller's.
func (h *house) customer(ctx context.Context, ownerType, owner string) (context.Context, bool, error) {
	seller, err := h.seller(ctx)
	if errs.KindOf(err) == errs.Conflict {
		return ctx, false, nil
	}
	company, invalid := uuid.Parse(owner)
	if err != nil || invalid != nil || ownerType != customerItem || principal.CompanyOf(ctx) != seller.House {
		return ctx, false, err
	}

	return principal.AsCompany(ctx, company), true, nil
}

// entry is a transaction of the seller's ledger about the caller's company.
type entry struct {
	reference, kind string
	source          item.Ref
	postings        []ledger.Posting
}

// post posts an entry to the seller's ledger, in the caller's transaction. Postings of nothing are left out.
func (h *house) post(ctx context.Context, seller seller, e entry) error {
	var postings []ledger.Posting
	for _, p := range e.postings {
		if p.Amount.Sign() != 0 {
			postings = append(postings, p)
		}
	}
	if len(postings) == 0 {
		return nil
	}
	_, err := h.books.Post(seller.house(ctx), ledger.Transaction{Reference: e.reference, Kind: e.kind, Source: e.source, Postings: postings})

	return err
}

// postDispute posts that the vendor took a disputed amount, and where it went; no account while that is undecided. Events may come in any
// order: the amount is the one of the first.
func (h *house) postDispute(ctx context.Context, source item.Ref, of cardsapi.DisputeAbout, amount money.Money, to ledger.Account) error {
	seller, err := h.seller(ctx)
	if err != nil {
		return err
	}
	reference := "billing.dispute:" + of.Dispute
	err = h.post(ctx, seller, entry{
		reference: reference + ":opened", kind: "billing_dispute", source: source,
		postings: []ledger.Posting{ledger.Debit(disputed, amount), ledger.Credit(cardAccount, amount)},
	})
	if to.Code == "" || err != nil && !errors.Is(err, ledger.ErrReferenceConflict) {
		return err
	}

	from, decision := disputed, reference+":decided"
	switch of.Was { // another decision took the amount out of the disputed ones before
	case "lost":
		from, decision = chargebacks, fmt.Sprintf("%s:%d", decision, of.Version)
	case "won":
		from, decision = cardAccount, fmt.Sprintf("%s:%d", decision, of.Version)
	}

	return h.post(ctx, seller, entry{
		reference: decision, kind: "billing_dispute_decided", source: source,
		postings: []ledger.Posting{ledger.Debit(to, amount), ledger.Credit(from, amount)},
	})
}

// Accounts of the seller's ledger.
var (
	incomeAccount = ledger.Account{Code: "income:subscriptions", Kind: ledger.Income}
	cardAccount   = ledger.Account{Code: "cash_clearing:cards", Kind: ledger.Asset}
	disputed      = ledger.Account{Code: "cash_disputed:cards", Kind: ledger.Asset}
	bankAccount   = ledger.Account{Code: "cash:bank", Kind: ledger.Asset}
	chargebacks   = ledger.Account{Code: "expense:chargebacks", Kind: ledger.Expense}
	lossAccount   = ledger.Account{Code: "expense:bad_debt", Kind: ledger.Expense}
)

// receivable is what the caller's company owes the seller.
func receivable(ctx context.Context) ledger.Account {
	company := principal.CompanyOf(ctx)

	return ledger.Account{Code: "receivable:" + company.String(), Kind: ledger.Asset, Subject: item.Ref{Type: customerItem, UUID: company}}
}

func taxAccount(code string) ledger.Account {
	return ledger.Account{Code: "tax:" + code, Kind: ledger.Liability}
}

// bills issues invoices and credit notes, and keeps what is left of them to pay.
type bills struct {
	tables  *tables
	drafter *drafter
	house   *house
	bus     *events.Bus
}

func newBills(t *tables, d *drafter, h *house, bus *events.Bus) *bills {
	return &bills{tables: t, drafter: d, house: h, bus: bus}
}

// drafter adds up invoices, without issuing them.
type drafter struct {
	companies *identity.Service
	taxes     *taxes
	rounding  terms.TaxRounding
}

func newDrafter(s settings, companies *identity.Service, t *taxes) *drafter {
	return &drafter{companies: companies, taxes: t, rounding: terms.TaxRounding(s.TaxRounding)}
}

// drafted is an invoice that is not issued.
type drafted struct {
	totals       terms.Totals
	billed, left []terms.Line
	customer     party
}

// draft adds up lines for the caller's company on a day. Credits that are more than the charges are left.
func (r *drafter) draft(ctx context.Context, in money.Currency, lines []terms.Line, on field.Date) (d drafted, err error) {
	company, err := r.companies.Company(ctx, principal.CompanyOf(ctx))
	if err != nil {
		return d, err
	}
	rates, err := r.taxes.all(ctx)
	if err != nil {
		return d, err
	}
	if d.billed, d.left, err = terms.Settle(in, lines); err != nil {
		return d, err
	}
	nets := make([]money.Money, len(d.billed))
	for i, l := range d.billed {
		nets[i] = money.Money{Amount: l.Amount, Currency: in}
	}
	d.customer = customerOf(company)
	d.totals, err = terms.Total(in, nets, ratesFor(rates, company.Address, on), r.rounding)

	return d, err
}

// issue issues an invoice for lines, and returns nil if there is nothing to bill. The credits that are left stay with the subscription.
func (b *bills) issue(ctx context.Context, s *subscription, lines []terms.Line, on field.Date) (*invoice, error) {
	d, err := b.drafter.draft(ctx, s.Currency, lines, on)
	if err != nil {
		return nil, err
	}
	s.Pending.V = d.left
	if len(d.billed) == 0 {
		return nil, nil //nolint:nilnil // there is no invoice
	}
	seller, err := b.house.seller(ctx)
	if err != nil {
		return nil, err
	}
	zero := money.Zero(s.Currency).Amount
	row := invoice{
		Subscription: s.ID, Seller: resource.JSON[party]{V: seller.party()}, Customer: resource.JSON[party]{V: d.customer}, IssuedOn: on,
		Lines: resource.JSON[[]terms.Line]{V: d.billed}, Taxes: resource.JSON[[]terms.Tax]{V: d.totals.Taxes},
		Net: d.totals.Net.Amount, Tax: d.totals.Tax.Amount, Total: d.totals.Total.Amount, Currency: s.Currency,
		Paid: zero, Credited: zero, Refunded: zero, WrittenOff: zero, Balance: d.totals.Total.Amount,
	}
	if row.Number, err = b.house.number(ctx, seller, invoiceSeries); err != nil {
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
	if err != nil || d.totals.Total.Sign() > 0 {
		return &made, err
	}
	made, err = b.settle(ctx, made.ID, func(*invoice) error { return nil })

	return &made, err
}

func (b *bills) postIssued(ctx context.Context, s seller, i invoice) error {
	postings := []ledger.Posting{ledger.Debit(receivable(ctx), i.money(i.Total)), ledger.Credit(incomeAccount, i.money(i.Net))}
	for _, t := range i.Taxes.V {
		postings = append(postings, ledger.Credit(taxAccount(t.Code), i.money(t.Amount)))
	}

	return b.house.post(ctx, s, entry{reference: invoiceRef(i.ID, "issued"), kind: "billing_invoice_issued", source: sourceOf(i.ID), postings: postings})
}

func sourceOf(id uuid.UUID) item.Ref { return item.Ref{Type: "billing.invoice", UUID: id} }

func invoiceRef(id uuid.UUID, what string) string {
	return "billing.invoice:" + id.String() + ":" + what
}

// settle changes the amounts of an invoice, and makes it paid once nothing is left to pay.
func (b *bills) settle(ctx context.Context, id uuid.UUID, do func(i *invoice) error) (invoice, error) {
	ctx = asService(ctx)
	paid := false
	row, err := b.tables.Invoices.Change(ctx, id, web.IfMatch{}, verbPay, func(ctx context.Context, i *invoice) error {
		if err := do(i); err != nil {
			return err
		}
		if i.money(i.Balance).Sign() != 0 {
			return nil
		}
		i.PaidAt, paid = new(b.tables.Clock.Now()), true

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbSettle)})
	})
	if err != nil || !paid {
		return row, err
	}

	return row, b.bus.Publish(ctx, billingapi.InvoicePaid{Invoice: row.ID.String(), Number: row.Number})
}

// pay stores that a payment was captured, and posts it. A payment of an invoice that was written off reverses that.
func (b *bills) pay(ctx context.Context, p payment) error {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return err
	}
	from := cardAccount
	if p.Method == byHand {
		from = bankAccount
	}
	applied, err := p.applied()
	if err != nil {
		return err
	}
	if applied.Sign() > 0 {
		if err := b.payOff(ctx, seller, p, applied); err != nil {
			return err
		}
	}
	err = b.house.post(ctx, seller, entry{
		reference: paymentRef(p, "captured"), kind: "billing_payment", source: sourceOf(p.Invoice),
		postings: []ledger.Posting{ledger.Debit(from, p.money()), ledger.Credit(receivable(ctx), applied), ledger.Credit(unapplied(ctx), p.excess())},
	})
	if err != nil {
		return err
	}

	return b.bus.Publish(ctx, billingapi.PaymentCaptured{Payment: p.ID.String(), Invoice: p.Invoice.String()})
}

// payOff takes a payment off what is left to pay of its invoice. One that was written off was not lost after all.
func (b *bills) payOff(ctx context.Context, s seller, p payment, applied money.Money) error {
	_, err := b.settle(ctx, p.Invoice, func(i *invoice) error {
		if i.State == invoiceLost {
			lost := i.money(i.WrittenOff)
			i.WrittenOff = money.Zero(i.Currency).Amount
			err := b.house.post(ctx, s, entry{
				reference: paymentRef(p, "recovered"), kind: "billing_write_off_reversed", source: sourceOf(i.ID),
				postings: []ledger.Posting{ledger.Debit(receivable(ctx), lost), ledger.Credit(lossAccount, lost)},
			})
			if err != nil {
				return err
			}
		}

		return i.add(&i.Paid, applied)
	})

	return err
}

// writeOff gives up what is left to pay of an invoice.
func (b *bills) writeOff(ctx context.Context, id uuid.UUID, reason string) error {
	seller, err := b.house.seller(ctx)
	if err != nil {
		return err
	}
	var lost money.Money
	ctx = asService(ctx)
	row, err := b.tables.Invoices.Change(ctx, id, web.IfMatch{}, verbWriteOff, func(ctx context.Context, i *invoice) error {
		lost = i.money(i.Balance)
		if err := i.add(&i.WrittenOff, lost); err != nil {
			return err
		}

		return b.tables.Invoices.Step(ctx, i, state.Move{Verb: string(verbWriteOff), Reason: reason})
	})
	if err != nil {
		return err
	}
	err = b.house.post(ctx, seller, entry{
		reference: invoiceRef(id, fmt.Sprintf("written_off:%d", row.Version)), kind: "billing_written_off", source: sourceOf(id),
		postings: []ledger.Posting{ledger.Debit(lossAccount, lost), ledger.Credit(receivable(ctx), lost)},
	})
	if err != nil {
		return err
	}

	return b.bus.Publish(ctx, billingapi.InvoiceWrittenOff{Invoice: row.ID.String(), Number: row.Number})
}

// open returns the invoices of a subscription that are open, the oldest first.
func (b *bills) open(ctx context.Context, subscription uuid.UUID) ([]invoice, error) {
	rows, err := b.tables.Invoices.Where(ctx, "subscription_id = ? AND state = ?", subscription, invoiceOpen)
	sortByAge(rows, func(i invoice) resource.Row { return i.Row })

	return rows, err
}

// paidFor is what was billed for the current period of a subscription, or is yet to be. Lines of it end with it; before a pause that lengthened
// it, with its plan's.
func (b *bills) paidFor(ctx context.Context, s *subscription) (paid []terms.Paid, err error) {
	invoices, err := b.tables.Invoices.Where(ctx, "subscription_id = ?", s.ID)
	if err != nil {
		return nil, err
	}
	sortByAge(invoices, func(i invoice) resource.Row { return i.Row })
	end := s.PeriodEnd
	for _, i := range invoices {
		for _, l := range i.Lines.V {
			if s.lengthened() && l.Kind == terms.LinePlan {
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
		total, _ := i.money(i.Total).Units()
		credited, _ := i.money(i.Credited).Units()
		add(i.Lines.V, max(total-credited, 0), total)
	}
	add(s.Pending.V, 1, 1)

	return paid, nil
}

// asService returns a context in which the service acts for the caller's company.
func asService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}
