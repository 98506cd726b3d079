package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// viewRoutes are about saved views. One's own take no more than reading.
func viewRoutes(r *web.Router, s *service) {
	const all, one = "/modules/{uuid}/views", "/modules/{uuid}/views/{view_uuid}"
	wrong := append([]*errs.Error{definition.ErrModuleNotFound, definition.ErrNotPermitted}, records.Recode(views.ErrInvalid, views.ErrTooMany)...)
	missing := append([]*errs.Error{definition.ErrModuleNotFound}, records.Recode(views.ErrNotFound)...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: all, ID: "list_views", Access: web.Read,
		Summary: "List the views of a module: the shared ones and your own", Description: views.Schema.Describe(),
		Errors: append(list.Errors, definition.ErrModuleNotFound),
	}, s.listViews)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: all, ID: "create_view", Access: web.Read,
		Summary:     "Save a filter, sort and columns as a view",
		Description: "A shared view requires the scope custom_modules:define and the module's permission to define.",
		Errors:      wrong,
	}, func(ctx context.Context, in *postViewInput) (*web.Resource[view], error) {
		return answerView(s.others.Views.Create(ctx, s.recordsOf(in.UUID), in.Body))
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_view", Access: web.Read, Summary: "Read a view", Errors: missing,
	}, func(ctx context.Context, in *getViewInput) (*web.Resource[view], error) {
		return answerView(s.others.Views.Find(ctx, s.recordsOf(in.UUID), in.View))
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: one, ID: "replace_view", Access: web.Read, Summary: "Replace a view",
		Errors: append(wrong, records.Recode(views.ErrNotFound, views.ErrOvertaken)...),
	}, func(ctx context.Context, in *putViewInput) (*web.Resource[view], error) {
		return answerView(s.others.Views.Replace(ctx, s.recordsOf(in.UUID), in.View, in.IfMatch, in.Body))
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_view", Access: web.Read, Summary: "Delete a view",
		Errors: append(missing, definition.ErrNotPermitted),
	}, func(ctx context.Context, in *deleteViewInput) (*struct{}, error) {
		return nil, records.RecodeError(s.others.Views.Delete(ctx, s.recordsOf(in.UUID), in.View, in.IfMatch))
	})
}

// recordsOf is the records of a module as a collection.
func (s *service) recordsOf(module uuid.UUID) records.RecordCollection {
	return records.RecordCollection{Service: s.records, Module: module}
}

// view is a view as answers show it.
type view struct {
	views.View

	Broken []brokenPart `json:"broken,omitempty" doc:"Parts that are left out above because their field is gone or you may not see it."`
}

// brokenPart is a part of a view whose field is gone.
type brokenPart struct {
	Path      string `json:"path" example:"filter.0"`
	FieldUUID string `json:"field_uuid"`
}

func viewOf(shown views.View) view {
	made := view{View: shown}
	for _, part := range shown.Broken() {
		made.Broken = append(made.Broken, brokenPart{part.Path, part.Field})
	}

	return made
}

func answerView(shown views.View, err error) (*web.Resource[view], error) {
	if err != nil {
		return nil, records.RecodeError(err)
	}

	return web.NewResource(viewOf(shown), shown.Version, definition.Base+"/modules/"+string(shown.Collection())+"/views/"+shown.UUID.String()), nil
}

type listViewsInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) listViews(ctx context.Context, in *listViewsInput) (*list.Output[view], error) {
	return views.List(ctx, s.others.Views, s.recordsOf(in.UUID), &in.Input, viewOf)
}

type postViewInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body views.NewView
}

type getViewInput struct {
	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
}

type putViewInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
	Body views.NewView
}

type deleteViewInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
}
