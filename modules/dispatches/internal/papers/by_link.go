package papers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrierlink"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// ByLink shows carriers the documents of the loads that they have.
type ByLink struct {
	door    *carrierlink.Door
	brands  companiesapi.Brands
	shelf   *document.Shelf
	printer *document.Printer
}

// NewByLink returns a ByLink.
func NewByLink(d *carrierlink.Door, brands companiesapi.Brands, s *document.Shelf, p *document.Printer) *ByLink {
	return &ByLink{d, brands, s, p}
}

// LinkRoutes registers the operations by which a carrier reads documents.
func LinkRoutes(r *web.Router, b *ByLink) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/rate_confirmation", ID: "download_carrier_rate_confirmation", Access: web.Public, Summary: "Download the rate confirmation by a carrier's link as PDF",
		Description: "As long as the carrier has the load.", Errors: carrierlink.Refusals(store.ErrNoLoad), Produces: []string{document.MediaPDF},
	}, b.pdf)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents", ID: "list_carrier_documents", Access: web.Public, Summary: "List the documents of a load by a carrier's link",
		Description: "As long as the carrier has the load. With Accept: text/html, the response is a page, which takes invoices and proofs of delivery, too.",
		Errors:      carrierlink.Refusals(store.ErrNoLoad), Page: document.SharedPage(
			&page.Form{Action: "uploads", Hidden: map[string]string{"kind": kindInvoice}, Submit: "Send us your invoice", Second: true},
			&page.Form{Action: "uploads", Hidden: map[string]string{"kind": kindProof}, Submit: "Send us the proof of delivery", Second: true},
		),
	}, b.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents/{document}", ID: "download_carrier_document", Access: web.Public, Summary: "Download a document of a load by a carrier's link",
		Errors: carrierlink.Refusals(document.ErrNotFound, store.ErrNoLoad), Produces: stream.FileTypes(),
	}, b.download)
}

func (b *ByLink) pdf(ctx context.Context, in *carrierlink.LinkInput) (*stream.Stream, error) {
	ctx, e, err := b.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return b.printer.Download(ctx, Confirmation, itemOf(*e.Dispatch), document.Options{})
}

type carrierDocumentsOutput struct{ Body document.Shared }

func (b *ByLink) list(ctx context.Context, in *carrierlink.LinkInput) (*carrierDocumentsOutput, error) {
	ctx, e, err := b.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := b.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	all, err := b.shelf.Share(ctx, viewer(e), messages.CarrierPath+in.Link+"/documents", subjects(*e.Dispatch)...)

	return &carrierDocumentsOutput{document.Shared{Brand: page.Brand(brand), Number: e.Dispatch.Number, Data: all}}, err
}

// viewer is the carrier that has a dispatch.
func viewer(e carrierlink.Entry) document.Viewer {
	return document.ForCarrier(e.Dispatch.Carrier.String())
}

type documentInput struct {
	Link     string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Document uuid.UUID `path:"document" format:"uuid"`
}

func (b *ByLink) download(ctx context.Context, in *documentInput) (*stream.Stream, error) {
	ctx, e, err := b.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return b.shelf.Download(ctx, viewer(e), in.Document, subjects(*e.Dispatch)...)
}
