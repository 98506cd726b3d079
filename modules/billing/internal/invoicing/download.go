package invoicing

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

// Downloads print invoices.
type Downloads struct {
	tables  *store.Tables
	printer *paper.Printer
}

// NewDownloads returns Downloads.
func NewDownloads(t *store.Tables, p *paper.Printer) *Downloads {
	return &Downloads{tables: t, printer: p}
}

// DownloadRoutes are the operations on invoices as files.
func DownloadRoutes(r *web.Router, s *Downloads) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/invoices/{uuid}/pdf", ID: "download_invoice", Access: web.Read, Summary: "Download an invoice as PDF",
		Errors: []*errs.Error{s.tables.Invoices.NotFound()}, Produces: []string{mediaPDF},
	}, s.getPDF)
}

type invoiceInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Downloads) getPDF(ctx context.Context, in *invoiceInput) (*stream.Stream, error) {
	i, err := s.tables.Invoices.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	file, _, err := s.printer.PDF(ctx, printed(i))
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment(i.Number + ".pdf").Sized(int64(len(file))), nil
}

// printed is what is printed of an invoice: who owes whom, for what, and what is left to pay.
func printed(i store.Invoice) paper.Paper {
	seller, customer := i.Seller.V, i.Customer.V
	amount := func(a money.Amount) string { return page.Amount(cmp.Or(a, "0"), i.Currency) }
	lines := paper.Table{Columns: []paper.Column{{Title: "Description", Weight: 4}, {Title: "Period", Weight: 3}, {Title: "Amount", Weight: 1.5, Align: paper.Right}}}
	for _, l := range i.Lines.V {
		period := page.Day(string(l.From)) + " to before " + page.Day(string(l.Until))
		lines.Rows = append(lines.Rows, paper.Row{Cells: []string{l.Description, period, amount(l.Amount)}})
	}
	sums := paper.Amounts{{Label: "Net", Value: amount(i.Net)}}
	for _, t := range i.Taxes.V {
		sums = append(sums, paper.Amount{Label: t.Name + " " + string(t.Percent) + " %", Value: amount(t.Amount)})
	}
	sums = append(sums, paper.Amount{Label: "Total", Value: amount(i.Total)})
	for _, one := range []paper.Amount{{Label: "Paid", Value: amount(i.Paid)}, {Label: "Credited", Value: amount(i.Credited)}, {Label: "Written off", Value: amount(i.WrittenOff)}} {
		if one.Value != amount("0") {
			sums = append(sums, one)
		}
	}
	sums = append(sums, paper.Amount{Label: "Balance due", Value: amount(i.Balance), Strong: true})

	return paper.Paper{
		Head:  paper.Head{Name: seller.Name, Lines: linesOf(seller.Address), Email: seller.Email, TaxID: seller.TaxID},
		Title: "Invoice", Number: i.Number, Date: page.Day(string(i.IssuedOn)), Created: i.CreatedAt,
		Details: []paper.Fact{{Name: "Currency", Text: string(i.Currency)}},
		Blocks:  []paper.Block{paper.Parties{{Label: "Bill to", Name: customer.Name, Lines: partyLines(customer)}}, lines, sums},
	}
}

// partyLines are those below the name of a party.
func partyLines(p store.Party) []string {
	all := linesOf(p.Address)
	if p.TaxID != "" {
		all = append(all, "Tax ID "+p.TaxID)
	}
	if p.Email != "" {
		all = append(all, p.Email)
	}

	return all
}

// linesOf are the lines of an address, without empty ones.
func linesOf(address string) []string {
	return slices.DeleteFunc(strings.Split(address, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}
