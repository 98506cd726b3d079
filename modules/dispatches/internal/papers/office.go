// Package papers has the documents of dispatches: the rate confirmation, which is printed when it is read, bills of lading, and what carriers send.
package papers

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Office shows the company the documents of its dispatches.
type Office struct {
	dispatches *resource.Resource[store.Dispatch]
	papers     *document.Registry
	shelf      *document.Shelf
	printer    *document.Printer
}

// NewOffice returns an Office.
func NewOffice(dispatches *resource.Resource[store.Dispatch], r *document.Registry, s *document.Shelf, p *document.Printer) *Office {
	return &Office{dispatches, r, s, p}
}

// Routes registers the company's operations.
func Routes(r *web.Router, o *Office) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dispatches/{uuid}/rate_confirmation", ID: "download_rate_confirmation", Access: web.Read, Summary: "Download the rate confirmation of a dispatch as PDF",
		Description: "Of the current revision: the load as the carrier saw it then, its pay, the agreed days and the terms, and who accepted when.",
		Errors:      []*errs.Error{o.dispatches.NotFound()}, Produces: []string{document.MediaPDF},
	}, o.pdf)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dispatches/{uuid}/documents", ID: "list_dispatch_documents", Access: web.Read, Summary: "List the documents of a dispatch",
		Description: "The rate confirmation, the bills of lading as they were signed, what the carrier has sent, and other files of the dispatch; the newest first.",
		Errors:      []*errs.Error{o.dispatches.NotFound()},
	}, o.list)
}

type dispatchInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (o *Office) pdf(ctx context.Context, in *dispatchInput) (*stream.Stream, error) {
	return o.printer.Download(ctx, Confirmation, item.Ref{Type: dispatchesapi.Dispatch, UUID: in.UUID}, document.Options{})
}

type documentsOutput struct{ Body documentsShown }

// documentsShown are the documents of a dispatch.
type documentsShown struct {
	Data []document.Listed `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (documentsShown) SchemaName() string { return "DispatchDocuments" }

func (o *Office) list(ctx context.Context, in *dispatchInput) (*documentsOutput, error) {
	row, err := o.dispatches.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	all, err := o.papers.Of(ctx, document.ForCompany(), subjects(row)...)
	if err != nil {
		return nil, err
	}
	listed, err := o.shelf.List(ctx, slices.DeleteFunc(all, func(p document.Paper) bool { return !isOf(row, p) }))

	return &documentsOutput{documentsShown{listed}}, err
}
