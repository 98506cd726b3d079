// Package papers has the documents of dispatches: the rate confirmation, which is printed when it is read, bills of lading, and what carriers send.
package papers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Office shows the company the documents of its dispatches.
type Office struct {
	dispatches *resource.Resource[store.Dispatch]
	documents  *Documents
	printer    *Printer
}

// NewOffice returns an Office.
func NewOffice(dispatches *resource.Resource[store.Dispatch], d *Documents, p *Printer) *Office {
	return &Office{dispatches, d, p}
}

// Routes registers the company's operations.
func Routes(r *web.Router, o *Office) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dispatches/{uuid}/rate_confirmation", ID: "download_rate_confirmation", Access: web.Read, Summary: "Download the rate confirmation of a dispatch as PDF",
		Description: "Of the current revision: the load as the carrier saw it then, its pay, the agreed days and the terms, and who accepted when.",
		Errors:      []*errs.Error{o.dispatches.NotFound()}, Produces: []string{mediaPDF},
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
	row, err := o.dispatches.Find(ctx, in.UUID)
	if err == nil {
		err = web.RequireScope(ctx, loadsapi.Margins, "The rate confirmation")
	}
	if err != nil {
		return nil, err
	}

	return o.printer.pdf(ctx, row)
}

type documentsOutput struct{ Body documentsShown }

// documentsShown are the documents of a dispatch.
type documentsShown struct {
	Data []document `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (documentsShown) SchemaName() string { return "DispatchDocuments" }

func (o *Office) list(ctx context.Context, in *dispatchInput) (*documentsOutput, error) {
	row, err := o.dispatches.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	all, err := o.documents.list(ctx, row)
	for i := range all {
		if all[i].Path = "/attachments/api/v1/attachments/" + all[i].UUID.String() + "/content"; all[i].Kind == kindConfirmation {
			all[i].Path = messages.BasePath + "/dispatches/" + row.ID.String() + "/rate_confirmation"
		}
	}

	return &documentsOutput{documentsShown{all}}, err
}
