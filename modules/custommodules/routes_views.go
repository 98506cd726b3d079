package custommodules

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/views"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// viewRoutes are about saved views. One's own take no more than reading.
func viewRoutes(r *web.Router, s *service) {
	const all, one = "/modules/{uuid}/views", "/modules/{uuid}/views/{view_uuid}"
	wrong := []*errs.Error{errModuleNotFound, errNotPermitted, errInvalidView, errTooManyViews}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: all, ID: "list_views", Access: web.Read,
		Summary: "List the views of a module: the shared ones and your own", Description: viewList().Describe(),
		Errors: append(list.Errors(), errModuleNotFound),
	}, s.listViews)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: all, ID: "create_view", Access: web.Read,
		Summary:     "Save a filter, sort and columns as a view",
		Description: "A shared view takes the scope custom_modules:define and the module's permission to define.",
		Errors:      wrong,
	}, s.postView)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_view", Access: web.Read, Summary: "Read a view",
		Errors: []*errs.Error{errModuleNotFound, errViewNotFound},
	}, s.getView)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: one, ID: "replace_view", Access: web.Read, Summary: "Save a view anew",
		Errors: append(wrong, errViewNotFound, errOvertaken),
	}, s.putView)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_view", Access: web.Read, Summary: "Delete a view",
		Errors: []*errs.Error{errModuleNotFound, errViewNotFound, errNotPermitted},
	}, s.deleteViewRoute)
}

// view is a view as answers show it.
type view struct {
	UUID      uuid.UUID         `json:"uuid"`
	Name      string            `json:"name"`
	Shared    bool              `json:"shared"`
	Filter    []views.Condition `json:"filter" nullable:"false"`
	Sort      []views.Order     `json:"sort" nullable:"false"`
	Columns   []string          `json:"columns" nullable:"false"`
	Broken    []brokenPart      `json:"broken,omitempty" doc:"What is left out of the above, since the field is gone, or not for you."`
	Version   int64             `json:"version"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
}

// brokenPart is a part of a view whose field is gone.
type brokenPart struct {
	Path      string `json:"path" example:"filter.0"`
	FieldUUID string `json:"field_uuid"`
}

func viewList() list.Schema {
	return list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true},
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		DefaultSort: []string{"name"},
		Keys:        list.KeysOf[view](),
	}
}

type listViewsInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) listViews(ctx context.Context, in *listViewsInput) (*list.Output[view], error) {
	q, err := in.Parse(viewList())
	if err != nil {
		return nil, err
	}
	var shown list.Page[view]
	err = s.definitions.usePresent(ctx, in.UUID, func(ctx context.Context, d *definition) error {
		page, err := s.repo.views(ctx, in.UUID, viewer(ctx), q)
		if err != nil {
			return err
		}
		shown = list.Convert(page, func(row viewRow) view {
			v, failure := row.show(d)
			if failure != nil {
				err = failure
			}

			return v
		})

		return err
	})

	return list.Answer(q, shown), err
}

func (v viewRow) show(d *definition) (view, error) {
	content, lost, err := v.content(d)
	shown := view{
		UUID: v.ID, Name: v.Name, Shared: v.OwnerID == nil, Filter: content.Filter, Sort: content.Sort, Columns: content.Columns,
		Version: v.Version, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}
	for _, part := range lost {
		shown.Broken = append(shown.Broken, brokenPart{part.Path, part.Field})
	}

	return shown, err
}

// answerView shows a view by the definition as it is now.
func (s *service) answerView(ctx context.Context, row viewRow, err error) (*web.Resource[view], error) {
	if err != nil {
		return nil, err
	}
	var shown view
	err = s.definitions.usePresent(ctx, row.ModuleID, func(_ context.Context, d *definition) error {
		shown, err = row.show(d)

		return err
	})

	return web.NewResource(shown, row.Version, base+"/modules/"+row.ModuleID.String()+"/views/"+row.ID.String()), err
}

type postViewInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body newView
}

func (s *service) postView(ctx context.Context, in *postViewInput) (*web.Resource[view], error) {
	row, err := s.createView(ctx, in.UUID, in.Body)

	return s.answerView(ctx, row, err)
}

type getViewInput struct {
	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
}

func (s *service) getView(ctx context.Context, in *getViewInput) (*web.Resource[view], error) {
	if _, err := s.readableModule(ctx, in.UUID); err != nil {
		return nil, err
	}
	row, err := s.repo.view(ctx, in.UUID, in.View, viewer(ctx))

	return s.answerView(ctx, row, err)
}

type putViewInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
	Body newView
}

func (s *service) putView(ctx context.Context, in *putViewInput) (*web.Resource[view], error) {
	row, err := s.replaceView(ctx, in.UUID, in.View, in.IfMatch, in.Body)

	return s.answerView(ctx, row, err)
}

type deleteViewInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `path:"view_uuid"`
}

func (s *service) deleteViewRoute(ctx context.Context, in *deleteViewInput) (*struct{}, error) {
	return nil, s.deleteView(ctx, in.UUID, in.View, in.IfMatch)
}
