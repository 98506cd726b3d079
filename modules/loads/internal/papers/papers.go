// Package papers has the documents of a load that its customer may read by a link.
package papers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Desk hands out documents.
type Desk struct {
	loads  signing.Loads
	brands companiesapi.Brands
	shelf  *document.Shelf
}

// NewDesk returns a Desk.
func NewDesk(loads signing.Loads, brands companiesapi.Brands, s *document.Shelf) *Desk {
	return &Desk{loads, brands, s}
}

// Routes registers the operations for anyone with the link of a customer.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/documents", ID: "list_shared_load_documents", Access: web.Public, Summary: "List the documents of a load by a link",
		Description: "What the customer has signed, the bills of lading as they were signed, and files of the load whose visibility is customer or public; the newest first. With Accept: text/html, the response is a page.",
		Errors:      append([]*errs.Error{loadsapi.ErrNotFound}, link.Refusals...), Page: document.SharedPage(),
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/documents/{document}", ID: "download_shared_load_document", Access: web.Public, Summary: "Download a document of a load by a link",
		Errors: append([]*errs.Error{loadsapi.ErrNotFound, document.ErrNotFound}, link.Refusals...), Produces: stream.FileTypes(),
	}, d.download)
}

type linkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type listOutput struct{ Body document.Shared }

func (d *Desk) list(ctx context.Context, in *linkInput) (*listOutput, error) {
	ctx, load, err := d.loads.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	number, _, err := d.loads.Known(ctx, load)
	if err != nil {
		return nil, err
	}
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	below := "/" + loadsapi.Area + "/api/v1/shared/" + in.Link + "/documents"
	all, err := d.shelf.Share(ctx, document.ForCustomer(), below, item.Ref{Type: loadsapi.Load, UUID: load})

	return &listOutput{document.Shared{Brand: page.Brand(brand), Number: number, Data: all}}, err
}

type downloadInput struct {
	Link     string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Document uuid.UUID `path:"document" format:"uuid"`
}

func (d *Desk) download(ctx context.Context, in *downloadInput) (*stream.Stream, error) {
	ctx, load, err := d.loads.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	if _, _, err := d.loads.Known(ctx, load); err != nil {
		return nil, err
	}

	return d.shelf.Download(ctx, document.ForCustomer(), in.Document, item.Ref{Type: loadsapi.Load, UUID: load})
}
