package collections

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// viewRoutes are about saved views. One's own take no more than reading.
func viewRoutes(r *web.Router, h *savedViews) {
	const all, one = "/collections/{name}/views", "/collections/{name}/views/{uuid}"
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: all, ID: "list_views", Access: web.Read,
		Summary: "List the views of a collection: the shared ones and your own", Description: views.Schema.Describe(),
		Errors: collectionErrors(list.Errors...),
	}, named(h.list))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: all, ID: "create_view", Access: web.Read,
		Summary: "Save a filter, sort and columns as a view",
		Description: "Use it as `view=` in lists and exports of the collection. A shared view requires the permission " +
			"to define the custom module or to write the rows of the area.",
		Errors: collectionErrors(views.ErrInvalid, views.ErrTooMany),
	}, named(h.create))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_view", Access: web.Read, Summary: "Read a view",
		Errors: collectionErrors(views.ErrNotFound),
	}, named(h.read))
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: one, ID: "update_view", Access: web.Read, Summary: "Change a view",
		Description: "Parts that the body leaves out stay, and an empty list clears a part. A view can be renamed or shared even if a field that it filters by is gone.",
		Errors:      collectionErrors(views.ErrNotFound, views.ErrInvalid, views.ErrOvertaken),
	}, named(h.update))
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_view", Access: web.Read, Summary: "Delete a view",
		Errors: collectionErrors(views.ErrNotFound, views.ErrOvertaken),
	}, named(h.delete))
}

// savedViews answers what is asked about views.
type savedViews struct {
	collections *collection.Registry
	views       *views.Views
}

func newSavedViews(c *collection.Registry, v *views.Views) *savedViews {
	return &savedViews{collections: c, views: v}
}

// view is a view as answers show it.
type view struct {
	views.View

	Broken []brokenPart `json:"broken,omitempty" doc:"Parts that are left out above because their field is gone or you may not see it."`
}

// brokenPart is a part of a view whose field is gone.
type brokenPart struct {
	Path  string `json:"path" example:"filter.0"`
	Field string `json:"field" doc:"The ID of the field."`
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
		return nil, err
	}

	return web.NewResource(viewOf(shown), shown.Version,
		"/collections/api/v1/collections/"+string(shown.Collection())+"/views/"+shown.UUID.String()), nil
}

// open returns a collection whose lists can be saved.
func (h *savedViews) open(ctx context.Context, name collection.Name) (collection.Viewed, error) {
	c, err := h.collections.Open(ctx, name, collection.Read)
	if err != nil {
		return nil, err
	}
	viewed, ok := c.(collection.Viewed)
	if !ok {
		return nil, collection.ErrNotFound
	}

	return viewed, nil
}

type listViewsInput struct {
	list.Input

	Name collection.Name `path:"name"`
}

func (h *savedViews) list(ctx context.Context, in *listViewsInput) (*list.Output[view], error) {
	of, err := h.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}

	return views.List(ctx, h.views, of, &in.Input, viewOf)
}

type createViewInput struct {
	Name collection.Name `path:"name"`
	Body views.NewView
}

func (h *savedViews) create(ctx context.Context, in *createViewInput) (*web.Resource[view], error) {
	of, err := h.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}

	return answerView(h.views.Create(ctx, of, in.Body))
}

type viewInput struct {
	Name collection.Name `path:"name"`
	UUID uuid.UUID       `path:"uuid"`
}

func (h *savedViews) read(ctx context.Context, in *viewInput) (*web.Resource[view], error) {
	of, err := h.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}

	return answerView(h.views.Find(ctx, of, in.UUID))
}

type updateViewInput struct {
	web.IfMatch

	Name collection.Name `path:"name"`
	UUID uuid.UUID       `path:"uuid"`
	Body views.Patch
}

func (h *savedViews) update(ctx context.Context, in *updateViewInput) (*web.Resource[view], error) {
	of, err := h.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}

	return answerView(h.views.Change(ctx, of, in.UUID, in.IfMatch, in.Body))
}

type deleteViewInput struct {
	web.IfMatch

	Name collection.Name `path:"name"`
	UUID uuid.UUID       `path:"uuid"`
}

func (h *savedViews) delete(ctx context.Context, in *deleteViewInput) (*struct{}, error) {
	of, err := h.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}

	return nil, h.views.Delete(ctx, of, in.UUID, in.IfMatch)
}
