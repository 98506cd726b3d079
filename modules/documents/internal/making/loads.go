package making

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// LoadItem is the type of loads.
const LoadItem = "loads.load"

// loadPaper is a paper that loads have.
type loadPaper struct {
	// path is the word of the interface, kind that of the registry.
	path, kind, title string
	// how says what is to be done for there to be one.
	how string
}

// loadPapers are the papers that loads have.
func loadPapers() []loadPaper {
	return []loadPaper{
		{"agreement", "agreement", "an agreement with the customer", "Give the load a customer and a tariff."},
		{"rate_sheet", "rate_sheet", "a rate sheet", "Make a quote for the load."},
		{"bol", "bill_of_lading", "a bill of lading", "Give the load to a carrier. Its bill of lading is issued then."},
		{"pod", "pod", "a proof of delivery", "Have the vehicles delivered and signed for on the bill of lading."},
		{"invoice", "invoice", "an invoice", "Invoices come with an area that makes them for loads."},
		{"receipt", "receipt", "a receipt", "Receipts come with an area that records payments of invoices."},
	}
}

// howOf says what is to be done for there to be a paper of a kind.
func howOf(kind string) string {
	for _, p := range loadPapers() {
		if p.kind == kind {
			return p.how
		}
	}

	return "Name the item that the paper is about."
}

// Makes are the operations that make documents.
type Makes struct {
	maker *Maker
	book  *Book
	db    *database.DB
}

// NewMakes returns Makes.
func NewMakes(m *Maker, b *Book, db *database.DB) *Makes { return &Makes{m, b, db} }

type loadInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Of the load."`
	Body Request
}

// Request says how a document is to be made.
type Request struct {
	Template   *uuid.UUID `json:"template_uuid,omitempty" doc:"A published template of the kind; by default that of the language."`
	Locale     string     `json:"locale,omitempty" maxLength:"35" doc:"The language whose default template is used; by default that of the settings."`
	Visibility string     `json:"visibility,omitempty" enum:"internal,customer,carrier,public" doc:"By default internal."`
	Again      bool       `json:"again,omitempty" doc:"Make the next revision, although there is a current document."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Request) SchemaName() string { return "DocumentRequest" }

func (r Request) order(kind string, of item.Ref) Order {
	o := Order{Kind: kind, Item: of, Locale: r.Locale, Visibility: r.Visibility, Again: r.Again}
	if r.Template != nil {
		o.Template = *r.Template
	}

	return o
}

// Create is a document to make.
type Create struct {
	Request

	Kind string   `json:"kind" maxLength:"40" doc:"See GET /kinds." example:"agreement"`
	Item item.Ref `json:"item"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Create) SchemaName() string { return "DocumentCreate" }

type createInput struct{ Body Create }

// Routes registers the operations.
func Routes(r *web.Router, m *Makes) {
	failures := []*errs.Error{
		store.ErrInvalid, store.ErrNotThere, store.ErrNotPublished, store.ErrOtherKind, document.ErrUnknownKind, document.ErrWrongItem, blocks.ErrUnprintable,
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/documents", ID: "create_document", Access: web.Write, Summary: "Make a document about an item",
		Description: "Returns the current document of the kind, if there is one, or makes it: it is `queued` until it is printed, and `ready` within seconds.",
		Errors:      append(failures, item.Errors...),
	}, func(ctx context.Context, in *createInput) (*web.Resource[store.Document], error) {
		made, err := m.make(ctx, in.Body.order(in.Body.Kind, in.Body.Item))
		if errors.Is(err, store.ErrNoItem) {
			err = store.ErrInvalid.WithField("item.uuid", "There is no such item.")
		}

		return made, err
	})
	for _, p := range loadPapers() {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/loads/{uuid}/" + p.path, ID: "make_load_" + p.path, Access: web.Write, Summary: "Make " + p.title + " of a load",
			Description: "Returns the current document, if there is one, or makes it: it is `queued` until it is printed, and `ready` within seconds. 409 `documents.not_there` says in its details what is missing.",
			Errors:      append([]*errs.Error{store.ErrNoItem}, failures...),
		}, func(ctx context.Context, in *loadInput) (*web.Resource[store.Document], error) {
			made, err := m.make(ctx, in.Body.order(p.kind, item.Ref{Type: LoadItem, UUID: in.UUID}))
			if errors.Is(err, document.ErrUnknownKind) {
				err = store.ErrNotThere.WithDetail("kind", p.kind).WithDetail("why", "No area that the company uses makes "+p.title+" of a load.").WithDetail("how", p.how)
			}

			return made, err
		})
	}
}

func (m *Makes) make(ctx context.Context, o Order) (*web.Resource[store.Document], error) {
	var row store.Document
	err := m.db.InTx(ctx, func(ctx context.Context) (err error) {
		row, err = m.maker.Make(ctx, o)

		return err
	})

	return m.book.answer(ctx, row, err)
}
