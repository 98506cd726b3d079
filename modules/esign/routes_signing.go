package esign

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signingHandlers answer the operations on embedded signing.
type signingHandlers struct {
	store   *store.Repository
	signing *envelopes.Signing
}

func newSigningHandlers(r *store.Repository, g *envelopes.Signing) *signingHandlers {
	return &signingHandlers{store: r, signing: g}
}

func signingRoutes(r *web.Router, s *signingHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/signing_link", ID: "create_signing_link", Access: web.Scope(store.SendScope), Secret: true, Timeout: 2 * time.Minute,
		Summary:     "Get an address at which an embedded recipient signs",
		Description: "It is good once, and for some minutes: ask when the recipient is there, and lead the browser to it. It is not kept, so there is no Idempotency-Key. Who comes back to return_url has not necessarily signed: that is told by the envelope.",
		Errors:      []*errs.Error{store.ErrEnvelope, store.ErrRecipient, store.ErrInvalid, store.ErrNotHere, store.ErrNotThere, store.ErrEnded, store.ErrNoKey, store.ErrDisabled, store.ErrProvider, store.ErrRefused},
	}, s.postSigningLink)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read where recipients may be led after signing",
		Errors: []*errs.Error{store.ErrInvalid},
	}, s.getSettings)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Scope(accountScope), Summary: "Change where recipients may be led after signing",
		Errors: []*errs.Error{store.ErrInvalid},
	}, s.patchSettings)
}

type signingInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body signingRequest
}

type signingRequest struct {
	RecipientUUID uuid.UUID `json:"recipient_uuid"`
	ReturnURL     string    `json:"return_url" maxLength:"2000" doc:"Where the browser is led after signing, at one of the return_hosts of the settings."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signingRequest) SchemaName() string { return "EsignSigningLinkRequest" }

type signingOutput struct{ Body signingBody }

type signingBody struct {
	URL string `json:"url" doc:"Good once, and for some minutes."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signingBody) SchemaName() string { return "EsignSigningLink" }

func (s *signingHandlers) postSigningLink(ctx context.Context, in *signingInput) (*signingOutput, error) {
	address, err := s.signing.URL(ctx, in.UUID, in.Body.RecipientUUID, in.Body.ReturnURL)
	if err != nil {
		return nil, err
	}

	return &signingOutput{Body: signingBody{URL: address}}, nil
}

// settingsBody is the company's settings as the API shows them.
type settingsBody struct {
	ReturnHosts []string `json:"return_hosts" nullable:"false" doc:"Hosts to which recipients may be led after signing. One without a port is good with any."`
	Default     bool     `json:"default" doc:"Whether they are those of the service, because the company has set none."`
	Version     int64    `json:"version" doc:"Grows with every change; the ETag. 0 if nothing was set yet."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (settingsBody) SchemaName() string { return "EsignSettings" }

func (s *signingHandlers) settingsResource(p store.Preferences, err error) (*web.Resource[settingsBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(settingsBody{
		ReturnHosts: s.signing.ReturnHosts(p), Default: len(p.ReturnHosts) == 0, Version: p.Version,
	}, p.Version, base+"/settings"), nil
}

func (s *signingHandlers) getSettings(ctx context.Context, _ *struct{}) (*web.Resource[settingsBody], error) {
	return s.settingsResource(s.store.Preferences(ctx))
}

type patchSettingsInput struct {
	web.IfMatch

	Body settingsPatch
}

type settingsPatch struct {
	ReturnHosts []string `json:"return_hosts" nullable:"false" maxItems:"50" doc:"All of them, such as app.example.com; none for the host of the service."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (settingsPatch) SchemaName() string { return "EsignSettingsPatch" }

func (s *signingHandlers) patchSettings(ctx context.Context, in *patchSettingsInput) (*web.Resource[settingsBody], error) {
	return s.settingsResource(s.signing.SetReturnHosts(ctx, in.IfMatch, in.Body.ReturnHosts))
}
