package collections

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

func exportRoutes(r *web.Router, x *exchange.Exporter) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/export", ID: "export_collection", Access: web.Read,
		Summary: "Export the rows of a collection",
		Description: "Streams all rows that match the filter and the search, in the order of sort. `fields` chooses " +
			"the columns. The first column is the uuid, and the file can be imported again unchanged. In CSV, cells " +
			"that a spreadsheet would run as formulas are prefixed with an apostrophe, which an import removes. Fields " +
			"that the caller may not see are left out.",
		Errors: collectionErrors(append(list.Errors, exchange.ErrFieldsChanged)...), Produces: exchange.Media,
	}, named(func(ctx context.Context, in *exportInput) (*stream.Stream, error) {
		return x.Open(ctx, in.Name, &in.Export)
	}))
}

type exportInput struct {
	exchange.Export

	Name collection.Name `path:"name"`
}
