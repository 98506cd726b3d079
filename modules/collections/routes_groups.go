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

func groupRoutes(r *web.Router, c *collection.Registry) {
	h := handlers{collections: c}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/groups", ID: "group_rows", Access: web.Read,
		Summary: "Count and sum the rows of a collection by group",
		Description: "Keys are the filter keys of the collection's list; amounts can be summed too. Sums are exact. An " +
			"answer has up to 1,000 groups, ordered by their values; a query with more is refused. Deleted rows are " +
			"not counted.",
		Errors: collectionErrors(append(list.GroupErrors, views.ErrNotFound, views.ErrBroken)...),
	}, named(h.group))
}

type groupInput struct {
	list.GroupInput

	Name collection.Name `path:"name"`
	View uuid.UUID       `query:"view" doc:"A view of the collection: its filter applies unless the query has its own."`
}

func (h handlers) group(ctx context.Context, in *groupInput) (*list.GroupOutput, error) {
	c, err := h.collections.Open(ctx, in.Name, collection.Read)
	if err != nil {
		return nil, err
	}
	grouped, ok := c.(collection.Grouped)
	if !ok {
		return nil, collection.ErrNotFound
	}
	groups, err := grouped.Groups(ctx, in.View, &in.GroupInput)

	return &list.GroupOutput{Body: groups}, err
}
