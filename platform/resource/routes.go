package resource

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

type listInput struct {
	list.Input

	View    uuid.UUID `query:"view" doc:"A saved view of the collection: its filter, sort and columns hold where the query says nothing else."`
	Deleted bool      `query:"deleted" doc:"Whether to list what is deleted, and can be restored, instead."`
}

type readInput struct {
	UUID   uuid.UUID `path:"uuid" format:"uuid"`
	Expand string    `query:"expand" doc:"References to embed, and details of values such as vin.decoded, separated by commas."`
}

type createInput struct{ web.RawJSON }

type patchInput struct {
	web.RawJSON
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type writeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// routes adds the operations of a resource.
func (r *table) routes(router *web.Router) {
	missing, wrong := []*errs.Error{r.notFound}, r.writeErrors()
	r.readRoutes(router, missing)
	r.writeRoutes(router, missing, wrong)
	if r.life != nil {
		r.life.routes(router, r, append(missing, wrong...))
	}
}

// writeErrors is Resource.WriteErrors.
func (r *table) writeErrors() []*errs.Error {
	wrong := append([]*errs.Error{r.invalid}, r.Errors...)
	if r.plan.Unique() {
		wrong = append(wrong, r.taken)
	}
	if r.plan.Sensitive() {
		wrong = append(wrong, r.withheld)
	}

	return wrong
}

func (r *table) readRoutes(router *web.Router, missing []*errs.Error) {
	one, many := columns.Spaced(r.noun), columns.Spaced(r.Plural)
	if !r.owns(List) {
		web.RegisterTyped(router, web.Operation{
			Method: http.MethodGet, Path: "/" + r.Plural, ID: "list_" + r.Plural, Access: r.ReadAccess, Summary: "List " + many,
			Description: r.About, Describe: func() string { return r.plan.WholeSchema(database.Postgres).Describe() },
			Errors: append(list.Errors, views.ErrNotFound, views.ErrBroken),
		}, r.shapes.page, r.serveList)
	}
	if !r.owns(Read) {
		web.RegisterTyped(router, web.Operation{
			Method: http.MethodGet, Path: "/" + r.Plural + "/{uuid}", ID: "read_" + r.noun, Access: r.ReadAccess, Summary: "Read " + columns.WithArticle(one),
			Errors: append(missing, list.ErrInvalidQuery),
		}, r.shapes.one, r.serveRead)
	}
}

func (r *table) writeRoutes(router *web.Router, missing, wrong []*errs.Error) {
	one, path, until := columns.Spaced(r.noun), "/"+r.Plural, " until it is purged"
	if r.KeepDeleted {
		until = ""
	}
	if !r.owns(Create) {
		web.RegisterTyped(router, web.Operation{
			Method: http.MethodPost, Path: path, ID: "create_" + r.noun, Access: r.WriteAccess, Summary: "Create " + columns.WithArticle(one),
			Description: r.About, Errors: wrong, RequestSchema: func() *huma.Schema { return r.plan.Forms().Body }, RequestName: r.requestName(Create),
		}, r.shapes.one, r.serveCreate)
	}
	if !r.owns(Update) {
		patch := web.Operation{
			Method: http.MethodPatch, Path: path + "/{uuid}", ID: "update_" + r.noun, Access: r.WriteAccess, Summary: "Change " + columns.WithArticle(one),
			Description: "A JSON merge patch (RFC 7396): keys that it does not have stay, null takes a value away.",
			Errors:      append(missing, wrong...), RequestSchema: func() *huma.Schema { return r.plan.Forms().Patch }, RequestName: r.requestName(Update),
		}
		web.RegisterTyped(router, patch, r.shapes.one, r.servePatch)
		if patch.Method, patch.ID = http.MethodPut, "edit_"+r.noun; r.Put {
			web.RegisterTyped(router, patch, r.shapes.one, r.servePatch)
		}
	}
	if !r.owns(Delete) {
		web.Register(router, web.Operation{
			Method: http.MethodDelete, Path: path + "/{uuid}", ID: "delete_" + r.noun, Access: r.WriteAccess, Summary: "Delete " + columns.WithArticle(one),
			Description: "It can be restored" + until + ".", Errors: append(missing, append(wrong, r.inUse)...),
		}, func(ctx context.Context, in *writeInput) (*struct{}, error) {
			return nil, r.delete(ctx, in.UUID, in.IfMatch)
		})
	}
	if !r.owns(Restore) {
		web.RegisterTyped(router, web.Operation{
			Method: http.MethodPost, Path: path + "/{uuid}/restore", ID: "restore_" + r.noun, Access: r.WriteAccess,
			Summary: "Restore " + columns.WithArticle(one) + " that was deleted", Errors: append(missing, wrong...),
		}, r.shapes.one, func(ctx context.Context, in *writeInput) (any, error) {
			row, err := r.restore(ctx, in.UUID, in.IfMatch)

			return r.answer(ctx, row, err)
		})
	}
}

// requestName is the name of the schema of a body: of a row with a name of its own, it begins with that.
func (r *table) requestName(verb Verb) string {
	if named, ok := r.plan.New().(schemas.Namer); ok {
		return named.SchemaName() + strings.ToUpper(string(verb[:1])) + string(verb[1:]) + "Request"
	}

	return r.noun + "_" + string(verb) + "_request"
}

func (r *table) serveList(ctx context.Context, in *listInput) (any, error) {
	asked, err := r.viewed(ctx, in.View, &in.Input)
	if err != nil {
		return nil, err
	}
	q, page, err := r.listed(ctx, asked, in.Deleted)
	if err != nil {
		return nil, err
	}

	return r.shapes.answerPage(q, page), nil
}

// listed is Resource.Listed, with the query of the page.
func (r *table) listed(ctx context.Context, in *list.Input, deleted bool) (list.Query, list.Page[any], error) {
	none := list.Page[any]{}
	ctx, err := r.lookUpOwn(ctx)
	if err != nil {
		return list.Query{}, none, err
	}
	schema, err := r.schema(ctx)
	if err != nil {
		return list.Query{}, none, err
	}
	q, err := in.Parse(ctx, schema)
	if err != nil {
		return list.Query{}, none, err
	}
	page, err := r.page(ctx, q, deleted, "")
	if err == nil {
		err = r.show(ctx, q.Expands, page.Data...)
	}

	return q, page, err
}

func (r *table) serveRead(ctx context.Context, in *readInput) (any, error) {
	row, err := r.find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	asked, err := list.ParseExpand(ctx, in.Expand, r.schema)
	if err != nil {
		return nil, err
	}
	if err := r.show(ctx, asked, row); err != nil {
		return nil, err
	}

	return r.shown(row), nil
}

// answer is Resource.Answer.
func (r *table) answer(ctx context.Context, row any, err error) (any, error) {
	if err == nil {
		err = r.show(ctx, nil, row)
	}
	if err != nil {
		return nil, err
	}

	return r.shown(row), nil
}

func (r *table) shown(row any) any {
	version, location := r.versionAndPath(row)

	return r.shapes.answer(row, version, location)
}

// versionAndPath are those of a row.
func (r *table) versionAndPath(row any) (version int64, path string) {
	m := columns.MetaOf(row)

	return m.Version, r.path() + "/" + m.ID.String()
}

// path is that of the collection.
func (r *table) path() string { return "/" + r.area + "/api/v1/" + r.Plural }

func (r *table) serveCreate(ctx context.Context, in *createInput) (any, error) {
	row := r.plan.New()
	if err := r.plan.ApplyPresets(columns.ValueOf(row)); err != nil {
		return nil, err
	}
	if err := r.decode(ctx, in.RawBody, row, true); err != nil {
		return nil, err
	}
	err := r.create(ctx, row)

	return r.answer(ctx, row, err)
}

func (r *table) servePatch(ctx context.Context, in *patchInput) (any, error) {
	row, err := r.change(ctx, in.UUID, in.IfMatch, Update, func(ctx context.Context, row any) error {
		return r.decode(ctx, in.RawBody, row, false)
	})

	return r.answer(ctx, row, err)
}

// decode is Resource.Decode.
func (r *table) decode(ctx context.Context, raw []byte, row any, create bool) error {
	schema := r.plan.Forms().Patch
	if create {
		schema = r.plan.Forms().Body
	}
	before, sees := r.plan.Clone(row), r.sees(ctx)
	if err := jsonbody.DecodeAs(raw, schema, row); err != nil {
		return r.plan.Explain(err, create, r.path()+"/{uuid}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	refusal := r.invalid
	for key, value := range given {
		f := r.plan.ByKey[key]
		switch {
		case key == columns.OwnKey:
		case !f.SeenBy(sees):
			return r.withheldBy(f.Scope, key)
		case string(value) != "null":
			if part, scope := f.KeepUnseen(f.Of(columns.ValueOf(before)), columns.ValueOf(row), sees); part != "" {
				return r.withheldBy(scope, part)
			}
		case f.Required:
			refusal = refusal.WithField(key, naming.Subject(key)+" is required.")
		default:
			f.Of(columns.ValueOf(row)).SetZero()
			if err := f.ApplyPreset(columns.ValueOf(row)); err != nil {
				return err
			}
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}

	return nil
}
