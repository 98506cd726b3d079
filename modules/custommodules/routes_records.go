package custommodules

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// envelope is what a body of a record may have beside the payload, in bytes.
const envelope config.Size = 4 << 10

func recordRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records", ID: "create_record", Access: web.Write,
		Summary:       "Create a record of a module",
		Description:   "The keys of the payload are the keys of the module's fields. All that is wrong with it is said at once.",
		Errors:        []*errs.Error{errModuleNotFound, errInvalidRecord, errInvalidPayload, errPayloadTooLarge},
		MaxBody:       s.settings.MaxPayload + envelope,
		RequestSchema: newRecordSchema(),
	}, s.postRecord)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}", ID: "read_record", Access: web.Read,
		Summary: "Read a record",
		Errors:  []*errs.Error{errRecordNotFound},
	}, s.getRecord)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records", ID: "list_records", Access: web.Read,
		Summary: "List the records of a module",
		Description: "Filters and sort keys are the keys of the module's fields, and `uuid`, `created_at` and `updated_at`. " +
			"Without `sort`, records come in the order in which they were created. In a large module, only indexed fields will do.",
		Errors: append(list.Errors(), errModuleNotFound, errFieldNotIndexed),
	}, s.listRecords)
}

// record is a record as answers show it.
type record struct {
	UUID       uuid.UUID           `json:"uuid"`
	ModuleUUID uuid.UUID           `json:"module_uuid"`
	Payload    jsonText            `json:"payload" doc:"The values by the keys of the module's fields."`
	Version    int64               `json:"version"`
	CreatedAt  time.Time           `json:"created_at"`
	UpdatedAt  time.Time           `json:"updated_at"`
	Warnings   map[string][]string `json:"warnings,omitempty" doc:"Doubts about values that were taken all the same, by field; only after a write."`
}

// newRecord is the body of a record that is to be. What it leaves out is nil.
type newRecord struct {
	ModuleUUID uuid.UUID `json:"module_uuid"`
	Payload    jsonText  `json:"payload"`
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

// check returns errInvalidRecord for what is missing.
func (n newRecord) check() error {
	var found problems
	if n.ModuleUUID == uuid.Nil {
		found.add("module_uuid", "The module uuid is required.")
	}
	switch {
	case len(n.Payload) == 0 || string(n.Payload) == "null":
		found.add("payload", "The payload is required.")
	case n.Payload[0] != '{':
		found.add("payload", "The payload must be an object.")
	}

	return found.as(errInvalidRecord, "payload")
}

type postRecordInput struct{ web.RawJSON }

func (s *service) postRecord(ctx context.Context, in *postRecordInput) (*web.Resource[record], error) {
	var body newRecord
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	made, err := s.createRecord(ctx, database.NewID(), body.ModuleUUID, body.Payload)
	if err != nil {
		return nil, err
	}

	return made.resource(), nil
}

type getRecordInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func (s *service) getRecord(ctx context.Context, in *getRecordInput) (*web.Resource[record], error) {
	read, err := s.readRecord(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return read.resource(), nil
}

type listRecordsInput struct {
	list.Input

	ModuleUUID uuid.UUID `query:"module_uuid" required:"true" doc:"The module whose records are listed."`
}

func (s *service) listRecords(ctx context.Context, in *listRecordsInput) (*list.Output[record], error) {
	found, err := s.findRecords(ctx, in.ModuleUUID, &in.Input)
	if err != nil {
		return nil, err
	}

	return list.Answer(found.query, list.Convert(found.Page, found.definition.show)), nil
}

func (r stored) resource() *web.Resource[record] {
	body := r.definition.show(r.recordRow)
	body.Warnings = r.warnings

	return web.NewResource(body, r.Version, base+"/records/"+r.ID.String())
}

// show is a record with its payload under the keys of the definition.
func (d *definition) show(row recordRow) record {
	return record{
		UUID: row.ID, ModuleUUID: row.ModuleID, Payload: d.appendPayload(nil, row.Data),
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}
