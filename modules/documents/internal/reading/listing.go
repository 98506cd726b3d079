package reading

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Listing lists documents, and the papers of items.
type Listing struct {
	rows     *resource.Resource[store.Document]
	kinds    *kinds.Kinds
	registry *document.Registry
	shelf    *document.Shelf
	items    *item.Registry
}

// NewListing returns a Listing.
func NewListing(rows *resource.Resource[store.Document], k *kinds.Kinds, r *document.Registry, s *document.Shelf, items *item.Registry) *Listing {
	return &Listing{rows, k, r, s, items}
}

type listInput struct {
	list.Input

	Item string `query:"item" maxLength:"120" doc:"All papers of an item, whichever area has them, the newest first; the other keys of the query are then ignored. Documents are there by their latest revision, unless it is void." example:"loads.load:0190d0c0-0000-7000-8000-000000000101"`
}

// Entry is a document in a list, or another paper of an item. Members of documents alone are null for other papers.
type Entry struct {
	UUID       uuid.UUID  `json:"uuid" doc:"Of the document; of other papers, that of the attachment, or one that is the same for the same paper."`
	Kind       string     `json:"kind" doc:"A kind of papers, such as agreement; file, signature and others for what is none."`
	Title      string     `json:"title"`
	CreatedAt  time.Time  `json:"created_at"`
	Path       string     `json:"path" doc:"Where it is downloaded."`
	Document   *uuid.UUID `json:"document_uuid" doc:"Null for a paper that is no document of this area."`
	Attachment *uuid.UUID `json:"attachment_uuid"`
	Number     *string    `json:"number"`
	State      *string    `json:"state" enum:"queued,ready,failed,void"`
	Delivery   *string    `json:"delivery" enum:"not_sent,sent,viewed,signed"`
	Revision   *int64     `json:"revision"`
	Visibility *string    `json:"visibility" enum:"internal,customer,carrier,public"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Entry) SchemaName() string { return "DocumentEntry" }

// ListRoutes registers the operation that lists documents.
func ListRoutes(r *web.Router, l *Listing) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents", ID: "list_documents", Access: web.Read, Summary: "List documents, or all papers of an item",
		Description: "With `item=loads.load:{uuid}`, the papers of the load, whichever area has made them: signed orders, rate confirmations, bills of lading, files.",
		Errors:      append([]*errs.Error{store.ErrInvalid}, append(list.Errors, item.Errors...)...),
	}, l.list)
}

func (l *Listing) list(ctx context.Context, in *listInput) (*list.Output[Entry], error) {
	if in.Item != "" {
		return l.ofItem(ctx, in.Item)
	}
	hidden, err := l.kinds.Hidden(ctx)
	if err != nil {
		return nil, err
	}
	schema, err := l.rows.Schema(ctx)
	if err != nil {
		return nil, err
	}
	q, err := in.Parse(ctx, schema)
	if err != nil {
		return nil, err
	}
	where, args := "", []any(nil)
	if len(hidden) > 0 {
		where, args = "kind NOT IN ?", []any{hidden}
	}
	page, err := l.rows.Page(ctx, q, false, where, args...)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, entryOf)), nil
}

// ofItem lists all papers of an item.
func (l *Listing) ofItem(ctx context.Context, text string) (*list.Output[Entry], error) {
	kind, id, _ := strings.Cut(text, ":")
	of := item.Ref{Type: kind, UUID: item.ID(id)}
	if of.UUID == uuid.Nil {
		return nil, store.ErrInvalid.WithField("item", "The `item` must be a type and a UUID, such as loads.load:0190d0c0-0000-7000-8000-000000000101.")
	}
	missing, err := l.items.Exists(ctx, of)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, store.ErrInvalid.WithField("item", "There is no such item.")
	}
	papers, err := l.registry.Of(ctx, document.ForCompany(), of)
	if err != nil {
		return nil, err
	}
	listed, err := l.shelf.List(ctx, papers)
	if err != nil {
		return nil, err
	}
	ours, err := l.rows.Where(ctx, "item_id = ? OR about_id = ?", of.UUID, of.UUID)
	if err != nil {
		return nil, err
	}
	byFile := map[uuid.UUID]store.Document{}
	for _, d := range ours {
		if d.Attachment != nil {
			byFile[*d.Attachment] = d
		}
	}
	out := &list.Output[Entry]{}
	out.Body.Data = make([]Entry, len(listed))
	for i, one := range listed {
		if d, is := byFile[one.UUID]; is {
			out.Body.Data[i] = entryOf(d)
		} else {
			out.Body.Data[i] = Entry{UUID: one.UUID, Kind: one.Kind, Title: one.Title, CreatedAt: one.CreatedAt, Path: one.Path}
		}
	}
	out.Body.Meta.PerPage = len(listed)

	return out, nil
}

func entryOf(d store.Document) Entry {
	state, delivery := string(d.State), string(d.Delivery)

	return Entry{
		UUID: d.ID, Kind: d.Kind, Title: titleOf(d), CreatedAt: d.CreatedAt, Path: store.Base + "/documents/" + d.ID.String() + "/content",
		Document: &d.ID, Attachment: d.Attachment, Number: &d.Number, State: &state, Delivery: &delivery, Revision: &d.Revision, Visibility: &d.Visibility,
	}
}

// Papers are the documents of an item for the registry of papers: the latest revisions that can be read.
func (l *Listing) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	all, err := l.rows.Where(ctx, "item_id = ? OR about_id = ?", of.UUID, of.UUID)
	if err != nil {
		return nil, err
	}
	var papers []document.Paper
	for _, d := range store.Latest(all) {
		if d.State != store.Ready || d.Attachment == nil {
			continue
		}
		p := document.Paper{
			UUID: *d.Attachment, Kind: d.Kind, Title: titleOf(d), CreatedAt: d.CreatedAt, Visibility: document.Visibility(d.Visibility), Of: d.Of(),
			Frozen: true,
		}
		if l.registry.Unmeant(d.Kind, p.Visibility) != "" {
			p.Visibility = document.Internal
		}
		if d.Carrier != nil {
			p.Carrier = d.Carrier.String()
		}
		papers = append(papers, p)
	}

	return papers, nil
}
