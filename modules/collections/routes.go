package collections

import (
	"context"
	"errors"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// collectionErrors are what Open says of a collection. What its area refuses beyond that has that area's codes.
func collectionErrors(more ...*errs.Error) []*errs.Error {
	return append(more, collection.ErrNotFound, principal.ErrScopeMissing)
}

func collectionRoutes(r *web.Router, c *collection.Registry) {
	h := handlers{collections: c}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections", ID: "list_collections", Access: web.Read,
		Summary:     "List the collections that you may read",
		Description: "The areas' collections by name, then the company's own by title. Each requires the scope `<area>:read` of its area.",
		Errors:      []*errs.Error{principal.ErrScopeMissing},
	}, h.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}", ID: "read_collection", Access: web.Read,
		Summary:     "Read what a collection is: its fields, and what you may do with its rows",
		Description: "Only the fields that you may see are included. `schema` is the JSON Schema of a new row.",
		Errors:      collectionErrors(),
	}, named(h.read))
}

// named is a handler of a collection that is named in the path: what is not there is refused as such, whatever its
// area says of it.
func named[I, O any](handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if errors.Is(err, collection.ErrNotFound) {
			err = collection.ErrNotFound
		}

		return out, err
	}
}

type handlers struct{ collections *collection.Registry }

// collectionBody is what a list shows of a collection.
type collectionBody struct {
	Name  collection.Name `json:"name" doc:"The item type of its rows, or the UUID of a custom module." example:"loads.load"`
	Area  string          `json:"area" doc:"The area that owns the rows and whose scopes they require."`
	Title string          `json:"title"`
}

type listOutput struct{ Body listBody }

type listBody struct {
	Data []collectionBody `json:"data" nullable:"false"`
}

func (h handlers) list(ctx context.Context, _ *struct{}) (*listOutput, error) {
	all, err := h.collections.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &listOutput{Body: listBody{Data: make([]collectionBody, len(all))}}
	for i, info := range all {
		out.Body.Data[i] = collectionBody(info)
	}

	return out, nil
}

// describedBody is a collection as its caller sees it.
type describedBody struct {
	Name  collection.Name `json:"name"`
	Area  string          `json:"area"`
	Title string          `json:"title"`

	Under    string         `json:"under" doc:"The key of a row that holds the values of fields; empty if the row itself does." example:"payload"`
	Writable bool           `json:"writable" doc:"Whether you may create and change rows now."`
	Fields   []fieldBody    `json:"fields" nullable:"false"`
	Schema   map[string]any `json:"schema" doc:"JSON Schema of the values of a new row; null without one."`
}

// fieldBody is a field of a collection.
type fieldBody struct {
	ID        string `json:"id" doc:"Stays when the key changes."`
	Key       string `json:"key"`
	Label     string `json:"label"`
	Type      string `json:"type"`
	About     string `json:"about" doc:"What the values are."`
	Required  bool   `json:"required"`
	Unique    bool   `json:"unique"`
	Settable  bool   `json:"settable" doc:"Whether callers can set the field; computed fields cannot be set."`
	Sensitive bool   `json:"sensitive" doc:"Whether reading the values requires an additional scope."`
}

type nameInput struct {
	Name collection.Name `path:"name" doc:"The type of the items, or the UUID of a custom module." example:"loads.load"`
}

type describedOutput struct{ Body describedBody }

func (h handlers) read(ctx context.Context, in *nameInput) (*describedOutput, error) {
	c, err := h.collections.Open(ctx, in.Name, collection.Read)
	if err != nil {
		return nil, err
	}
	d, err := c.Describe(ctx)
	if err != nil {
		return nil, err
	}
	writable, err := h.writable(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	body := describedBody{
		Name: d.Name, Area: d.Area, Title: d.Title, Under: d.Under, Writable: writable, Fields: make([]fieldBody, len(d.Fields)),
	}
	for i, f := range d.Fields {
		body.Fields[i] = fieldBody{
			ID: f.ID, Key: f.Key, Label: f.Label, Type: f.Type, About: f.About,
			Required: f.Required, Unique: f.Unique, Settable: f.Settable, Sensitive: f.Sensitive,
		}
	}
	if d.Schema != nil {
		body.Schema = d.Schema()
	}

	return &describedOutput{Body: body}, nil
}

// writable reports whether the caller may create and change rows of a collection now.
func (h handlers) writable(ctx context.Context, name collection.Name) (bool, error) {
	c, err := h.collections.Open(ctx, name, collection.Write)
	if err == nil {
		err = c.MayWrite(ctx)
	}
	switch errs.KindOf(err) {
	case errs.Forbidden, errs.Conflict, errs.NotFound:
		return false, nil
	default:
		return err == nil, err
	}
}
