package collections

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func exportRoutes(r *web.Router, x *exchange.Exporter) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/export", ID: "export_collection", Access: web.Read,
		Summary: "Export the rows of a collection",
		Description: "All rows that the filter and the search find, in the order of sort, as a stream. `fields` chooses the columns. " +
			"The first column is the uuid; a file can be imported again as it is. In CSV, what a spreadsheet would run has an " +
			"apostrophe in front, which an import takes off again. Fields that the caller does not see are left out.",
		Errors: refusals(append(list.Errors(), exchange.ErrFieldsChanged)...), Produces: exchange.Media(),
	}, named(func(ctx context.Context, in *exportInput) (*web.Stream, error) {
		return x.Open(ctx, in.Name, &in.Export)
	}))
}

type exportInput struct {
	exchange.Export

	Name collection.Name `path:"name"`
}
