package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func importRoutes(r *web.Router, m *imports) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/imports", ID: "create_import", Access: web.Write,
		Summary: "Upload a file to import: CSV, JSON Lines or a workbook",
		Description: "The file is only stored: the answer lists its columns and proposes, by the keys and labels of " +
			"fields, where each column goes and the format of its cells. The first row of a CSV file or a sheet has " +
			"the names of the columns; in JSON Lines they are the keys. Change the proposal with PATCH, try it with " +
			"dry_run, then start. The file is UTF-8, UTF-16 with a byte order mark, or in the declared encoding.",
		Errors: append(records.Recode(exchange.ErrEncoding, exchange.ErrBadFile, exchange.ErrTooManyImports),
			definition.ErrModuleNotFound, definition.ErrModuleArchived, definition.ErrNotPermitted),
		MaxBody:  m.importer.MaxSize(),
		Consumes: exchange.UploadMedia,
	}, m.receive)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/imports", ID: "list_imports", Access: web.Write,
		Summary:     "List the imports into a module, the latest first",
		Description: "Samples are left out.",
		Errors:      append(list.Errors, definition.ErrModuleNotFound),
	}, m.list)
	exchange.Declare(r, m.importer, m.face)
}

// imports answers what is asked about imports into modules.
type imports struct {
	importer *exchange.Importer
	face     exchange.Face[importBody]
}

func newImports(m *exchange.Importer) *imports {
	return &imports{importer: m.In(custommodulesapi.Area), face: exchange.Face[importBody]{
		Area: custommodulesapi.Area, Show: importOf, Fail: records.RecodeError, Errors: []*errs.Error{definition.ErrModuleArchived, definition.ErrNotPermitted},
	}}
}

// importBody is an import as answers show it.
type importBody struct {
	exchange.Import

	ModuleUUID uuid.UUID `json:"module_uuid"`
}

// SchemaName implements web's naming.
func (importBody) SchemaName() string { return "Import" }

func importOf(shown exchange.Import) importBody {
	return importBody{Import: shown, ModuleUUID: uuid.MustParse(string(shown.Collection()))}
}

type uploadInput struct {
	exchange.Upload

	UUID uuid.UUID `path:"uuid"`
}

func (m *imports) receive(ctx context.Context, in *uploadInput) (*web.Resource[importBody], error) {
	return m.face.Resource(m.importer.Receive(ctx, definition.CollectionOf(in.UUID), &in.Upload))
}

type listImportsInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (m *imports) list(ctx context.Context, in *listImportsInput) (*list.Output[importBody], error) {
	return m.face.List(ctx, m.importer, definition.CollectionOf(in.UUID), &in.Input)
}
