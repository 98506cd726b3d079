package exchange

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Face is how an area shows imports. B is its body of an import.
type Face[B any] struct {
	// Area is the id of the area.
	Area string
	// Show makes the body.
	Show func(Import) B
	// Fail changes a failure into the area's own, nil if it has none.
	Fail func(error) error
	// Errors are failures that a collection of the area may add where rows are written.
	Errors []*errs.Error
}

// Resource answers with an import.
func (f Face[B]) Resource(shown Import, err error) (*web.Resource[B], error) {
	if err != nil {
		return nil, f.failed(err)
	}

	return web.NewResource(f.Show(shown), shown.Version, "/"+f.Area+"/api/v1/imports/"+shown.UUID.String()), nil
}

// List answers with a page of the imports into a collection.
func (f Face[B]) List(ctx context.Context, m *Importer, into collection.Name, in *list.Input) (*list.Output[B], error) {
	page, err := listOf(ctx, m, into, in, f.Show)

	return page, f.failed(err)
}

func (f Face[B]) failed(err error) error {
	if f.Fail == nil || err == nil {
		return err
	}

	return f.Fail(err)
}

// errors returns failures as the area documents them.
func (f Face[B]) errors(all ...*errs.Error) []*errs.Error {
	made := make([]*errs.Error, 0, len(all)+len(f.Errors))
	for _, one := range all {
		if own, ok := errors.AsType[*errs.Error](f.failed(one)); ok {
			made = append(made, own)
		}
	}

	return made
}

type importID struct {
	UUID uuid.UUID `path:"uuid"`
}

type changeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body MappingPatch
}

type removeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

type reportInput struct {
	UUID uuid.UUID `path:"uuid"`
	Of   report    `query:"of" default:"run" enum:"run,dry_run,undo,notes" doc:"Of what: the rows that the run, or the last dry run, did not take; those that an undo left as they are; or those that were taken with a cell left empty, which was no value of its field."`
}

type listenInput struct {
	sse.Resume

	UUID uuid.UUID `path:"uuid"`
}

// Declare adds the operations on imports that are there, below /imports/{uuid}, to an area's router: sending a file and
// listing imports are the area's, since a collection is in their paths.
func Declare[B any](r *web.Router, m *Importer, f Face[B]) {
	const one = "/imports/{uuid}"
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_import", Access: web.Write,
		Summary: "Read an import: its columns, what becomes of their values, and how far it is",
		Errors:  f.errors(ErrImportNotFound),
	}, func(ctx context.Context, in *importID) (*web.Resource[B], error) {
		return f.Resource(m.find(ctx, in.UUID))
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: one, ID: "update_import", Access: web.Write,
		Summary:     "Say where the columns of an import go, and what it does with a row",
		Description: "A stopped or cancelled import takes it too, for the rows that are left.",
		Errors:      f.errors(ErrImportNotFound, ErrMapping, ErrImportBusy),
	}, func(ctx context.Context, in *changeInput) (*web.Resource[B], error) {
		return f.Resource(m.change(ctx, in.UUID, in.IfMatch, in.Body))
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_import", Access: web.Write,
		Summary:     "Remove an import with its file",
		Description: "Records stay unchanged; the import can no longer be undone.",
		Errors:      f.errors(ErrImportNotFound, ErrImportBusy),
	}, func(ctx context.Context, in *removeInput) (*struct{}, error) {
		return nil, f.failed(m.remove(ctx, in.UUID, in.IfMatch))
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one + "/errors", ID: "read_import_errors", Access: web.Write,
		Summary: "Every row that failed, as it was, and why",
		Description: "A file of the import's format with what it had, and in front of that import_row, import_line and import_problem. " +
			"When the values are mended, it can be imported itself.",
		Errors: f.errors(ErrImportNotFound), Produces: Media,
	}, func(ctx context.Context, in *reportInput) (*stream.Stream, error) {
		file, err := m.errorsFile(ctx, in.UUID, in.Of)

		return file, f.failed(err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one + "/events", ID: "listen_import", Access: web.Write,
		Summary: "Listen to how far an import is, until nobody works on it any more",
		Errors:  f.errors(ErrImportNotFound), Events: []sse.Doc{progressEvent()},
	}, func(ctx context.Context, in *listenInput) (*sse.Events, error) {
		told, err := m.listen(ctx, in.UUID, in.Resume)

		return told, f.failed(err)
	})
	state.Declare(r, Lifecycle(f.Area), state.Handlers[Status, B]{
		Path: one, Log: m.states,
		Current: func(ctx context.Context, id uuid.UUID) (Status, any, error) {
			row, _, err := m.visible(ctx, id)

			return row.State, row, f.failed(err)
		},
		Apply: func(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[B], error) {
			return f.Resource(m.move(ctx, move, match))
		},
		Errors: append(f.errors(ErrImportNotFound, ErrMapping), f.Errors...),
	})
}
