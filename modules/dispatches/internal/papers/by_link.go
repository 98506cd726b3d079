package papers

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrierlink"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

//go:embed page
var pageFiles embed.FS

func newLayout() *page.Layout {
	return page.New(page.Parts{Content: page.File(pageFiles, "page/documents.html")})
}

var errNoDocument = errs.New(errs.NotFound, "dispatches.document_not_found", "The dispatch has no such document.")

// ByLink shows carriers the documents of the loads that they have.
type ByLink struct {
	door      *carrierlink.Door
	documents *Documents
	printer   *Printer
	brands    companiesapi.Brands
	files     attachmentsapi.Files
}

// NewByLink returns a ByLink.
func NewByLink(d *carrierlink.Door, docs *Documents, p *Printer, brands companiesapi.Brands, files attachmentsapi.Files) *ByLink {
	return &ByLink{d, docs, p, brands, files}
}

// LinkRoutes registers the operations by which a carrier reads documents.
func LinkRoutes(r *web.Router, b *ByLink) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/rate_confirmation", ID: "download_carrier_rate_confirmation", Access: web.Public, Summary: "Download the rate confirmation by a carrier's link as PDF",
		Description: "As long as the carrier has the load.", Errors: carrierlink.Refusals(store.ErrNoLoad), Produces: []string{mediaPDF},
	}, b.pdf)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents", ID: "list_carrier_documents", Access: web.Public, Summary: "List the documents of a load by a carrier's link",
		Description: "As long as the carrier has the load. With Accept: text/html, the response is a page, which takes invoices and proofs of delivery, too.",
		Errors:      carrierlink.Refusals(store.ErrNoLoad), Page: documentsPage(newLayout()),
	}, b.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents/{document}", ID: "download_carrier_document", Access: web.Public, Summary: "Download a document of a load by a carrier's link",
		Errors: carrierlink.Refusals(errNoDocument, store.ErrNoLoad), Produces: stream.FileTypes(),
	}, b.download)
}

func (b *ByLink) pdf(ctx context.Context, in *carrierlink.LinkInput) (*stream.Stream, error) {
	ctx, e, err := b.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return b.printer.pdf(ctx, *e.Dispatch)
}

type carrierDocumentsOutput struct{ Body carrierDocuments }

// carrierDocuments are the documents of a load as its carrier sees them.
type carrierDocuments struct {
	Brand  page.Brand `json:"brand"`
	Number string     `json:"number"`
	Data   []document `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (carrierDocuments) SchemaName() string { return "CarrierDocuments" }

func (b *ByLink) list(ctx context.Context, in *carrierlink.LinkInput) (*carrierDocumentsOutput, error) {
	ctx, e, err := b.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := b.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	all, err := b.documents.shared(ctx, *e.Dispatch)
	for i := range all {
		if all[i].Path = messages.CarrierPath + in.Link + "/documents/" + all[i].UUID.String(); all[i].Kind == kindConfirmation {
			all[i].Path = messages.CarrierPath + in.Link + "/rate_confirmation"
		}
	}

	return &carrierDocumentsOutput{carrierDocuments{page.Brand(brand), e.Dispatch.Number, all}}, err
}

// documentsPage renders the documents, and the forms by which the carrier sends some.
func documentsPage(layout *page.Layout) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page {
		var all carrierDocuments
		if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &all) != nil {
			return layout.Refused(a, nil)
		}
		shown := page.Page{Brand: all.Brand, Heading: "Documents of " + all.Number, Back: "../" + path.Base(path.Dir(a.Path))}
		for _, one := range all.Data {
			shown.Links = append(shown.Links, page.Link{Text: one.Title, Path: one.Path, Note: page.Day(one.CreatedAt.UTC().Format(time.DateOnly))})
		}
		shown.Content = []*page.Form{
			{Action: "uploads", Hidden: map[string]string{"kind": kindInvoice}, Submit: "Send us your invoice", Second: true},
			{Action: "uploads", Hidden: map[string]string{"kind": kindProof}, Submit: "Send us the proof of delivery", Second: true},
		}

		return layout.Show(shown)
	}
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
	all, err := b.documents.shared(ctx, *e.Dispatch)
	if err != nil {
		return nil, err
	}
	if in.Document == uuid.Nil || !slices.ContainsFunc(all, func(one document) bool { return one.UUID == in.Document }) {
		return nil, errNoDocument
	}
	file, content, err := b.files.Open(ctx, in.Document.String())
	if errs.IsRefusal(err) {
		err = errNoDocument
	}
	if err != nil {
		return nil, err
	}

	return stream.NewFile(file.FileName, file.MediaType, file.SHA256, content), nil
}
