package esign

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mappingHandlers answer the operations on mappings.
type mappingHandlers struct {
	store    *store.Repository
	mappings *templates.Mappings
}

func newMappingHandlers(r *store.Repository, m *templates.Mappings) *mappingHandlers {
	return &mappingHandlers{store: r, mappings: m}
}

func mappingRoutes(r *web.Router, s *mappingHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/mappings/{uuid}/preview", ID: "preview_mapping", Access: web.Read, Summary: "Show what a mapping makes of an item",
		Description: "Nothing is stored. The problems are those for which sending refuses.", Errors: append(item.Errors, store.ErrMapping, store.ErrTemplate, store.ErrInvalid),
	}, s.postPreview)
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
	TemplateMissing bool           `json:"template_missing" doc:"Whether the provider no longer has the template."`
	TemplateChanges *fill.Changes  `json:"template_changes" doc:"How the template differs from what it was when the mapping was made or changed; null if it does not."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (previewBody) SchemaName() string { return "EsignPreview" }

func (s *mappingHandlers) postPreview(ctx context.Context, in *postPreviewInput) (*previewOutput, error) {
	m, err := s.mappings.Rows.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	t, err := s.store.Template(ctx, m.TemplateID)
	if err != nil {
		return nil, err
	}
	f, err := s.mappings.FillTemplate(ctx, t, &m, item.Ref{Type: m.ItemType, UUID: in.Body.ItemUUID}, nil)
	if err != nil {
		return nil, err
	}
	body := previewBody{
		TemplateUUID: t.ID, Tabs: f.Tabs, Problems: f.Problems, TemplateMissing: t.MissingAt != nil,
		Sendable: len(f.Problems) == 0 && t.MissingAt == nil,
	}
	if m.Fingerprint != t.Fingerprint {
		changes := fill.Compare(m.Roles.V, t.Roles)
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
