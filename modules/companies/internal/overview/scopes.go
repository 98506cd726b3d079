package overview

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ScopeRoutes are the operations on scopes.
func ScopeRoutes(r *web.Router, api *web.API) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/scopes", ID: "list_scopes", Access: web.Read,
		Summary:     "List the scopes that roles and tokens can have",
		Description: "Lists the scopes of every area of the deployment, whether or not the company uses it. Either half of a scope may be *: custom_modules:*, *:read, *.",
		Errors:      []*errs.Error{identity.ErrCompanyNotFound},
	}, listScopes(api))
}

// scopeBody is a scope as answers show it.
type scopeBody struct {
	Name       string   `json:"name" example:"custom_modules:read"`
	Area       string   `json:"area" example:"custom_modules"`
	Operations []string `json:"operations" nullable:"false" doc:"The ids of the operations that require it."`
	Summary    string   `json:"summary" doc:"What it allows beyond operations; empty for most."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (scopeBody) SchemaName() string { return "Scope" }

type listScopesOutput struct {
	Body struct {
		Data []scopeBody `json:"data" nullable:"false"`
	}
}

func listScopes(api *web.API) func(context.Context, *struct{}) (*listScopesOutput, error) {
	return func(context.Context, *struct{}) (*listScopesOutput, error) {
		out := &listScopesOutput{}
		for _, s := range api.Scopes() {
			out.Body.Data = append(out.Body.Data, scopeBody{Name: s.Name, Area: s.Area, Operations: s.Operations, Summary: s.Summary})
		}

		return out, nil
	}
}
