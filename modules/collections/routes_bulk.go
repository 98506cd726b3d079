package collections

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/web"
)

func bulkRoutes(r *web.Router, requests *bulk.Requests) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/collections/{name}/bulk", ID: "bulk_rows", Access: web.Write,
		Summary:       "Create, change, delete and act on rows of a collection, many at once",
		Description:   bulk.ItemsDoc("row", bulk.ActsDoc),
		Secret:        true, // acts may answer with the texts of links
		Errors:        collectionErrors(bulk.ErrInvalid, bulk.ErrRefused, bulk.ErrNotWritable),
		MaxBody:       requests.Settings().MaxSize,
		RequestSchema: func() *huma.Schema { return bulk.Schema("row", requests.Settings().MaxItems) },
	}, named(func(ctx context.Context, in *bulkInput) (*bulk.Output[any, bulkNames], error) {
		return bulk.AnswerWith[any, bulkNames](requests.Run(ctx, in.Name, &in.RawJSON))
	}))
}

type bulkInput struct {
	web.RawJSON

	Name collection.Name `path:"name"`
}

// bulkNames name the schemas of answers.
type bulkNames struct{}

// Prefix implements bulk.Names.
func (bulkNames) Prefix() string { return "Collections" }
