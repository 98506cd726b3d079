package exchange

import (
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	mediaCSV   = "text/csv"
	mediaLines = "application/x-ndjson"
)

// ExportRoutes is the operation that exports.
func ExportRoutes(r *web.Router, x *Exporter) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/export", ID: "export_records", Access: web.Read,
		Summary: "Export the records of a module",
		Description: "All records that the filter and the search find, in the order of sort, as a stream. `fields` chooses the columns. " +
			"The first column is the uuid; a file can be imported again as it is. In CSV, what a spreadsheet would run has an " +
			"apostrophe in front, which an import takes off again. Fields that the caller does not see are left out. Each record is " +
			"as it was when it was read, a part at a time: one that is there all along and keeps its place in the order comes exactly once.",
		Errors:   append(list.Errors(), errModuleNotFound, errFieldNotIndexed, errFieldsChanged, errViewNotFound, errViewBroken),
		Produces: []string{mediaCSV, mediaLines},
	}, x.open)
}

// exportInput has the query keys of an export: those of the list of records that make sense for all of it.
type exportInput struct {
	UUID   uuid.UUID         `path:"uuid"`
	Format format            `query:"format" default:"csv" enum:"csv,jsonl" doc:"How records are written: CSV, or JSON Lines with the exact payloads."`
	BOM    bool              `query:"bom" doc:"Begins a CSV file with a byte order mark, by which Excel knows UTF-8."`
	Sort   string            `query:"sort" doc:"Keys to sort by, as in the list of records." example:"-price,pickup_date"`
	Filter map[string]string `query:"filter,deepObject,explode" doc:"Conditions, as in the list of records."`
	Fields string            `query:"fields" doc:"Columns, separated by commas, as in the list of records; the uuid always comes along." example:"payload.vin,payload.price"`
	View   uuid.UUID         `query:"view" doc:"A view of the module: its filter, sort and columns hold where the query says nothing else."`
	Q      string            `query:"q" doc:"Words to search for, as in the list of records."`

	path  string
	query url.Values
}

// Resolve implements huma.Resolver: it keeps the query as it was sent.
func (in *exportInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.path = u.EscapedPath()
	in.query = u.Query()

	return nil
}
