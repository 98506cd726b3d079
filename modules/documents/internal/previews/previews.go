// Package previews shows what papers would say, without making documents.
package previews

import (
	"bytes"
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/making"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/documents/internal/templates"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Previewer makes previews.
type Previewer struct {
	kinds    *kinds.Kinds
	subjects *making.Subjects
	picker   *templates.Picker
	printer  *document.Printer
}

// New returns a Previewer.
func New(k *kinds.Kinds, s *making.Subjects, p *templates.Picker, printer *document.Printer) *Previewer {
	return &Previewer{k, s, p, printer}
}

// Preview is what a paper would say.
type Preview struct {
	Title    string          `json:"title"`
	Pages    int64           `json:"pages" doc:"Of the PDF."`
	HTML     string          `json:"html" doc:"The paper as a page, in the same layout as the PDF."`
	Warnings []paper.Warning `json:"warnings" nullable:"false" doc:"What cannot be printed as given, such as letters that no font has."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Preview) SchemaName() string { return "Preview" }

// OrderPreview is what the paper of the customer of a load would say.
type OrderPreview struct {
	Preview

	Load uuid.UUID `json:"load_uuid"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (OrderPreview) SchemaName() string { return "OrderPreview" }

// CarrierPreview is what the paper of the carrier of a load would say.
type CarrierPreview struct {
	Preview

	Load uuid.UUID `json:"load_uuid"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (CarrierPreview) SchemaName() string { return "CarrierPreview" }

// Request is a paper to preview.
type Request struct {
	Kind     string                        `json:"kind" maxLength:"40" doc:"See GET /kinds." example:"agreement"`
	Template *uuid.UUID                    `json:"template_uuid,omitempty" doc:"A template of the kind, also a draft. Without one and without blocks, the default of the kind."`
	Heading  string                        `json:"heading,omitempty" maxLength:"300" doc:"With blocks: the title of the paper, in Liquid."`
	Blocks   resource.JSON[[]blocks.Block] `json:"blocks,omitzero" doc:"Blocks that are in no template yet, instead of one."`
	Item     *item.Ref                     `json:"item,omitempty" doc:"What the paper is about; without one, it is of invented facts."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Request) SchemaName() string { return "PreviewRequest" }

type previewInput struct{ Body Request }

type loadInput struct {
	Body struct {
		Load uuid.UUID `json:"load_uuid"`
	}
}

type (
	previewOutput struct{ Body Preview }
	orderOutput   struct{ Body OrderPreview }
	carrierOutput struct{ Body CarrierPreview }
)

const (
	// orderKind and carrierKind are the papers that the customer and the carrier of a load get.
	orderKind   = "agreement"
	carrierKind = "dispatch_sheet"
)

// Routes registers the operations.
func Routes(r *web.Router, p *Previewer) {
	failures := []*errs.Error{
		store.ErrInvalidTemplate, store.ErrNotThere, store.ErrUnknownVariable, store.ErrOtherKind, blocks.ErrUnprintable, document.ErrUnknownKind, document.ErrWrongItem,
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/previews", ID: "create_preview", Access: web.Read, Outside: true, Summary: "Preview a paper",
		Description: "Nothing is stored, and the paper has no number of its own.", Errors: failures, Status: http.StatusOK,
	}, func(ctx context.Context, in *previewInput) (*previewOutput, error) {
		m, err := p.set(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		shown, err := p.show(ctx, in.Body.Kind, m)

		return &previewOutput{shown}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/previews/pdf", ID: "create_preview_pdf", Access: web.Read, Outside: true, Summary: "Preview a paper as a PDF",
		Description: "As the preview, with the file that would be printed.", Errors: failures, Produces: stream.FileTypes(),
	}, func(ctx context.Context, in *previewInput) (*stream.Stream, error) {
		m, err := p.set(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		file, _, err := p.printer.PDF(ctx, in.Body.Kind, m)
		if err != nil {
			return nil, err
		}

		return stream.NewDownload(file.MediaType, bytes.NewReader(file.Content)).Inline(file.Name), nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/previews/order", ID: "create_order_preview", Access: web.Read, Outside: true, Summary: "Preview what the paper of a load's customer says", Errors: failures,
	}, func(ctx context.Context, in *loadInput) (*orderOutput, error) {
		shown, err := p.ofLoad(ctx, orderKind, in.Body.Load)

		return &orderOutput{OrderPreview{shown, in.Body.Load}}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/previews/carrier", ID: "create_carrier_preview", Access: web.Read, Outside: true, Summary: "Preview what the paper of a load's carrier says",
		Description: "Before a carrier has accepted the load, streets, contacts and VINs are left out, as in offers.", Errors: failures,
	}, func(ctx context.Context, in *loadInput) (*carrierOutput, error) {
		shown, err := p.ofLoad(ctx, carrierKind, in.Body.Load)

		return &carrierOutput{CarrierPreview{shown, in.Body.Load}}, err
	})
}

func (p *Previewer) ofLoad(ctx context.Context, kind string, load uuid.UUID) (Preview, error) {
	m, err := p.set(ctx, Request{Kind: kind, Item: &item.Ref{Type: making.LoadItem, UUID: load}})
	if err != nil {
		return Preview{}, err
	}

	return p.show(ctx, kind, m)
}

// set is the model of a paper as it would be printed.
func (p *Previewer) set(ctx context.Context, r Request) (document.Model, error) {
	k, err := p.kinds.Find(ctx, r.Kind)
	if err != nil {
		return document.Model{}, err
	}
	m := k.Example
	if r.Item != nil {
		subject, err := p.subjects.Find(ctx, r.Kind, *r.Item)
		if err != nil {
			return m, err
		}
		if m, err = p.printer.Model(ctx, r.Kind, subject.Of, document.Options{}); err != nil {
			return m, err
		}
	}
	if r.Blocks.V == nil {
		return p.picker.Set(ctx, r.Kind, r.Template, m)
	}
	if blocks.HasImages(r.Blocks.V) {
		if err := web.RequireScope(ctx, attachmentsapi.Area+":read", "A preview with images"); err != nil {
			return m, err
		}
	}
	draft := store.Template{Kind: r.Kind, Heading: r.Heading, Size: store.SizeOfCompany, Blocks: r.Blocks}

	return p.picker.Try(ctx, draft, k.Example, m)
}

func (p *Previewer) show(ctx context.Context, kind string, m document.Model) (Preview, error) {
	file, warnings, err := p.printer.PDF(ctx, kind, m)
	if err != nil {
		return Preview{}, err
	}
	html, _, err := p.printer.HTML(ctx, m)
	if warnings == nil {
		warnings = []paper.Warning{}
	}

	return Preview{Title: m.Title, Pages: making.PagesOf(file.Content), HTML: html, Warnings: warnings}, err
}
