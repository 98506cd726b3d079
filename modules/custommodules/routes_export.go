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
)

func exportRoutes(r *web.Router, x *exchange.Exporter) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/export", ID: "export_records", Access: web.Read,
		Summary: "Export the records of a module",
		Description: "All records that the filter and the search find, in the order of sort, as a stream. `fields` chooses the columns. " +
			"The first column is the uuid; a file can be imported again as it is. In CSV, what a spreadsheet would run has an " +
			"apostrophe in front, which an import takes off again. Fields that the caller does not see are left out. Each record is " +
			"as it was when it was read, a part at a time: one that is there all along and keeps its place in the order comes exactly once.",
		Errors:   records.ViewErrors(append(append(list.Errors(), records.Recode(exchange.ErrFieldsChanged)...), definition.ErrModuleNotFound, definition.ErrFieldNotIndexed)...),
		Produces: exchange.Media(),
	}, records.Recoded(func(ctx context.Context, in *exportInput) (*web.Stream, error) {
		return x.Open(ctx, definition.CollectionOf(in.UUID), &in.Export)
	}))
}

type exportInput struct {
	exchange.Export

	UUID uuid.UUID `path:"uuid"`
}
