// Package kinds shows the kinds of papers that there are, and who may see papers of each.
package kinds

import (
	"context"
	"net/http"
	"slices"

	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Kinds knows the kinds of papers.
type Kinds struct{ registry *document.Registry }

// New returns Kinds.
func New(r *document.Registry) *Kinds { return &Kinds{r} }

// Find returns a kind that the caller's company uses. Error: document.ErrUnknownKind.
func (k *Kinds) Find(ctx context.Context, name string) (document.KindInfo, error) {
	all, err := k.registry.Kinds(ctx)
	if err != nil {
		return document.KindInfo{}, err
	}
	i := slices.IndexFunc(all, func(one document.KindInfo) bool { return one.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, one := range all {
			names[i] = one.Name
		}

		return document.KindInfo{}, document.ErrUnknownKind.WithDetail("kinds", names)
	}

	return all[i], nil
}

// Hidden are the kinds whose papers the caller may not see.
func (k *Kinds) Hidden(ctx context.Context) ([]string, error) {
	all, err := k.registry.Kinds(ctx)
	caller, _ := principal.From(ctx)
	var hidden []string
	for _, one := range all {
		if !caller.Allows(one.Area+":read") || slices.ContainsFunc(one.Scopes, func(scope string) bool { return !caller.Allows(scope) }) {
			hidden = append(hidden, one.Name)
		}
	}

	return hidden, err
}

// Unmeant says why papers of a kind cannot have a visibility, "" if they can.
func (k *Kinds) Unmeant(kind, visibility string) string {
	return k.registry.Unmeant(kind, document.Visibility(visibility))
}

// Kind is a kind of papers in an answer.
type Kind struct {
	Name   string   `json:"name" example:"agreement"`
	Title  string   `json:"title" example:"Agreement"`
	Area   string   `json:"area" doc:"The area that knows what its papers say."`
	Items  []string `json:"item_types" nullable:"false" doc:"What its papers are about."`
	Scopes []string `json:"scopes" nullable:"false" doc:"Those that are needed to see its papers, beside <area>:read."`
	// Variables and Blocks are for templates.
	Variables []blocks.Value `json:"variables" nullable:"false" doc:"The values that texts of templates can have."`
	Blocks    []blocks.Block `json:"blocks" nullable:"false" doc:"Those of a paper without a template: its parts."`
	Required  []string       `json:"required" nullable:"false" doc:"The parts that a template must have, because the law or the trade asks for them."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Kind) SchemaName() string { return "PaperKind" }

type listOutput struct {
	Body struct {
		Data []Kind `json:"data" nullable:"false"`
	}
}

// Routes registers the operation that lists the kinds.
func Routes(r *web.Router, k *Kinds) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/kinds", ID: "list_document_kinds", Access: web.Read, Summary: "List the kinds of papers",
		Description: "With the values and the parts that templates may use.", Errors: []*errs.Error{database.ErrUnavailable},
	}, k.list)
}

func (k *Kinds) list(ctx context.Context, _ *struct{}) (*listOutput, error) {
	all, err := k.registry.Kinds(ctx)
	out := &listOutput{}
	out.Body.Data = make([]Kind, len(all))
	for i, one := range all {
		shown := Kind{
			Name: one.Name, Title: one.Title, Area: one.Area, Items: one.About, Scopes: append([]string{}, one.Scopes...),
			Variables: blocks.Values(one.Example.Values), Blocks: blocks.Default(one.Example), Required: []string{},
		}
		for _, p := range one.Example.Parts {
			if p.Required {
				shown.Required = append(shown.Required, p.Name)
			}
		}
		out.Body.Data[i] = shown
	}

	return out, err
}
