package exchange

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ImportRoutes are the operations of imports.
func ImportRoutes(r *web.Router, m *Importer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/imports", ID: "create_import", Access: web.Write,
		Summary: "Send a file, CSV or JSON Lines, that is to be imported",
		Description: "The file is stored and nothing else happens: the answer says which columns it has, and proposes where each goes, " +
			"by the keys and labels of fields. The first row of a CSV file are the names of the columns; in JSON Lines they are the keys. Change what is proposed with PATCH, try it with " +
			"dry_run, and start. The file is UTF-8, UTF-16 with a byte order mark, or of the encoding that is declared.",
		Errors: []*errs.Error{
			errModuleNotFound, errModuleArchived, errNotPermitted, errEncoding, errBadFile, errTooManyImports,
		},
		MaxBody:  m.settings.MaxSize,
		Consumes: []string{mediaCSV, mediaLines, "application/jsonl", "application/csv", "application/vnd.ms-excel", "application/octet-stream", "text/plain", "multipart/form-data"},
	}, m.receive)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/imports", ID: "list_imports", Access: web.Write,
		Summary:     "List the imports into a module, the latest first",
		Description: "They come without samples.",
		Errors:      append(list.Errors(), errModuleNotFound),
	}, m.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/imports/{uuid}", ID: "read_import", Access: web.Write,
		Summary: "Read an import: its columns, what becomes of their values, and how far it is",
		Errors:  []*errs.Error{errImportNotFound},
	}, m.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/imports/{uuid}", ID: "update_import", Access: web.Write,
		Summary:     "Say where the columns of an import go, and what it does with a row",
		Description: "A stopped or cancelled import takes it too, for the rows that are left.",
		Errors:      []*errs.Error{errImportNotFound, errMapping, errImportBusy},
	}, m.patch)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/imports/{uuid}", ID: "delete_import", Access: web.Write,
		Summary:     "Remove an import with its file",
		Description: "Records stay as they are; the import cannot be undone any more.",
		Errors:      []*errs.Error{errImportNotFound, errImportBusy},
	}, m.remove)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/imports/{uuid}/errors", ID: "read_import_errors", Access: web.Write,
		Summary: "Every row that failed, as it was, and why",
		Description: "A file of the import's format with what it had, and in front of that import_row, import_line and import_problem. " +
			"When the values are mended, it can be imported itself.",
		Errors: []*errs.Error{errImportNotFound}, Produces: []string{mediaCSV, mediaLines},
	}, m.errorsFile)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/imports/{uuid}/events", ID: "listen_import", Access: web.Write,
		Summary: "Listen to how far an import is, until nobody works on it any more",
		Errors:  []*errs.Error{errImportNotFound}, Events: []web.EventDoc{progressEvent()},
	}, m.listen)
	state.Declare(r, Lifecycle(), state.Handlers[status, importBody]{
		Path: "/imports/{uuid}", Current: m.current, Apply: m.move,
		Errors: []*errs.Error{errImportNotFound, errMapping, errModuleArchived, errNotPermitted},
	})
}

// separator is the name of what stands between cells.
type separator string

func (s separator) char() byte {
	switch s {
	case "semicolon":
		return ';'
	case "tab":
		return '\t'
	case "pipe":
		return '|'
	}

	return ','
}

type uploadInput struct {
	web.Upload

	UUID      uuid.UUID `path:"uuid"`
	Format    format    `query:"format" enum:"csv,jsonl" doc:"What the file is. Without it, application/x-ndjson, application/jsonl and names that end in .jsonl or .ndjson are JSON Lines, and all else is CSV."`
	Encoding  encoding  `query:"encoding" enum:"utf-8,utf-16,windows-1252" doc:"How the characters of the file are written. Without it, the byte order mark says it, and else it is UTF-8."`
	Delimiter separator `query:"delimiter" enum:"comma,semicolon,tab,pipe" doc:"What stands between values. Without it, the one that the first line has most of."`
	FileName  string    `query:"file_name" maxLength:"255" doc:"What people call the file; a form says it too."`
}

func (in *uploadInput) fileName() string {
	if name := in.Name(); name != "" {
		return cut(strings.ToValidUTF8(name, "_"), 255)
	}

	return in.FileName
}

// format is what the file is.
func (in *uploadInput) format() format {
	if in.Format != "" {
		return in.Format
	}
	name := strings.ToLower(in.fileName())
	if in.Media() == mediaLines || in.Media() == "application/jsonl" || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return asLines
	}

	return asCSV
}

type importInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

func (m *Importer) read(ctx context.Context, in *struct {
	UUID uuid.UUID `path:"uuid"`
},
) (*web.Resource[importBody], error) {
	row, table, err := m.visible(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return row.resource(table), nil
}

type patchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body mappingPatch
}

func (m *Importer) patch(ctx context.Context, in *patchInput) (*web.Resource[importBody], error) {
	_, table, err := m.visible(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	var row importRow
	err = m.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.repo.hold(ctx, in.UUID); err != nil {
			return err
		}
		if err := in.Check(row.Version); err != nil {
			return err
		}
		if row.State != ready && row.State != cancelled && row.State != stopped {
			return errImportBusy.WithMessage("The import is %s: where its columns go cannot be changed.", row.State).
				WithDetail("current", row.State)
		}
		before := row
		before.Mapping = slices.Clone(row.Mapping)
		if err := in.Body.apply(&row, table); err != nil {
			return err
		}
		row.Trial, row.TrialNext = nil, 0
		row.Version++
		row.UpdatedAt = m.clock.Now()
		if err := m.repo.save(ctx, &row); err != nil {
			return err
		}

		return m.record(ctx, actionMapped, row, mapped(before, row))
	})
	if err != nil {
		return nil, err
	}

	return row.resource(table), nil
}

func (m *Importer) remove(ctx context.Context, in *importInput) (*struct{}, error) {
	if _, _, err := m.visible(ctx, in.UUID); err != nil {
		return nil, err
	}

	err := m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.repo.hold(ctx, in.UUID)
		if err != nil {
			return err
		}
		if err := in.Check(row.Version); err != nil {
			return err
		}
		if row.State.atWork() {
			return errImportBusy
		}
		row.Whole = false // from here on it is not there; what a crash leaves of it, ClearOld removes
		if err := m.repo.save(ctx, &row); err != nil {
			return err
		}

		return m.record(ctx, actionRemoved, row, nil)
	})
	if err != nil {
		return nil, err
	}

	return nil, m.discard(ctx, in.UUID)
}

func importList() list.Schema {
	return list.Schema{
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true, Sortable: true},
		Fields:      []list.Field{{Name: "state", Expr: "state", Kind: list.Text, Filterable: true}},
		DefaultSort: []string{"-uuid"},
		Keys:        list.KeysOf[importBody](),
	}
}

type listInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (m *Importer) list(ctx context.Context, in *listInput) (*list.Output[importBody], error) {
	q, err := in.Parse(importList())
	if err != nil {
		return nil, err
	}
	table, err := m.reader.Table(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	page, err := m.repo.imports(ctx, in.UUID, q)
	if err != nil {
		return nil, err
	}
	shown := page
	shown.Data = nil
	for _, row := range page.Data {
		if row.shows(table) {
			shown.Data = append(shown.Data, row)
		}
	}

	return list.Answer(q, list.Convert(shown, func(row importRow) importBody {
		row.Samples = nil // many of them are a lot

		return row.body(table)
	})), nil
}
