package custommodules

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func bulkRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records/bulk", ID: "bulk_records", Access: web.Write,
		Summary:       "Create, change and delete records of a module, many at once",
		Description:   bulk.ItemsDoc("record", ""),
		Errors:        []*errs.Error{definition.ErrModuleNotFound, definition.ErrModuleArchived, definition.ErrInvalidRecord, definition.ErrBulkRefused, definition.ErrNotPermitted},
		MaxBody:       s.settings.MaxBulkSize,
		RequestSchema: func() *huma.Schema { return bulkSchema(s.settings.MaxBulk) },
	}, s.postBulk)
}

// bulkBody is the body of a bulk request.
type bulkBody struct {
	bulk.Body

	ModuleUUID uuid.UUID `json:"module_uuid"`
}

func bulkSchema(most int) *huma.Schema {
	s := bulk.Schema("record", most)
	s.Properties["module_uuid"] = &huma.Schema{Type: huma.TypeString, Format: "uuid", Description: "The module of the records."}
	s.Required = []string{"module_uuid", "items"}
	s.Examples = []any{map[string]any{
		"module_uuid": demoCustomers, "items": []any{map[string]any{"do": "create", "payload": map[string]any{"name": "Piedmont Autos"}}},
	}}

	return s
}

// bulkNames name the schemas of answers.
type bulkNames struct{}

// Prefix implements bulk.Names.
func (bulkNames) Prefix() string { return "CustomModules" }

type postBulkInput struct{ web.RawJSON }

// bulkFace is how bulk requests are taken under the paths of the area.
func (s *service) bulkFace() bulk.Face {
	return bulk.Face{Items: s.settings.MaxBulk, Room: int(s.settings.MaxBulkSize), Invalid: definition.ErrInvalidRecord, Refused: definition.ErrBulkRefused}
}

func (s *service) postBulk(ctx context.Context, in *postBulkInput) (*bulk.Output[records.Record, bulkNames], error) {
	var body bulkBody
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	wrong := s.bulkFace().Check(body.Body)
	if body.ModuleUUID == uuid.Nil {
		wrong = cmp.Or(wrong, definition.ErrInvalidRecord).WithField("module_uuid", "The module uuid is required.")
	}
	if wrong != nil {
		return nil, wrong
	}
	if _, err := s.modeling.ReadableModule(ctx, body.ModuleUUID); err != nil {
		return nil, err
	}

	return bulk.AnswerWith[records.Record, bulkNames](bulk.Run(ctx, s.db, s.recordsOf(body.ModuleUUID), s.bulkFace(), body.Body))
}
