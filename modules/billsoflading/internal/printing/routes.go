package printing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Downloads are the papers that the company asks for.
type Downloads struct {
	printer     *document.Printer
	bols        *resource.Resource[store.Bol]
	inspections *resource.Resource[store.Inspection]
}

// NewDownloads returns Downloads.
func NewDownloads(p *document.Printer, bols *resource.Resource[store.Bol], inspections *resource.Resource[store.Inspection]) *Downloads {
	return &Downloads{p, bols, inspections}
}

type pdfInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// PrintRoutes are the company's operations on papers.
func PrintRoutes(r *web.Router, k *Downloads) {
	pdf := []string{document.MediaPDF}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/pdf", ID: "download_bol", Access: web.Read, Summary: "Download a bill of lading as PDF",
		Description: "The current state: the vehicles, what was found at the pickup and at the delivery, the signatures, and what was amended. With the photos, unless the settings keep them from others (`share_photos`).",
		Errors:      []*errs.Error{k.bols.NotFound()}, Produces: pdf,
	}, k.print(Bill, billsofladingapi.BOL))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/pod", ID: "download_pod", Access: web.Read, Summary: "Download the proof of delivery of a bill of lading as PDF",
		Description: "Who has received the vehicles, when, and in which condition: what was found that was not there at the pickup.",
		Errors:      []*errs.Error{k.bols.NotFound(), document.ErrNotThere}, Produces: pdf,
	}, k.print(Proof, billsofladingapi.BOL))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/inspections/{uuid}/pdf", ID: "download_condition_report", Access: web.Read, Summary: "Download the condition report of a vehicle as PDF",
		Description: "How the vehicle was found at the stage of the inspection.", Errors: []*errs.Error{k.inspections.NotFound()}, Produces: pdf,
	}, k.print(Condition, billsofladingapi.Inspection))
}

func (k *Downloads) print(kind, itemType string) func(ctx context.Context, in *pdfInput) (*stream.Stream, error) {
	return func(ctx context.Context, in *pdfInput) (*stream.Stream, error) {
		return k.printer.Download(ctx, kind, item.Ref{Type: itemType, UUID: in.UUID}, document.Options{})
	}
}
