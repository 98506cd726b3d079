package custommodules

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func typedRoutes(r *web.Router, t *typed) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/schema", ID: "read_schema", Access: web.Read,
		Summary:     "Read the JSON Schema of a module's payloads",
		Description: "The dialect is 2020-12. Sensitive fields are only included if you may see them. The schema and its ETag change with the module.",
		Errors:      []*errs.Error{definition.ErrModuleNotFound},
	}, t.getSchema)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/openapi.json", ID: "read_openapi", Access: web.Read,
		Summary: "Read the OpenAPI document of the company's modules",
		Description: "OpenAPI 3.1, with typed operations for each module that the token may see. The document and its " +
			"ETag change with the modules. If the company has too many modules for one document, choose some with " +
			"`module_uuid`.",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrDocumentTooLarge},
	}, t.getDocument)
}

// moduleRecordRoutes are the operations on records below their module, for clients that have types of them.
func moduleRecordRoutes(r *web.Router, s *service) {
	const all, one = "/modules/{uuid}/records", "/modules/{uuid}/records/{record_uuid}"
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: all, ID: "list_module_records", Access: web.Read,
		Summary: "List the records of a module", Description: "Works as GET /records with module_uuid.",
		Errors: records.ViewErrors(append(list.Errors, definition.ErrModuleNotFound, definition.ErrFieldNotIndexed)...),
	}, s.listModuleRecords)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: all, ID: "create_module_record", Access: web.Write,
		Summary: "Create a record of a module", Description: "Works as POST /records with module_uuid.",
		Errors:        []*errs.Error{definition.ErrModuleNotFound, definition.ErrModuleArchived, definition.ErrInvalidRecord, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrPayloadTooLarge, definition.ErrTooManyRecords, definition.ErrNotPermitted},
		MaxBody:       s.settings.MaxPayload + envelope,
		RequestSchema: moduleRecordSchema,
	}, s.postModuleRecord)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_module_record", Access: web.Read,
		Summary: "Read a record of a module", Errors: []*errs.Error{definition.ErrRecordNotFound},
	}, s.getModuleRecord)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: one, ID: "update_module_record", Access: web.Write,
		Summary: "Change fields of a record of a module", Description: "Works as PATCH /records/{uuid}.",
		Errors:        []*errs.Error{definition.ErrRecordNotFound, definition.ErrInvalidRecord, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrPayloadTooLarge, definition.ErrModuleArchived},
		MaxBody:       s.settings.MaxPayload + envelope,
		RequestSchema: recordPatchSchema,
	}, s.patchModuleRecord)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_module_record", Access: web.Write,
		Summary: "Delete a record of a module", Description: "As DELETE /records/{uuid}.",
		Errors: []*errs.Error{definition.ErrRecordNotFound, definition.ErrRecordInUse, definition.ErrCascadeTooLarge, definition.ErrModuleArchived},
	}, s.deleteModuleRecord)
}

type schemaInput struct {
	UUID uuid.UUID            `path:"uuid"`
	For  definition.SchemaUse `query:"for" enum:"create,update,read" default:"create" doc:"Whether the schema is for creating a record, for changing one (a merge patch), or for answers."`
}

func (t *typed) getSchema(ctx context.Context, in *schemaInput) (*web.Resource[json.RawMessage], error) {
	return answerTagged(t.schema(ctx, in.UUID, in.For))
}

type documentInput struct {
	Modules []string `query:"module_uuid" maxItems:"100" doc:"Ids of the modules to include, separated by commas."`
}

func (t *typed) getDocument(ctx context.Context, in *documentInput) (*web.Resource[json.RawMessage], error) {
	var only []uuid.UUID
	for _, text := range in.Modules {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, definition.ErrModuleNotFound
		}
		only = append(only, id)
	}

	return answerTagged(t.document(ctx, only))
}

func answerTagged(t tagged, err error) (*web.Resource[json.RawMessage], error) {
	if err != nil {
		return nil, err
	}

	return &web.Resource[json.RawMessage]{ETag: t.etag, Body: t.text}, nil
}

func moduleRecordSchema() *huma.Schema {
	whole := newRecordSchema()

	return &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"payload": whole.Properties["payload"]},
		Required: []string{"payload"}, AdditionalProperties: false,
	}
}

type listModuleRecordsInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `query:"view" doc:"A view of the module."`

	Deleted bool `query:"deleted" doc:"Lists only deleted records, which can be restored, the latest first; sorts and filters are limited to uuid and deleted_at."`
}

func (s *service) listModuleRecords(ctx context.Context, in *listModuleRecordsInput) (*list.Output[records.Record], error) {
	if in.Deleted {
		return s.listDeletedRecords(ctx, in.UUID, in.View, &in.Input)
	}

	return s.answerRecords(ctx, in.UUID, in.View, &in.Input)
}

type postModuleRecordInput struct {
	web.RawJSON

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) postModuleRecord(ctx context.Context, in *postModuleRecordInput) (*web.Resource[records.Record], error) {
	var body recordPatch
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	whole := newRecord{ModuleUUID: in.UUID, Payload: body.Payload}
	if err := whole.check(); err != nil {
		return nil, err
	}

	return answerRecord(s.records.CreateRecord(ctx, database.NewID(), in.UUID, body.Payload))
}

type moduleRecordInput struct {
	web.IfMatch

	UUID   uuid.UUID `path:"uuid"`
	Record uuid.UUID `path:"record_uuid"`
}

// recordIn returns a record of a module, or ErrRecordNotFound.
func (s *service) recordIn(ctx context.Context, module, id uuid.UUID) (records.Stored, error) {
	read, err := s.records.ReadRecord(ctx, id)
	if err == nil && read.ModuleID != module {
		err = definition.ErrRecordNotFound
	}

	return read, err
}

type getModuleRecordInput struct {
	UUID   uuid.UUID `path:"uuid"`
	Record uuid.UUID `path:"record_uuid"`
}

func (s *service) getModuleRecord(ctx context.Context, in *getModuleRecordInput) (*web.Resource[records.Record], error) {
	return answerRecord(s.recordIn(ctx, in.UUID, in.Record))
}

type patchModuleRecordInput struct {
	web.RawJSON
	web.IfMatch

	UUID   uuid.UUID `path:"uuid"`
	Record uuid.UUID `path:"record_uuid"`
}

func (s *service) patchModuleRecord(ctx context.Context, in *patchModuleRecordInput) (*web.Resource[records.Record], error) {
	if _, err := s.recordIn(ctx, in.UUID, in.Record); err != nil {
		return nil, err
	}

	return s.patchRecord(ctx, &patchRecordInput{RawJSON: in.RawJSON, IfMatch: in.IfMatch, UUID: in.Record})
}

func (s *service) deleteModuleRecord(ctx context.Context, in *moduleRecordInput) (*struct{}, error) {
	if _, err := s.recordIn(ctx, in.UUID, in.Record); err != nil {
		return nil, err
	}

	return nil, s.records.DeleteRecord(ctx, in.Record, in.IfMatch)
}
