package custommodules

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

func definitionRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/modules/{uuid}", ID: "update_module", Access: web.Scope("define"),
		Summary: "Change a module", Description: "The body is a JSON Merge Patch (RFC 7396).",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrNotPermitted, definition.ErrInvalidDefinition, definition.ErrModuleNameTaken},
	}, s.patchModule)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/modules/{uuid}", ID: "delete_module", Access: web.Scope("define"),
		Summary: "Delete a module with its records", Description: "The module can be restored. A module cannot be deleted while fields of other modules refer to it.",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrModuleInUse},
	}, s.deleteModuleRoute)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/restore", ID: "restore_module", Access: web.Scope("define"),
		Summary: "Restore a module that was deleted, with its records",
		Errors:  []*errs.Error{definition.ErrModuleNotFound, definition.ErrModuleNotDeleted, definition.ErrModuleNameTaken, definition.ErrTooManyModules, definition.ErrInvalidDefinition},
	}, s.postRestoreModule)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/archive", ID: "archive_module", Access: web.Scope("define"),
		Summary: "Archive a module: its records become read-only", Errors: []*errs.Error{definition.ErrModuleNotFound},
	}, func(ctx context.Context, in *moduleInput) (*web.Resource[moduleResource], error) {
		return s.answerChange(s.modeling.ArchiveModule(ctx, in.UUID, in.IfMatch, true))
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/unarchive", ID: "unarchive_module", Access: web.Scope("define"),
		Summary: "Unarchive a module, so that its records can be created and changed again", Errors: []*errs.Error{definition.ErrModuleNotFound},
	}, func(ctx context.Context, in *moduleInput) (*web.Resource[moduleResource], error) {
		return s.answerChange(s.modeling.ArchiveModule(ctx, in.UUID, in.IfMatch, false))
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/duplicate", ID: "duplicate_module", Access: web.Scope("define"),
		Summary: "Copy a module with its fields, without records",
		Errors:  []*errs.Error{definition.ErrModuleNotFound, definition.ErrInvalidDefinition, definition.ErrTooManyModules, definition.ErrModuleNameTaken},
	}, s.postDuplicate)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/modules/{uuid}/fields/{field_uuid}", ID: "update_field", Access: web.Scope("define"),
		Summary: "Change a field",
		Description: "The body is a JSON Merge Patch (RFC 7396). Existing values stay unchanged, even if the field " +
			"would no longer accept them. A newly indexed field is building until a job has indexed its records.",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrFieldNotFound, definition.ErrInvalidDefinition, definition.ErrFieldKeyTaken, definition.ErrNoFreeSlot},
	}, s.patchField)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/modules/{uuid}/fields/{field_uuid}", ID: "delete_field", Access: web.Scope("define"),
		Summary: "Remove a field", Description: "Its values are no longer shown. The field can be restored.",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrNotPermitted, definition.ErrFieldNotFound, definition.ErrFieldInUse},
	}, s.deleteFieldRoute)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/fields/{field_uuid}/restore", ID: "restore_field", Access: web.Scope("define"),
		Summary: "Restore a field that was removed",
		Description: "The field comes last, and is neither unique nor searchable, nor indexed unless it is a " +
			"reference: set these afterwards. Records get their former values back, except those changed meanwhile, " +
			"whose values stay in their history.",
		Errors: []*errs.Error{
			definition.ErrModuleNotFound, definition.ErrNotPermitted, definition.ErrFieldNotFound, definition.ErrInvalidDefinition, definition.ErrFieldKeyTaken, definition.ErrTooManyFields, definition.ErrNoFreeSlot, definition.ErrChangeRunning,
		},
	}, s.postRestoreField)
}

type moduleInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
}

type patchModuleInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body modulePatch
}

// modulePatch is the body of a change of a module.
type modulePatch struct {
	Name        *string             `json:"name,omitempty"`
	Description *string             `json:"description,omitempty"`
	TitleField  web.Sent[uuid.UUID] `json:"title_field_uuid,omitzero" doc:"The field that is the title of a record; null for the first text field."`
	Permissions json.RawMessage     `json:"permissions,omitempty" doc:"Roles by action (read, write, delete, define); null for an action, or for all, allows everyone."`
}

func (s *service) patchModule(ctx context.Context, in *patchModuleInput) (*web.Resource[moduleResource], error) {
	changes := modeling.ModuleChanges{Name: in.Body.Name, Description: in.Body.Description, TitleGiven: in.Body.TitleField.IsSet(), Permissions: in.Body.Permissions}
	if id := in.Body.TitleField.ValueOr(uuid.Nil); id != uuid.Nil {
		changes.Title = &id
	}

	row, fields, err := s.modeling.AmendModule(ctx, in.UUID, in.IfMatch, changes)
	answer, err := s.answerChange(row, fields, err)
	if err != nil || changes.Permissions == nil {
		return answer, err
	}
	over, err := s.repo.DerivedOver(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	answer.Body.Warnings, err = s.modeling.Exposures(ctx, append(fields, over...))

	return answer, err
}

func (s *service) deleteModuleRoute(ctx context.Context, in *moduleInput) (*struct{}, error) {
	return nil, s.modeling.DeleteModule(ctx, in.UUID, in.IfMatch)
}

func (s *service) postRestoreModule(ctx context.Context, in *getModuleInput) (*web.Resource[moduleResource], error) {
	return s.answerChange(s.modeling.RestoreModule(ctx, in.UUID))
}

type duplicateInput struct {
	UUID uuid.UUID `path:"uuid"`
	Body duplicate
}

// duplicate is the body of such a request.
type duplicate struct {
	Name string `json:"name" doc:"The name of the new module."`
}

func (s *service) postDuplicate(ctx context.Context, in *duplicateInput) (*web.Resource[moduleResource], error) {
	return s.answerChange(s.modeling.DuplicateModule(ctx, in.UUID, in.Body.Name))
}

func (s *service) answerChange(row definition.ModuleRow, fields []definition.FieldRow, err error) (*web.Resource[moduleResource], error) {
	if err != nil {
		return nil, err
	}

	return s.answerModule(row, fields), nil
}

type fieldInput struct {
	web.IfMatch

	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
}

type patchFieldInput struct {
	web.IfMatch

	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
	Body      fieldPatch
}

// fieldPatch is the body of a change of a field.
type fieldPatch struct {
	Key        *string         `json:"key,omitempty" doc:"Records keep their values under the new key."`
	Label      *string         `json:"label,omitempty"`
	Help       *string         `json:"help,omitempty"`
	Section    *string         `json:"section,omitempty"`
	Required   *bool           `json:"required,omitempty"`
	ReadOnly   *bool           `json:"read_only,omitempty"`
	Sensitive  *bool           `json:"sensitive,omitempty" doc:"Changing it takes the scope custom_modules:sensitive."`
	Indexed    *bool           `json:"indexed,omitempty"`
	Searchable *bool           `json:"searchable,omitempty"`
	Position   *int            `json:"position,omitempty" doc:"The new position of the field; the fields after it move down."`
	Default    json.RawMessage `json:"default,omitempty" doc:"null for none."`
	Options    rawjson.Object  `json:"options,omitempty" doc:"Options to change, merged into the existing ones."`
}

func (s *service) patchField(ctx context.Context, in *patchFieldInput) (*web.Resource[fieldResource], error) {
	b := in.Body

	return s.answerWrittenField(ctx)(s.modeling.ChangeField(ctx, in.UUID, in.FieldUUID, in.IfMatch, modeling.FieldChanges{
		Key: b.Key, Label: b.Label, Help: b.Help, Section: b.Section, Required: b.Required, ReadOnly: b.ReadOnly,
		Sensitive:  b.Sensitive,
		Searchable: b.Searchable, Indexed: b.Indexed, Position: b.Position, Preset: b.Default, Options: json.RawMessage(b.Options),
	}))
}

type restoreFieldInput struct {
	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
}

func (s *service) postRestoreField(ctx context.Context, in *restoreFieldInput) (*web.Resource[fieldResource], error) {
	return s.answerWrittenField(ctx)(s.modeling.RestoreField(ctx, in.UUID, in.FieldUUID))
}

func (s *service) deleteFieldRoute(ctx context.Context, in *fieldInput) (*struct{}, error) {
	return nil, s.modeling.DeleteField(ctx, in.UUID, in.FieldUUID, in.IfMatch)
}
