package invoicing

import (
	"bytes"
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

// Downloads print invoices.
type Downloads struct{ tables *store.Tables }

// NewDownloads returns Downloads.
func NewDownloads(t *store.Tables) *Downloads { return &Downloads{tables: t} }

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
	file, err := paper.Print(printed(i))
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment(i.Number + ".pdf").Sized(int64(len(file))), nil
}

// printed is what is printed of an invoice.
func printed(i store.Invoice) paper.Document {
	seller, customer := i.Seller.V, i.Customer.V
	d := paper.Document{
		Title: "Invoice", Number: i.Number, Date: string(i.IssuedOn), Created: i.CreatedAt, Currency: string(i.Currency),
		From: paper.Party(seller), To: paper.Party(customer), Net: string(i.Net), Total: string(i.Total),
	}
	for _, l := range i.Lines.V {
		d.Lines = append(d.Lines, paper.Line{Text: l.Description, Period: string(l.From) + " to before " + string(l.Until), Amount: string(l.Amount)})
	}
	for _, t := range i.Taxes.V {
		d.Taxes = append(d.Taxes, paper.Line{Text: t.Name + " " + string(t.Percent) + " %", Amount: string(t.Amount)})
	}

	return d
}
