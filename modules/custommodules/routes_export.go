package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

func exportRoutes(r *web.Router, x *exchange.Exporter) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/export", ID: "export_records", Access: web.Read,
		Summary: "Export the records of a module",
		Description: "Streams all records that match the filter and the search, in the order of sort. `fields` chooses " +
			"the columns. The first column is the uuid, and the file can be imported again unchanged. In CSV, cells " +
			"that a spreadsheet would run as formulas are prefixed with an apostrophe, which an import removes. Fields " +
			"that the caller may not see are left out. Records are read in batches: a record that exists throughout " +
			"and keeps its place in the order comes exactly once.",
		Errors:   records.ViewErrors(append(append(list.Errors, records.Recode(exchange.ErrFieldsChanged)...), definition.ErrModuleNotFound, definition.ErrFieldNotIndexed)...),
		Produces: exchange.Media,
	}, records.RecodeHandler(func(ctx context.Context, in *exportInput) (*stream.Stream, error) {
		return x.Open(ctx, definition.CollectionOf(in.UUID), &in.Export)
	}))
}

type exportInput struct {
	exchange.Export

	UUID uuid.UUID `path:"uuid"`
}
