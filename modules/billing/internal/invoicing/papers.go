package invoicing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// The kinds of papers of the area. Those of loads have other names.
const (
	InvoiceKind = "billing_invoice"
	CreditKind  = "billing_credit_note"
)

// Papers are invoices and credit notes on paper.
type Papers struct{ tables *store.Tables }

// NewPapers returns Papers.
func NewPapers(t *store.Tables) *Papers { return &Papers{t} }

// Papers are an invoice and the credit notes for it.
func (p *Papers) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	found, err := p.tables.Invoices.FindSome(ctx, []uuid.UUID{of.UUID})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	all := []document.Paper{{
		Kind: InvoiceKind, Title: "Invoice " + found[0].Number, CreatedAt: found[0].CreatedAt, Visibility: document.Internal, Path: pathOf("invoices", of.UUID),
	}}
	notes, err := p.tables.Credits.Where(ctx, "invoice_id = ?", of.UUID)
	for _, n := range notes {
		all = append(all, document.Paper{
			Kind: CreditKind, Title: "Credit note " + n.Number, CreatedAt: n.CreatedAt, Visibility: document.Internal, Of: item.Ref{Type: store.CreditItem, UUID: n.ID},
			Path: pathOf("credit_notes", n.ID),
		})
	}

	return all, err
}

func pathOf(table string, id uuid.UUID) string {
	return "/" + billingapi.Area + "/api/v1/" + table + "/" + id.String() + "/pdf"
}

// Invoice is an invoice, with what is paid and credited of it.
func (p *Papers) Invoice(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	i, err := p.tables.Invoices.Find(ctx, of.UUID)

	return invoiceModel(i), err
}

// Credit is a credit note, with the invoice that it corrects.
func (p *Papers) Credit(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	n, err := p.tables.Credits.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	i, err := p.tables.Invoices.Find(ctx, n.Invoice)

	return creditModel(n, i), err
}

func invoiceModel(i store.Invoice) document.Model {
	m := model(i, i.Number, string(i.IssuedOn), i.CreatedAt)
	m.Parts = []document.Part{
		{Name: "bill_to", Required: true, Blocks: []paper.Block{paper.Parties{partyOf("Bill to", i.Customer.V)}}},
		{Name: "items", Required: true, Blocks: []paper.Block{itemsOf(i)}},
		{Name: "amounts", Required: true, Blocks: []paper.Block{amountsOf(i)}},
		{Name: "how_to_pay", Required: true, Blocks: []paper.Block{paper.Text{Text: howToPay(i)}}},
	}

	return m
}

func creditModel(n store.CreditNote, i store.Invoice) document.Model {
	m := model(i, n.Number, string(n.IssuedOn), n.CreatedAt)
	m.Details = append(m.Details, paper.Fact{Name: "Corrects invoice", Text: i.Number})
	amounts := append(paper.Amounts{{Label: "Net", Value: amountText(n.Net, n.Currency)}}, taxesOf(n.Taxes.V, n.Currency)...)
	amounts = append(amounts, paper.Amount{Label: "Credit", Value: amountText(n.Total, n.Currency), Strong: true})
	m.Parts = []document.Part{
		{Name: "bill_to", Required: true, Blocks: []paper.Block{paper.Parties{partyOf("Customer", i.Customer.V)}}},
		{Name: "invoice", Required: true, Blocks: []paper.Block{paper.Facts{Columns: 1, Items: known(
			paper.Fact{Name: "Corrects", Text: "Invoice " + i.Number + " of " + page.Day(string(i.IssuedOn)) + ", " + amountText(i.Total, i.Currency)},
			paper.Fact{Name: "Reason", Text: n.Reason},
		)}}},
		{Name: "amounts", Required: true, Blocks: []paper.Block{amounts}},
		{Name: "refund", Required: true, Blocks: []paper.Block{paper.Text{Text: refundOf(n)}}},
	}

	return m
}

// model is what invoices and credit notes have in common. They are issued by the seller as it was then.
func model(i store.Invoice, number, day string, created time.Time) document.Model {
	seller := i.Seller.V

	return document.Model{
		Number: number, Date: page.Day(day), Created: created, Details: []paper.Fact{{Name: "Currency", Text: string(i.Currency)}}, FileName: number + ".pdf",
		Letterhead: &document.Letterhead{Name: seller.Name, Address: lines(seller.Address), TaxID: seller.TaxID, Email: seller.Email},
		Values: map[string]any{
			"invoice":  map[string]any{"number": i.Number, "total": amountText(i.Total, i.Currency), "balance": amountText(i.Balance, i.Currency)},
			"customer": map[string]any{"name": i.Customer.V.Name}, "seller": map[string]any{"name": seller.Name},
		},
	}
}

func partyOf(label string, p store.Party) paper.Party {
	all := lines(p.Address)
	if p.TaxID != "" {
		all = append(all, "Tax ID "+p.TaxID)
	}

	return paper.Party{Label: label, Name: p.Name, Lines: append(all, lines(p.Email)...)}
}

// amountText is an amount as people read it.
func amountText(a money.Amount, in money.Currency) string { return page.Amount(cmp.Or(a, "0"), in) }

func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

func itemsOf(i store.Invoice) paper.Block {
	table := paper.Table{Columns: []paper.Column{
		{Title: "Description", Weight: 4}, {Title: "Period", Weight: 3}, {Title: "Amount", Weight: 1.5, Align: paper.Right},
	}}
	for _, l := range i.Lines.V {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{l.Description, page.Day(string(l.From)) + " to before " + page.Day(string(l.Until)), amountText(l.Amount, i.Currency)}})
	}

	return table
}

func amountsOf(i store.Invoice) paper.Amounts {
	all := append(paper.Amounts{{Label: "Net", Value: amountText(i.Net, i.Currency)}}, taxesOf(i.Taxes.V, i.Currency)...)
	all = append(all, paper.Amount{Label: "Total", Value: amountText(i.Total, i.Currency)})
	for _, one := range []struct {
		label  string
		amount money.Amount
	}{{"Paid", i.Paid}, {"Credited", i.Credited}, {"Refunded", i.Refunded}, {"Written off", i.WrittenOff}} {
		if m := i.Money(one.amount); one.label == "Paid" || one.amount != "" && m.Sign() != 0 {
			all = append(all, paper.Amount{Label: one.label, Value: amountText(one.amount, i.Currency)})
		}
	}

	return append(all, paper.Amount{Label: "Balance due", Value: amountText(i.Balance, i.Currency), Strong: true})
}

func taxesOf(taxes []terms.Tax, in money.Currency) (all paper.Amounts) {
	for _, t := range taxes {
		all = append(all, paper.Amount{Label: t.Name + " " + string(t.Percent) + " % of " + amountText(t.Base, in), Value: amountText(t.Amount, in)})
	}

	return all
}

func howToPay(i store.Invoice) string {
	switch i.State {
	case store.InvoicePaid:
		return "Paid. Thank you."
	case store.InvoiceCredited, store.InvoiceLost:
		return "Nothing is due."
	case store.InvoiceOpen:
	}

	return "The card of the subscription is charged automatically. You can also pay this invoice with another card under Billing."
}

func refundOf(n store.CreditNote) string {
	if n.RefundState == store.RefundNone {
		return "The credit is taken off what is due for the invoice."
	}
	text := amountText(n.Refund, n.Currency) + " of it was paid, and is refunded."
	if n.RefundState == store.RefundCompleted {
		text = amountText(n.Refund, n.Currency) + " of it was paid, and has been refunded."
	}
	if n.Reference != "" {
		text += " Reference: " + n.Reference
	}

	return text
}

func known(facts ...paper.Fact) []paper.Fact {
	return slices.DeleteFunc(facts, func(f paper.Fact) bool { return f.Text == "" })
}

// InvoiceExample is an invoice of invented facts, with all that one may have.
func InvoiceExample() document.Model { return invoiceModel(exampleInvoice()) }

// CreditExample is a credit note for it.
func CreditExample() document.Model {
	i := exampleInvoice()
	n := store.CreditNote{
		Row: i.Row, Number: "CN-2026-000001", IssuedOn: "2026-12-15", Reason: "Service was not reachable for a day", Net: "10.00", Tax: "0.83", Total: "10.83", Currency: "USD",
		Refund: "10.83", RefundState: store.RefundCompleted, Reference: "WIRE 8",
	}
	n.Taxes.V = []terms.Tax{{Rate: i.Taxes.V[0].Rate, Base: "10.00", Amount: "0.83"}}

	return creditModel(n, i)
}

func exampleInvoice() store.Invoice {
	i := store.Invoice{
		Row: resource.Row{CreatedAt: time.Date(2026, time.December, 1, 15, 0, 0, 0, time.UTC)}, Number: "INV-2026-000012", IssuedOn: "2026-12-01", Net: "199.00", Tax: "16.42",
		Total: "215.42", Currency: "USD", Paid: "100.00", Credited: "10.83", Balance: "104.59", State: store.InvoiceOpen,
	}
	i.Seller.V = store.Party{Name: "Example Software Inc.", Address: "1 Server St\nAustin, TX 78701", TaxID: "12-3456789", Email: "billing@example.com"}
	i.Customer.V = store.Party{Name: "Example Auto Transport LLC", Address: "12 Broker Way\nAustin, TX 78701", TaxID: "98-7654321", Email: "office@example.org"}
	i.Lines.V = []terms.Line{{Kind: terms.LinePlan, Description: "Pro, monthly", Plan: "pro", From: "2026-12-01", Until: "2027-01-01", Amount: "199.00"}}
	i.Taxes.V = []terms.Tax{{Rate: terms.Rate{Code: "tx", Name: "Sales tax", Percent: "8.25"}, Base: "199.00", Amount: "16.42"}}

	return i
}
