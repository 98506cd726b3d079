package collections

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func importRoutes(r *web.Router, m *imports) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/collections/{name}/imports", ID: "create_import", Access: web.Write,
		Summary: "Upload a file to import: CSV, JSON Lines or a workbook",
		Description: "The file is only stored: the answer lists its columns and proposes, by the keys and labels of " +
			"fields, where each column goes and the format of its cells. The first row of a CSV file or a sheet has " +
			"the names of the columns; in JSON Lines they are the keys. Change the proposal with PATCH, try it with " +
			"dry_run, then start. The file is UTF-8, UTF-16 with a byte order mark, or in the declared encoding.",
		Errors:   collectionErrors(exchange.ErrEncoding, exchange.ErrBadFile, exchange.ErrTooManyImports),
		MaxBody:  m.importer.MaxSize(),
		Consumes: exchange.UploadMedia,
	}, named(m.receive))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/imports", ID: "list_imports", Access: web.Write,
		Summary:     "List the imports into a collection, the latest first",
		Description: "Samples are left out.",
		Errors:      collectionErrors(list.Errors...),
	}, named(m.list))
	exchange.Declare(r, m.importer, m.face)
}

// imports answers what is asked about imports.
type imports struct {
	importer *exchange.Importer
	face     exchange.Face[importBody]
}

func newImports(m *exchange.Importer) *imports {
	return &imports{importer: m, face: exchange.Face[importBody]{Area: "collections", Show: importOf}}
}

// importBody is an import as answers show it.
type importBody struct {
	exchange.Import

	Collection collection.Name `json:"collection"`
}

func importOf(shown exchange.Import) importBody {
	return importBody{Import: shown, Collection: shown.Collection()}
}

type uploadInput struct {
	exchange.Upload

	Name collection.Name `path:"name"`
}

func (m *imports) receive(ctx context.Context, in *uploadInput) (*web.Resource[importBody], error) {
	return m.face.Resource(m.importer.Receive(ctx, in.Name, &in.Upload))
}

type listImportsInput struct {
	list.Input

	Name collection.Name `path:"name"`
}

func (m *imports) list(ctx context.Context, in *listImportsInput) (*list.Output[importBody], error) {
	return m.face.List(ctx, m.importer, in.Name, &in.Input)
}
