package companies

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

func roleRoutes(r *web.Router, s *roles) {
	roles := web.Scope("roles")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/roles", ID: "list_roles", Access: web.Read,
		Summary: "List the roles that users can have: the built-in ones, and the company's own",
		Errors:  []*errs.Error{identity.ErrCompanyNotFound},
	}, s.listRoles)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/roles", ID: "create_role", Access: roles,
		Summary:     "Define a role",
		Description: "A role is a named set of scopes. You cannot add a scope that you do not have. GET /companies/api/v1/scopes lists all scopes.",
		Errors:      []*errs.Error{identity.ErrInvalid, identity.ErrRoleTaken, identity.ErrTooManyRoles, authority.ErrExceeds},
	}, s.postRole)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/roles/{uuid}", ID: "update_role", Access: roles,
		Summary:     "Change a role of the company's own",
		Description: "The change applies at once, also to existing tokens of its users.",
		Errors:      []*errs.Error{identity.ErrRoleNotFound, identity.ErrInvalid, authority.ErrExceeds},
	}, s.patchRole)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/roles/{uuid}", ID: "delete_role", Access: roles,
		Summary: "Delete a role that no user has",
		Errors:  []*errs.Error{identity.ErrRoleNotFound, identity.ErrRoleInUse, authority.ErrExceeds},
	}, s.deleteRoleRoute)
}

// roleBody is a role as answers show it.
type roleBody struct {
	UUID    *uuid.UUID    `json:"uuid" doc:"Null for a built-in role."`
	Name    identity.Role `json:"name" doc:"Value of a user's role; it does not change."`
	Title   string        `json:"title" doc:"Display name."`
	Scopes  []string      `json:"scopes" nullable:"false"`
	BuiltIn bool          `json:"built_in" doc:"Whether the role is built in; built-in roles cannot be changed."`
	Version int64         `json:"version" doc:"Increases with every change; also the ETag. 0 for a built-in role."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (roleBody) SchemaName() string { return "Role" }

func showRole(r identity.OwnRole) roleBody {
	return roleBody{UUID: &r.ID, Name: r.Name, Title: r.Title, Scopes: r.Scopes, Version: r.Version}
}

func answerRole(r identity.OwnRole) *web.Resource[roleBody] {
	return web.NewResource(showRole(r), r.Version, base+"/roles/"+r.ID.String())
}

type listRolesOutput struct {
	Body struct {
		Data []roleBody `json:"data" nullable:"false"`
	}
}

func (s *roles) listRoles(ctx context.Context, _ *struct{}) (*listRolesOutput, error) {
	own, err := s.identity.OwnRoles(ctx, journal.Caller(ctx).Company)
	if err != nil {
		return nil, err
	}
	out := &listRolesOutput{}
	builtIn := s.identity.BuiltInRoles()
	for _, name := range identity.BuiltInNames {
		out.Body.Data = append(out.Body.Data, roleBody{Name: name, Title: roleTitle(name), Scopes: builtIn[name], BuiltIn: true})
	}
	for _, r := range own {
		out.Body.Data = append(out.Body.Data, showRole(r))
	}

	return out, nil
}

// roleTitle is what people call a built-in role.
func roleTitle(name identity.Role) string {
	switch name {
	case identity.Owner:
		return "Owner"
	case identity.Admin:
		return "Administrator"
	case identity.Dispatcher:
		return "Dispatcher"
	case identity.Accountant:
		return "Accountant"
	case identity.Viewer:
		return "Viewer"
	default:
		return string(name)
	}
}

type postRoleInput struct {
	Body struct {
		Name   identity.Role `json:"name" doc:"Lower case letters, digits and underscores, starting with a letter." example:"night_shift"`
		Title  string        `json:"title" example:"Night shift"`
		Scopes []string      `json:"scopes" nullable:"false" example:"[\"*:read\"]"`
	}
}

func (s *roles) postRole(ctx context.Context, in *postRoleInput) (*web.Resource[roleBody], error) {
	role, err := s.createRole(ctx, identity.OwnRole{Name: in.Body.Name, Title: in.Body.Title, Scopes: in.Body.Scopes})
	if err != nil {
		return nil, err
	}

	return answerRole(role), nil
}

type roleInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

type patchRoleInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body struct {
		Title  web.Sent[string]   `json:"title,omitzero"`
		Scopes web.Sent[[]string] `json:"scopes,omitzero" doc:"All scopes; they replace the former ones."`
	}
}

func (s *roles) patchRole(ctx context.Context, in *patchRoleInput) (*web.Resource[roleBody], error) {
	role, err := s.updateRole(ctx, in.UUID, in.Check, func(r *identity.OwnRole) {
		r.Title, r.Scopes = in.Body.Title.ValueOr(r.Title), in.Body.Scopes.ValueOr(r.Scopes)
	})
	if err != nil {
		return nil, err
	}

	return answerRole(role), nil
}

func (s *roles) deleteRoleRoute(ctx context.Context, in *roleInput) (*struct{}, error) {
	return nil, s.deleteRole(ctx, in.UUID, in.Check)
}
