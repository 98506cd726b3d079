package esign

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// base is what the paths of the area begin with.
const base = "/esign/api/v1"

// accountScope is who may change accounts at providers.
const accountScope = "accounts"

func accountRoutes(r *web.Router, s *accounts) {
	manage := web.Scope(accountScope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts", ID: "list_accounts", Access: web.Read, Summary: "List accounts at providers",
		Description: accountSchema().Describe(), Errors: list.Errors(),
	}, s.getAll)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/accounts", ID: "create_account", Access: manage, Summary: "Add an account at a provider",
		Description: "The credentials are encrypted, and no answer has them. The first account is the default one. It is checked at once, by a job.",
		Errors:      []*errs.Error{errInvalid, errTaken},
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}", ID: "read_account", Access: web.Read, Summary: "Read an account at a provider",
		Errors: []*errs.Error{errAccount},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/accounts/{uuid}", ID: "update_account", Access: manage,
		Summary: "Change an account at a provider", Description: "Credentials are replaced as a whole.",
		Errors: []*errs.Error{errAccount, errInvalid, errTaken},
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/accounts/{uuid}", ID: "delete_account", Access: manage,
		Summary: "Delete an account that has no envelopes and no mappings", Errors: []*errs.Error{errAccount, errAccountUsed},
	}, s.deleteOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}/health", ID: "test_account", Access: manage, Timeout: 2 * time.Minute,
		Summary:     "Make a test call with the account's credentials",
		Description: "It costs nothing and sends nothing. What is found is kept as the account's health.",
		Errors:      []*errs.Error{errAccount},
	}, s.getHealth)
	for _, verb := range []struct {
		name, summary string
		do            func(context.Context, uuid.UUID, web.IfMatch) (account, error)
	}{
		{"disable", "Disable an account at a provider", func(ctx context.Context, id uuid.UUID, m web.IfMatch) (account, error) {
			return s.disable(ctx, id, m, true)
		}},
		{"enable", "Enable an account at a provider", func(ctx context.Context, id uuid.UUID, m web.IfMatch) (account, error) {
			return s.disable(ctx, id, m, false)
		}},
		{"make_default", "Make an account the default one", s.prefer},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/accounts/{uuid}/" + verb.name, ID: verb.name + "_account", Access: manage,
			Summary: verb.summary, Errors: []*errs.Error{errAccount},
		}, func(ctx context.Context, in *accountWrite) (*web.Resource[accountBody], error) {
			row, err := verb.do(ctx, in.UUID, in.IfMatch)

			return s.resource(ctx, row, err)
		})
	}
}

// accountBody is an account as the API shows it: without its credentials.
type accountBody struct {
	UUID         uuid.UUID  `json:"uuid"`
	Name         string     `json:"name"`
	Provider     string     `json:"provider"`
	Environment  string     `json:"environment" doc:"Which of the provider's environments it is in."`
	ExternalID   *string    `json:"external_id" doc:"The account's id at the provider; null until it is known."`
	BaseURL      *string    `json:"base_url" doc:"Where the provider's API for it is; null until it is known."`
	Default      bool       `json:"default" doc:"Whether it is used where no account is said."`
	DisabledAt   *time.Time `json:"disabled_at" doc:"Since when it is disabled; null if it is not."`
	Health       string     `json:"health" enum:"unchecked,connected,failing"`
	Problem      *string    `json:"problem" doc:"Why it is failing; null if it is not."`
	Explanation  *string    `json:"explanation" doc:"The problem, for people."`
	ConsentURL   *string    `json:"consent_url" doc:"Where the user in whose name the service works agrees to that, once; null where the provider asks for none."`
	CheckedAt    *time.Time `json:"checked_at"`
	CallbackURL  *string    `json:"callback_url" doc:"Where the provider sends its notifications; null where this service has no public address."`
	Verification string     `json:"verification" doc:"How notifications are verified: automatic, bearer, hmac, both or either."`
	Version      int64      `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (accountBody) SchemaName() string { return "EsignAccount" }

func (s *core) showAccount(ctx context.Context, row account) accountBody {
	b := accountBody{
		UUID: row.ID, Name: row.Name, Provider: row.Provider, Environment: row.Environment, ExternalID: optional(row.ExternalID),
		BaseURL: optional(row.BaseURL), Default: row.IsDefault, DisabledAt: row.DisabledAt, Health: row.Health, Problem: optional(row.Problem),
		ConsentURL: optional(s.vendors.consent(ctx, row)), CheckedAt: row.CheckedAt, CallbackURL: optional(s.vendors.callback(row)),
		Verification: row.Verification, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Problem != "" {
		b.Explanation = optional(provider.Reason(row.Problem).Explain())
	}

	return b
}

// optional is nil for "".
func optional(text string) *string {
	if text == "" {
		return nil
	}

	return &text
}

func (s *core) resource(ctx context.Context, row account, err error) (*web.Resource[accountBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(s.showAccount(ctx, row), row.Version, base+"/accounts/"+row.ID.String()), nil
}

func (s *accounts) getAll(ctx context.Context, in *list.Input) (*list.Output[accountBody], error) {
	show := func(row account) accountBody { return s.showAccount(ctx, row) }

	return list.Serve(accountSchema(), s.accounts, show)(ctx, in)
}

type accountRead struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type accountWrite struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type postAccountInput struct {
	Body struct {
		Name        string            `json:"name" minLength:"1" maxLength:"100" pattern:"\\S"`
		Provider    string            `json:"provider,omitempty" maxLength:"40" doc:"docusign, or sandbox, which is the one if none is said: it sends no e-mail and costs nothing."`
		Environment string            `json:"environment,omitempty" maxLength:"40" doc:"One of the provider's: production or demo of docusign. Its default if none is said."`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20" doc:"What the provider asks for, by name; see the documentation of the area."`
	}
}

func (s *accounts) postOne(ctx context.Context, in *postAccountInput) (*web.Resource[accountBody], error) {
	if err := fits(in.Body.Credentials); err != nil {
		return nil, err
	}
	n := newAccount{name: in.Body.Name, provider: in.Body.Provider, environment: in.Body.Environment, credentials: in.Body.Credentials}
	if n.provider == "" {
		n.provider = sandbox.Name
	}
	row, err := s.create(ctx, n)

	return s.resource(ctx, row, err)
}

// fits refuses credentials that are none.
func fits(credentials map[string]string) error {
	for name, value := range credentials {
		if len(name) > 100 || len(value) > 10000 {
			return errInvalid.WithField("credentials", "A credential must have at most 10000 bytes.")
		}
	}

	return nil
}

func (s *accounts) getOne(ctx context.Context, in *accountRead) (*web.Resource[accountBody], error) {
	row, err := s.account(ctx, in.UUID)

	return s.resource(ctx, row, err)
}

type patchAccountInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name        *string           `json:"name,omitempty" minLength:"1" maxLength:"100" pattern:"\\S"`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20"`
	}
}

func (s *accounts) patchOne(ctx context.Context, in *patchAccountInput) (*web.Resource[accountBody], error) {
	if err := fits(in.Body.Credentials); err != nil {
		return nil, err
	}
	row, err := s.update(ctx, in.UUID, in.IfMatch, in.Body.Name, in.Body.Credentials)

	return s.resource(ctx, row, err)
}

func (s *accounts) deleteOne(ctx context.Context, in *accountWrite) (*struct{}, error) {
	return nil, s.remove(ctx, in.UUID, in.IfMatch)
}

type accountHealth struct{ Body healthBody }

type healthBody struct {
	Healthy     bool    `json:"healthy"`
	Reason      *string `json:"reason" doc:"Why it is failing; null if it is not."`
	Explanation *string `json:"explanation" doc:"The same, for people."`
	ConsentURL  *string `json:"consent_url" doc:"Where the user agrees, if that is the reason; else null."`
	Millis      int64   `json:"milliseconds" doc:"How long the provider took."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (healthBody) SchemaName() string { return "EsignAccountHealth" }

func (s *accounts) getHealth(ctx context.Context, in *accountRead) (*accountHealth, error) {
	row, took, err := s.test(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &accountHealth{Body: healthBody{Healthy: row.Health == healthConnected, Reason: optional(row.Problem), Millis: took.Milliseconds()}}
	if row.Problem != "" {
		out.Body.Explanation = optional(provider.Reason(row.Problem).Explain())
	}
	if row.Problem == string(provider.ConsentRequired) {
		out.Body.ConsentURL = optional(s.vendors.consent(ctx, row))
	}

	return out, nil
}
