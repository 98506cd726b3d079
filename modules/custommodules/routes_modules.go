package custommodules

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

func moduleRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules", ID: "list_modules", Access: web.Read,
		Summary: "List the company's modules, each with its fields", Description: moduleList().Describe(),
		Errors: list.Errors,
	}, s.listModules)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules", ID: "create_module", Access: web.Scope("define"),
		Summary: "Define a module", Description: "Send the fields along, or add them one by one afterwards.",
		Errors: []*errs.Error{definition.ErrInvalidDefinition, definition.ErrTooManyModules, definition.ErrModuleNameTaken},
	}, s.postModule)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}", ID: "read_module", Access: web.Read,
		Summary: "Read a module with its fields",
		Errors:  []*errs.Error{definition.ErrModuleNotFound},
	}, s.getModule)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/fields", ID: "list_fields", Access: web.Read,
		Summary: "List the fields of a module", Description: fieldList().Describe(),
		Errors: append(list.Errors, definition.ErrModuleNotFound),
	}, s.listFields)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/fields", ID: "create_field", Access: web.Scope("define"),
		Summary:     "Add a field to a module",
		Description: "Existing records have no value for the field, even if it is required.",
		Errors: []*errs.Error{
			definition.ErrModuleNotFound, definition.ErrInvalidDefinition, definition.ErrTooManyFields, definition.ErrNoFreeSlot, definition.ErrFieldKeyTaken,
		},
	}, s.postField)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/fields/{field_uuid}", ID: "read_field", Access: web.Read,
		Summary: "Read a field",
		Errors:  []*errs.Error{definition.ErrModuleNotFound, definition.ErrFieldNotFound},
	}, s.getField)
}

// moduleResource is a module as answers show it.
type moduleResource struct {
	UUID        uuid.UUID                   `json:"uuid"`
	Name        string                      `json:"name"`
	Description string                      `json:"description"`
	TitleField  *uuid.UUID                  `json:"title_field_uuid" doc:"The field that is the title of a record; null for the first text field."`
	ArchivedAt  *time.Time                  `json:"archived_at" doc:"When the module was archived and its records became read-only; null if it is not."`
	Permissions definition.PermissionsShown `json:"permissions" doc:"The roles that have the permission, or * for every role. service stands for service tokens; the owner has every permission."`
	Pack        *definition.PackShown       `json:"pack" doc:"The pack that the module comes from; null if it is the company's own."`
	Fields      []fieldResource             `json:"fields" nullable:"false"`
	Version     int64                       `json:"version" doc:"Increases with every change of the module or its fields."`
	CreatedAt   time.Time                   `json:"created_at"`
	UpdatedAt   time.Time                   `json:"updated_at"`
	DeletedAt   *time.Time                  `json:"deleted_at,omitempty" doc:"When it was deleted; only with deleted=true."`
	Warnings    []string                    `json:"warnings,omitempty" doc:"In the answer to a change of permissions: rollups and lookups that show values to users who may not read their module."`
}

// fieldResource is a field as answers show it.
type fieldResource struct {
	UUID        uuid.UUID             `json:"uuid"`
	Key         string                `json:"key"`
	Label       string                `json:"label"`
	Type        definition.TypeName   `json:"type"`
	Help        string                `json:"help"`
	Section     string                `json:"section"`
	Required    bool                  `json:"required"`
	Unique      bool                  `json:"unique"`
	ReadOnly    bool                  `json:"read_only"`
	Sensitive   bool                  `json:"sensitive"`
	Indexed     bool                  `json:"indexed"`
	IndexState  definition.IndexState `json:"index_state" enum:"none,building,ready" doc:"building while existing records are being indexed; once it is ready, filters and sorts by the field are fast."`
	Searchable  bool                  `json:"searchable"`
	SearchState definition.IndexState `json:"search_state" enum:"none,building,ready" doc:"building while the words of existing records are being indexed."`
	RollupState definition.IndexState `json:"rollup_state" enum:"none,building,ready" doc:"For a rollup or lookup: building until it is computed for the existing records."`
	Default     json.RawMessage       `json:"default" doc:"The value of new records whose payload leaves out the field; null for none."`
	Position    int                   `json:"position" doc:"Place among the module's fields, from 1."`
	Options     rawjson.Object        `json:"options" doc:"All options of the type, with their values."`
	Schema      map[string]any        `json:"schema" doc:"JSON Schema of a value."`
	CreatedAt   time.Time             `json:"created_at"`
	UpdatedAt   time.Time             `json:"updated_at"`
	DeletedAt   *time.Time            `json:"deleted_at,omitempty" doc:"When it was deleted; only with deleted=true."`
	Warnings    []string              `json:"warnings,omitempty" doc:"In the answer to a write: a warning that a rollup or lookup shows values to users who may not read the source module."`
}

var moduleList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[moduleResource](list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		Fields: []list.Field{
			{
				Name: "name", Expr: "name_key", Kind: kind.Text, Sortable: true, Filterable: true,
				Encode: func(text string) (any, error) { return field.ComparableText(naming.Fold(text)) },
			},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		DefaultSort: []string{"name"},
	})
})

var fieldList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[fieldResource](list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		Fields: []list.Field{
			{Name: "position", Expr: "position", Kind: kind.Integer, Sortable: true, Filterable: true},
			{Name: "key", Expr: "key", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "type", Expr: "type", Kind: kind.Text, Filterable: true},
			{Name: "required", Expr: "required", Kind: kind.Boolean, Filterable: true},
		},
		DefaultSort: []string{"position"},
	})
})

type listModulesInput struct {
	list.Input

	Deleted bool `query:"deleted" doc:"Lists only deleted items, which can be restored."`
}

func (s *service) listModules(ctx context.Context, in *listModulesInput) (*list.Output[moduleResource], error) {
	q, err := in.Parse(ctx, moduleList())
	if err != nil {
		return nil, err
	}
	page, fields, err := s.repo.Modules(ctx, q, in.Deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, func(row definition.ModuleRow) moduleResource {
		return s.showModule(row, fields[row.ID])
	})), nil
}

type postModuleInput struct{ Body modeling.NewModule }

func (s *service) postModule(ctx context.Context, in *postModuleInput) (*web.Resource[moduleResource], error) {
	row, fields, err := s.modeling.CreateModule(ctx, in.Body)
	if err != nil {
		return nil, err
	}

	return s.answerModule(row, fields), nil
}

type getModuleInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func (s *service) getModule(ctx context.Context, in *getModuleInput) (*web.Resource[moduleResource], error) {
	row, err := s.modeling.ReadableModule(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	fields, err := s.repo.FieldsOf(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.answerModule(row, fields), nil
}

func (s *service) answerModule(row definition.ModuleRow, fields []definition.FieldRow) *web.Resource[moduleResource] {
	return web.NewResource(s.showModule(row, fields), row.Revision, definition.Base+"/modules/"+row.ID.String())
}

type listFieldsInput struct {
	list.Input

	UUID    uuid.UUID `path:"uuid"`
	Deleted bool      `query:"deleted" doc:"Lists only deleted items, which can be restored."`
}

func (s *service) listFields(ctx context.Context, in *listFieldsInput) (*list.Output[fieldResource], error) {
	q, err := in.Parse(ctx, fieldList())
	if err != nil {
		return nil, err
	}
	if _, err := s.modeling.ReadableModule(ctx, in.UUID); err != nil {
		return nil, err
	}
	page, err := s.repo.Fields(ctx, in.UUID, q, in.Deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, s.showField)), nil
}

type postFieldInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body definition.NewField
}

func (s *service) postField(ctx context.Context, in *postFieldInput) (*web.Resource[fieldResource], error) {
	return s.answerWrittenField(ctx)(s.modeling.AddField(ctx, in.UUID, in.Body))
}

type getFieldInput struct {
	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
}

func (s *service) getField(ctx context.Context, in *getFieldInput) (*web.Resource[fieldResource], error) {
	if _, err := s.modeling.ReadableModule(ctx, in.UUID); err != nil {
		return nil, err
	}
	row, err := s.repo.Field(ctx, in.UUID, in.FieldUUID)
	if err != nil {
		return nil, err
	}

	return s.answerField(ctx, row), nil
}

// answerWrittenField answers the write of a field, with what its author should know.
func (s *service) answerWrittenField(ctx context.Context) func(definition.FieldRow, error) (*web.Resource[fieldResource], error) {
	return func(row definition.FieldRow, err error) (*web.Resource[fieldResource], error) {
		if err != nil {
			return nil, err
		}
		answer := s.answerField(ctx, row)
		answer.Body.Warnings, err = s.modeling.Exposures(ctx, []definition.FieldRow{row})

		return answer, err
	}
}

func (s *service) answerField(ctx context.Context, row definition.FieldRow) *web.Resource[fieldResource] {
	return web.NewResource(s.showField(row), row.Version, locationOf(ctx, row.ModuleID)+"/fields/"+row.ID.String())
}

func (s *service) showModule(row definition.ModuleRow, fields []definition.FieldRow) moduleResource {
	shown := moduleResource{
		UUID: row.ID, Name: row.Name, Description: row.Description, TitleField: row.TitleField, ArchivedAt: row.ArchivedAt,
		Permissions: row.Permissions.Shown(), Pack: row.Origin.Shown(),
		Fields: make([]fieldResource, 0, len(fields)), Version: row.Revision,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, DeletedAt: row.DeletedAt,
	}
	slices.SortFunc(fields, func(a, b definition.FieldRow) int { return a.Position - b.Position })
	for _, field := range fields {
		shown.Fields = append(shown.Fields, s.showField(field))
	}

	return shown
}

func (s *service) showField(row definition.FieldRow) fieldResource {
	shown := fieldResource{
		UUID: row.ID, Key: row.Key, Label: row.Label, Type: row.Type, Required: row.Required, Indexed: row.Slot != nil, IndexState: row.IndexState(),
		Searchable: row.Searchable, SearchState: row.SearchState(), RollupState: row.RollupState(), Help: row.Help, Section: row.Section, Unique: row.IsUnique, ReadOnly: row.ReadOnly, Sensitive: row.Sensitive,
		Position: row.Position, Options: row.Options, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, DeletedAt: row.DeletedAt,
	}
	if row.DefaultValue != nil {
		shown.Default = json.RawMessage(*row.DefaultValue)
	}
	if values, err := s.definitions.Types.Values(row.Type, row.Options); err == nil {
		shown.Schema = values.Schema()
	}

	return shown
}
