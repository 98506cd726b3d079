package invoicing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Downloads print invoices and credit notes.
type Downloads struct {
	tables  *store.Tables
	printer *document.Printer
}

// NewDownloads returns Downloads.
func NewDownloads(t *store.Tables, p *document.Printer) *Downloads { return &Downloads{t, p} }

// DownloadRoutes are the operations on invoices and credit notes as files.
func DownloadRoutes(r *web.Router, s *Downloads) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/invoices/{uuid}/pdf", ID: "download_invoice", Access: web.Read, Summary: "Download an invoice as PDF",
		Description: "With what is paid and credited of it by now.", Errors: []*errs.Error{s.tables.Invoices.NotFound()}, Produces: []string{document.MediaPDF},
	}, s.print(InvoiceKind, store.InvoiceItem))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/credit_notes/{uuid}/pdf", ID: "download_credit_note", Access: web.Read, Summary: "Download a credit note as PDF",
		Errors: []*errs.Error{s.tables.Credits.NotFound()}, Produces: []string{document.MediaPDF},
	}, s.print(CreditKind, store.CreditItem))
}

type downloadInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Downloads) print(kind, itemType string) func(ctx context.Context, in *downloadInput) (*stream.Stream, error) {
	return func(ctx context.Context, in *downloadInput) (*stream.Stream, error) {
		return s.printer.Download(ctx, kind, item.Ref{Type: itemType, UUID: in.UUID}, document.Options{})
	}
}
