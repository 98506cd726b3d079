package esign

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func mappingRoutes(r *web.Router, s *mappings) {
	writes := append(item.Errors(), errInvalid, errTaken, errTemplate)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/mappings", ID: "list_mappings", Access: web.Read, Summary: "List mappings",
		Description: mappingSchema().Describe(), Errors: list.Errors(),
	}, list.Serve(mappingSchema(), s.mappings, showMapping))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/mappings", ID: "create_mapping", Access: web.Write, MaxBody: config.MiB,
		Summary: "Create a mapping", Description: "It says which values of an item fill which tabs of a template.", Errors: writes,
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/mappings/{uuid}", ID: "read_mapping", Access: web.Read, Summary: "Read a mapping", Errors: []*errs.Error{errMapping},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/mappings/{uuid}", ID: "update_mapping", Access: web.Write, MaxBody: config.MiB, Summary: "Change a mapping",
		Description: "Rules are replaced as a whole. The mapping then stands on the template as it is.", Errors: append(writes, errMapping),
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/mappings/{uuid}", ID: "delete_mapping", Access: web.Write, Summary: "Delete a mapping",
		Description: "It can be restored.", Errors: []*errs.Error{errMapping},
	}, s.deleteOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/mappings/{uuid}/restore", ID: "restore_mapping", Access: web.Write, Summary: "Restore a mapping that was deleted",
		Errors: []*errs.Error{errMapping, errTemplate, errTaken},
	}, s.postRestore)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/mappings/{uuid}/preview", ID: "preview_mapping", Access: web.Read, Summary: "Show what a mapping makes of an item",
		Description: "Nothing is stored. The problems are those for which sending refuses.", Errors: append(item.Errors(), errMapping, errTemplate, errInvalid),
	}, s.postPreview)
}

// mappingBody is a mapping as the API shows it.
type mappingBody struct {
	UUID         uuid.UUID   `json:"uuid"`
	Name         string      `json:"name"`
	TemplateUUID uuid.UUID   `json:"template_uuid"`
	ItemType     string      `json:"item_type"`
	ItemPart     *string     `json:"item_part" doc:"Which items of the type, where they differ in their fields: the id of the module of a record. Null where they do not."`
	Rules        []fill.Rule `json:"rules" nullable:"false"`
	Fingerprint  string      `json:"fingerprint" doc:"The template's when the mapping was made or changed: with another one, the template has changed since."`
	Version      int64       `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt    time.Time   `json:"created_at"`
	UpdatedAt    time.Time   `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (mappingBody) SchemaName() string { return "EsignMapping" }

func showMapping(row mapping) mappingBody {
	b := mappingBody{
		UUID: row.ID, Name: row.Name, TemplateUUID: row.TemplateID, ItemType: row.ItemType, ItemPart: web.Optional(row.ItemPart), Rules: row.Rules,
		Fingerprint: row.Fingerprint, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if b.Rules == nil {
		b.Rules = []fill.Rule{}
	}

	return b
}

func mappingResource(row mapping, err error) (*web.Resource[mappingBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(showMapping(row), row.Version, base+"/mappings/"+row.ID.String()), nil
}

type postMappingInput struct{ Body newMapping }

type newMapping struct {
	Name         string      `json:"name" minLength:"1" maxLength:"100"`
	TemplateUUID uuid.UUID   `json:"template_uuid"`
	ItemType     string      `json:"item_type" minLength:"1" maxLength:"100" doc:"The type of the items that fill the template, such as custom_modules.record."`
	ItemPart     string      `json:"item_part,omitempty" maxLength:"100" doc:"Which items of the type, where they differ in their fields: the id of the module of a record."`
	Rules        []fill.Rule `json:"rules" maxItems:"500" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newMapping) SchemaName() string { return "EsignNewMapping" }

func (s *mappings) postOne(ctx context.Context, in *postMappingInput) (*web.Resource[mappingBody], error) {
	b := in.Body

	return mappingResource(s.create(ctx, mapping{
		Name: b.Name, TemplateID: b.TemplateUUID, ItemType: b.ItemType, ItemPart: b.ItemPart, Rules: b.Rules,
	}))
}

func (s *mappings) getOne(ctx context.Context, in *uuidInput) (*web.Resource[mappingBody], error) {
	return mappingResource(s.liveMapping(ctx, in.UUID))
}

type patchMappingInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body mappingPatch
}

type mappingPatch struct {
	Name         *string      `json:"name,omitempty" minLength:"1" maxLength:"100"`
	TemplateUUID *uuid.UUID   `json:"template_uuid,omitempty"`
	ItemType     *string      `json:"item_type,omitempty" minLength:"1" maxLength:"100"`
	ItemPart     *string      `json:"item_part,omitempty" maxLength:"100"`
	Rules        *[]fill.Rule `json:"rules,omitempty" maxItems:"500"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (mappingPatch) SchemaName() string { return "EsignMappingPatch" }

func (s *mappings) patchOne(ctx context.Context, in *patchMappingInput) (*web.Resource[mappingBody], error) {
	return mappingResource(s.change(ctx, in.UUID, in.IfMatch, false, func(ctx context.Context, row *mapping) error {
		put(&row.Name, in.Body.Name)
		put(&row.TemplateID, in.Body.TemplateUUID)
		put(&row.ItemType, in.Body.ItemType)
		put(&row.ItemPart, in.Body.ItemPart)
		put(&row.Rules, in.Body.Rules)

		return s.accept(ctx, row)
	}))
}

// put sets what was said.
func put[T any](field, said *T) {
	if said != nil {
		*field = *said
	}
}

func (s *mappings) deleteOne(ctx context.Context, in *matchInput) (*struct{}, error) {
	_, err := s.change(ctx, in.UUID, in.IfMatch, false, func(_ context.Context, row *mapping) error {
		now := s.clock.Now()
		row.DeletedAt = &now

		return nil
	})

	return nil, err
}

func (s *mappings) postRestore(ctx context.Context, in *matchInput) (*web.Resource[mappingBody], error) {
	return mappingResource(s.change(ctx, in.UUID, in.IfMatch, true, func(ctx context.Context, row *mapping) error {
		row.DeletedAt = nil
		_, err := s.template(ctx, row.TemplateID)

		return err
	}))
}

type postPreviewInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body previewRequest
}

type previewRequest struct {
	ItemUUID uuid.UUID `json:"item_uuid"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (previewRequest) SchemaName() string { return "EsignPreviewRequest" }

type previewOutput struct{ Body previewBody }

type previewBody struct {
	TemplateUUID    uuid.UUID      `json:"template_uuid"`
	Sendable        bool           `json:"sendable" doc:"Whether there is no problem."`
	Tabs            []fill.Filled  `json:"tabs" nullable:"false" doc:"What the tabs are filled with. Those that are not here stay as the template has them."`
	Problems        []fill.Problem `json:"problems" nullable:"false" doc:"Why an envelope would not be sent."`
	TemplateMissing bool           `json:"template_missing" doc:"Whether the provider does not have the template any more."`
	TemplateChanges *fill.Changes  `json:"template_changes" doc:"How the template differs from what it was when the mapping was made or changed; null if it does not."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (previewBody) SchemaName() string { return "EsignPreview" }

func (s *mappings) postPreview(ctx context.Context, in *postPreviewInput) (*previewOutput, error) {
	m, err := s.liveMapping(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	t, err := s.template(ctx, m.TemplateID)
	if err != nil {
		return nil, err
	}
	f, err := s.fillIn(ctx, t, &m, item.Ref{Type: m.ItemType, UUID: in.Body.ItemUUID}, nil)
	if err != nil {
		return nil, err
	}
	body := previewBody{
		TemplateUUID: t.ID, Tabs: f.Tabs, Problems: f.Problems, TemplateMissing: t.MissingAt != nil,
		Sendable: len(f.Problems) == 0 && t.MissingAt == nil,
	}
	if m.Fingerprint != t.Fingerprint {
		changes := fill.Compare(m.Roles, t.Roles)
		body.TemplateChanges = &changes
	}
	if body.Tabs == nil {
		body.Tabs = []fill.Filled{}
	}
	if body.Problems == nil {
		body.Problems = []fill.Problem{}
	}

	return &previewOutput{Body: body}, nil
}
