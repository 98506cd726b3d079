package esign

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// templateHandlers answer the operations on templates.
type templateHandlers struct {
	store     *store.Repository
	templates *templates.Service
}

func newTemplateHandlers(r *store.Repository, t *templates.Service) *templateHandlers {
	return &templateHandlers{store: r, templates: t}
}

func templateRoutes(r *web.Router, s *templateHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/templates", ID: "list_templates", Access: web.Read, Summary: "List the providers' templates",
		Description: "As they were when the provider was asked last. Roles and tabs are in the template itself. " + templateSchema().Describe(),
		Errors:      list.Errors,
	}, list.Serve(templateSchema(), s.store.Templates, showTemplate))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/sync", ID: "sync_templates", Access: web.Write, Summary: "Ask the providers for their templates",
		Description: "A job asks, for one account or for all, and is asked itself every six hours. Templates that the provider has no more stay, with missing_at.",
		Status:      http.StatusAccepted, Errors: []*errs.Error{store.ErrAccount, store.ErrDisabled, store.ErrNoAccount},
	}, s.postTemplateSync)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/templates/{uuid}", ID: "read_template", Access: web.Read, Summary: "Read a template with its roles and their tabs",
		Errors: []*errs.Error{store.ErrTemplate},
	}, s.getTemplate)
}

// templateBody is a template as lists show it.
type templateBody struct {
	UUID        uuid.UUID  `json:"uuid"`
	AccountUUID uuid.UUID  `json:"account_uuid"`
	ExternalID  string     `json:"external_id" doc:"The template's id at the provider."`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Subject     string     `json:"subject" doc:"The subject of envelopes that say none."`
	Fingerprint string     `json:"fingerprint" doc:"Of roles and tabs: another one is another template."`
	ChangedAt   *time.Time `json:"changed_at" doc:"When it was changed last, as the provider says."`
	SyncedAt    time.Time  `json:"synced_at" doc:"When the provider was asked for it last."`
	MissingAt   *time.Time `json:"missing_at" doc:"Since when the provider no longer has it; null if it does."`
	Version     int64      `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (templateBody) SchemaName() string { return "EsignTemplate" }

func showTemplate(row store.Template) templateBody {
	return templateBody{
		UUID: row.ID, AccountUUID: row.AccountID, ExternalID: row.ExternalID, Name: row.Name, Description: row.Description, Subject: row.Subject,
		Fingerprint: row.Fingerprint, ChangedAt: row.ChangedAt, SyncedAt: row.SyncedAt, MissingAt: row.MissingAt,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// wholeTemplate is a template with its roles.
type wholeTemplate struct {
	templateBody

	Message string     `json:"message" doc:"The message of envelopes that say none."`
	Roles   []roleBody `json:"roles" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (wholeTemplate) SchemaName() string { return "EsignTemplateDetails" }

type roleBody struct {
	Name         string                 `json:"name"`
	Kind         provider.RecipientKind `json:"kind" doc:"signer, carbon_copy, certified_delivery, or the provider's own word."`
	RoutingOrder int                    `json:"routing_order"`
	Tabs         []tabBody              `json:"tabs" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (roleBody) SchemaName() string { return "EsignTemplateRole" }

type tabBody struct {
	Label    string   `json:"label" doc:"What mappings name it by, within the role."`
	Type     string   `json:"type" doc:"text, checkbox, list, sign_here …"`
	Required bool     `json:"required"`
	Locked   bool     `json:"locked" doc:"Whether the recipient cannot change it."`
	MaxSize  *int     `json:"max_size" doc:"How many characters it takes; null if that is not known."`
	Options  []string `json:"options" nullable:"false" doc:"What a list or a group of radio buttons takes."`
	Value    string   `json:"value" doc:"What stands in it before."`
	Fillable bool     `json:"fillable" doc:"Whether it can be filled before sending: a signature cannot."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (tabBody) SchemaName() string { return "EsignTemplateTab" }

func showRoles(roles []provider.Role) []roleBody {
	shown := make([]roleBody, 0, len(roles))
	for _, role := range roles {
		b := roleBody{Name: role.Name, Kind: role.Kind, RoutingOrder: role.RoutingOrder, Tabs: make([]tabBody, 0, len(role.Tabs))}
		for _, tab := range role.Tabs {
			t := tabBody{
				Label: tab.Label, Type: tab.Type, Required: tab.Required, Locked: tab.Locked, Options: tab.Options, Value: tab.Value, Fillable: tab.Fillable,
			}
			if tab.MaxSize > 0 {
				t.MaxSize = &tab.MaxSize
			}
			if t.Options == nil {
				t.Options = []string{}
			}
			b.Tabs = append(b.Tabs, t)
		}
		shown = append(shown, b)
	}

	return shown
}

type uuidInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type matchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *templateHandlers) getTemplate(ctx context.Context, in *uuidInput) (*web.Resource[wholeTemplate], error) {
	row, err := s.store.Template(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	body := wholeTemplate{templateBody: showTemplate(row), Message: row.Message, Roles: showRoles(row.Roles)}

	return web.NewResource(body, row.Version, base+"/templates/"+row.ID.String()), nil
}

type postSyncInput struct{ Body *syncRequest }

type syncRequest struct {
	AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"Left out: all accounts that are not disabled."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncRequest) SchemaName() string { return "EsignTemplateSyncRequest" }

type syncOutput struct{ Body syncBody }

type syncBody struct {
	AccountUUIDs []uuid.UUID `json:"account_uuids" nullable:"false" doc:"The accounts whose templates are asked for."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncBody) SchemaName() string { return "EsignTemplateSync" }

func (s *templateHandlers) postTemplateSync(ctx context.Context, in *postSyncInput) (*syncOutput, error) {
	var of uuid.UUID
	if in.Body != nil {
		of = in.Body.AccountUUID
	}
	ids, err := s.templates.StartSync(ctx, of)
	if err != nil {
		return nil, err
	}

	return &syncOutput{Body: syncBody{AccountUUIDs: ids}}, nil
}

var templateSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[templateBody](list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "external_id", Expr: "external_id", Kind: kind.Text, Filterable: true},
			{Name: "missing_at", Expr: "missing_at", Kind: kind.Time, Nullable: true, Filterable: true},
			{Name: "synced_at", Expr: "synced_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"name"},
		Search: []string{"name"},
	})
})
