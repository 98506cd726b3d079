package custommodules

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

// envelope is what a body of a record may have beside the payload, in bytes.
const envelope config.Size = 4 << 10

func recordRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records", ID: "create_record", Access: web.Write,
		Summary:       "Create a record of a module",
		Description:   "The keys of the payload are the keys of the module's fields. All problems are reported at once.",
		Errors:        []*errs.Error{definition.ErrModuleNotFound, definition.ErrModuleArchived, definition.ErrInvalidRecord, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrPayloadTooLarge, definition.ErrTooManyRecords, definition.ErrNotPermitted},
		MaxBody:       s.settings.MaxPayload + envelope,
		RequestSchema: newRecordSchema,
	}, s.postRecord)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}", ID: "read_record", Access: web.Read,
		Summary: "Read a record, as it is now or as it was",
		Errors:  []*errs.Error{definition.ErrRecordNotFound, definition.ErrVersionNotFound, definition.ErrInvalidRecord, list.ErrInvalidQuery},
	}, s.getRecord)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/records/{uuid}", ID: "update_record", Access: web.Write,
		Summary: "Change fields of a record",
		Description: "The payload is a JSON Merge Patch (RFC 7396): fields that it leaves out keep their values, null clears one. " +
			"With a stale If-Match, details.changed lists the fields that have changed since.",
		Errors:        []*errs.Error{definition.ErrRecordNotFound, definition.ErrInvalidRecord, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrPayloadTooLarge, definition.ErrModuleArchived},
		MaxBody:       s.settings.MaxPayload + envelope,
		RequestSchema: recordPatchSchema,
	}, s.patchRecord)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/records/{uuid}", ID: "delete_record", Access: web.Write,
		Summary: "Delete a record",
		Description: "The record can be restored. The on_delete of the referring fields decides what happens to the " +
			"records that refer to it; all of it happens, or nothing.",
		Errors: []*errs.Error{definition.ErrRecordNotFound, definition.ErrRecordInUse, definition.ErrCascadeTooLarge, definition.ErrModuleArchived},
	}, s.deleteRecordRoute)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records/{uuid}/restore", ID: "restore_record", Access: web.Write,
		Summary: "Restore a record that was deleted",
		Description: "Its references and unique values must still be valid. Records that were deleted with it by " +
			"on_delete are restored too, all or none; references that were cleared stay empty.",
		Errors: []*errs.Error{definition.ErrRecordNotFound, definition.ErrRecordNotDeleted, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrModuleArchived, definition.ErrCascadeTooLarge},
	}, s.postRestore)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records", ID: "list_records", Access: web.Read,
		Summary: "List the records of a module",
		Description: "Filters and sort keys are the keys of the module's fields, and `uuid`, `created_at`, `created_by`, `updated_at` and `updated_by`. " +
			"Without `sort`, records come in the order in which they were created. A large module can only be filtered and sorted by indexed fields. " +
			"`expand=customer` embeds the record that a reference names, beside its record_uuid, as record (null if it is gone); " +
			"`expand=customer.account` follows on from there. For a file it adds name, size, media type, SHA-256 and state, as attachment. " +
			"`expand=vin.decoded` adds details of a value in `expanded.vin.decoded`.",
		Errors: records.ViewErrors(append(list.Errors, definition.ErrModuleNotFound, definition.ErrFieldNotIndexed)...),
	}, s.listRecords)
}

// newRecord is the body of a record that is to be. What it leaves out is nil.
type newRecord struct {
	ModuleUUID uuid.UUID      `json:"module_uuid"`
	Payload    rawjson.Object `json:"payload"`
}

func newRecordSchema() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"module_uuid": {Type: huma.TypeString, Format: "uuid", Description: "The module of the record."},
			"payload": {
				Type: huma.TypeObject, AdditionalProperties: true,
				Description: "The values by the keys of the module's fields; see the schema of each field.",
			},
		},
		Required:             []string{"module_uuid", "payload"},
		AdditionalProperties: false,
		Examples:             []any{demoVehicle()},
	}
}

// check returns ErrInvalidRecord for what is missing.
func (n newRecord) check() error {
	var found definition.Problems
	if n.ModuleUUID == uuid.Nil {
		found.Add("module_uuid", "The module uuid is required.")
	}
	checkPayload(n.Payload, &found)

	return found.ErrorAs(definition.ErrInvalidRecord, "payload")
}

type postRecordInput struct{ web.RawJSON }

func (s *service) postRecord(ctx context.Context, in *postRecordInput) (*web.Resource[records.Record], error) {
	var body newRecord
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	if err := body.check(); err != nil {
		return nil, err
	}

	return answerRecord(s.records.CreateRecord(ctx, database.NewID(), body.ModuleUUID, body.Payload))
}

type getRecordInput struct {
	UUID    uuid.UUID `path:"uuid"`
	Version int64     `query:"version" minimum:"1" doc:"The version to show; by default the current one."`
	AsOf    time.Time `query:"as_of" doc:"Shows the version at this time." example:"2026-12-01T09:30:00Z"`
	Expand  string    `query:"expand" doc:"References, files and details to embed, separated by commas, as they are now." example:"customer,customer.account"`
	Deleted bool      `query:"deleted" doc:"Reads a deleted record in its last version."`
}

func (s *service) getRecord(ctx context.Context, in *getRecordInput) (*web.Resource[records.Record], error) {
	version := in.Version
	if in.Deleted {
		return s.getDeletedRecord(ctx, in)
	}
	switch {
	case !in.AsOf.IsZero() && version != 0:
		return nil, definition.ErrInvalidRecord.WithField("as_of", "The as of and the version cannot be given together.")
	case !in.AsOf.IsZero():
		var err error
		if version, err = s.records.VersionAt(ctx, in.UUID, in.AsOf); err != nil {
			return nil, err
		}
	}
	read, err := s.readVersion(ctx, in.UUID, version)
	if err != nil {
		return nil, err
	}
	answer := read.Resource()
	if version == 0 {
		if err := s.rollups.ShowFreshness(ctx, read.Definition, []definition.RecordRow{read.RecordRow}, []*records.Record{&answer.Body}); err != nil {
			return nil, err
		}
	}
	if in.Expand == "" {
		return answer, nil
	}

	return answer, s.records.EmbedOne(ctx, read, in.Expand, &answer.Body)
}

// readVersion returns a version of a record, the present one with 0.
func (s *service) readVersion(ctx context.Context, id uuid.UUID, version int64) (records.Stored, error) {
	if version == 0 {
		return s.records.ReadRecord(ctx, id)
	}

	return s.records.AsOf(ctx, id, version)
}

// recordPatch is the body of a change.
type recordPatch struct {
	Payload rawjson.Object `json:"payload"`
}

func recordPatchSchema() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{"payload": {
			Type: huma.TypeObject, AdditionalProperties: true, Description: "The values to change, by the keys of the module's fields.",
		}},
		Required: []string{"payload"}, AdditionalProperties: false,
		Examples: []any{map[string]any{"payload": map[string]any{"price": "14900.00", "notes": nil}}},
	}
}

type patchRecordInput struct {
	web.RawJSON
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) patchRecord(ctx context.Context, in *patchRecordInput) (*web.Resource[records.Record], error) {
	var body recordPatch
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	var found definition.Problems
	checkPayload(body.Payload, &found)
	if err := found.ErrorAs(definition.ErrInvalidRecord, "payload"); err != nil {
		return nil, err
	}

	return answerRecord(s.records.UpdateRecord(ctx, in.UUID, body.Payload, in.IfMatch))
}

// checkPayload finds a payload that is no object.
func checkPayload(payload rawjson.Object, found *definition.Problems) {
	switch {
	case len(payload) == 0 || string(payload) == "null":
		found.Add("payload", "The payload is required.")
	case payload[0] != '{':
		found.Add("payload", "The payload must be an object.")
	}
}

type recordInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) deleteRecordRoute(ctx context.Context, in *recordInput) (*struct{}, error) {
	return nil, s.records.DeleteRecord(ctx, in.UUID, in.IfMatch)
}

func (s *service) postRestore(ctx context.Context, in *recordInput) (*web.Resource[records.Record], error) {
	return answerRecord(s.records.RestoreRecord(ctx, in.UUID, in.IfMatch))
}

func answerRecord(r records.Stored, err error) (*web.Resource[records.Record], error) {
	if err != nil {
		return nil, err
	}

	return r.Resource(), nil
}

type listRecordsInput struct {
	list.Input

	ModuleUUID uuid.UUID `query:"module_uuid" required:"true" doc:"The module whose records are listed."`
	View       uuid.UUID `query:"view" doc:"A view of the module: its filter, sort and columns apply unless the query has its own."`
	Deleted    bool      `query:"deleted" doc:"Lists only deleted records, which can be restored, the latest first; sorts and filters are limited to uuid and deleted_at."`
}

func (s *service) listRecords(ctx context.Context, in *listRecordsInput) (*list.Output[records.Record], error) {
	if in.Deleted {
		return s.listDeletedRecords(ctx, in.ModuleUUID, in.View, &in.Input)
	}

	return s.answerRecords(ctx, in.ModuleUUID, in.View, &in.Input)
}

func (s *service) answerRecords(ctx context.Context, module, view uuid.UUID, in *list.Input) (*list.Output[records.Record], error) {
	found, err := s.records.FindRecords(ctx, module, view, in)
	if err != nil {
		return nil, err
	}

	shown, left := list.Convert(found.Page, func(row definition.RecordRow) records.Record { return records.ShownOf(found.Definition, row) }), records.MostEmbedded
	answers := make([]*records.Record, len(shown.Data))
	for i := range shown.Data {
		answers[i] = &shown.Data[i]
	}
	if err := s.rollups.ShowFreshness(ctx, found.Definition, found.Data, answers); err != nil {
		return nil, err
	}
	for i := range shown.Data {
		if err := found.Embedded.Embed(&shown.Data[i], &left); err != nil {
			return nil, err
		}
	}

	return list.Answer(found.Query, shown), nil
}
