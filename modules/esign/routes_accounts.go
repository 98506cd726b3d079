package esign

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// base is what the paths of the area begin with.
const base = "/esign/api/v1"

const accountPath = base + "/accounts"

// accountScope is who may change accounts at providers.
const accountScope = "accounts"

// accountHandlers answer the operations on accounts.
type accountHandlers struct {
	accounts *accounts.Service
	vendors  *accounts.Vendors
}

func newAccountHandlers(a *accounts.Service, v *accounts.Vendors) *accountHandlers {
	return &accountHandlers{accounts: a, vendors: v}
}

func accountRoutes(r *web.Router, s *accountHandlers) {
	manage := web.Scope(accountScope)
	vendoraccount.Routes(r, s.vendors.Accounts, vendoraccount.Operations[store.Account, accountBody]{
		Path: accountPath, Scope: accountScope,
		One: "an account at a provider", Many: "accounts at providers", Unused: "an account that has no envelopes and no mappings",
		Fields: []list.Field{{Name: "environment", Expr: "environment", Kind: kind.Text, Filterable: true}},
		Show:   s.showAccount, Update: s.accounts.Update, Remove: s.accounts.Remove,
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/accounts", ID: "create_account", Access: manage, Summary: "Add an account at a provider",
		Description: "The credentials are encrypted, and no answer has them. The first account is the default one. It is checked at once, by a job.",
		Errors:      []*errs.Error{store.ErrInvalid, store.ErrTaken},
	}, s.postAccount)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}/health", ID: "test_account", Access: manage, Timeout: 2 * time.Minute,
		Summary:     "Make a test call with the account's credentials",
		Description: "It costs nothing and sends nothing. What is found is kept as the account's health.",
		Errors:      []*errs.Error{store.ErrAccount},
	}, s.getAccountHealth)
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

func (s *accountHandlers) showAccount(ctx context.Context, row store.Account) accountBody {
	b := accountBody{
		UUID: row.ID, Name: row.Name, Provider: row.Provider, Environment: row.Environment, ExternalID: web.Optional(row.ExternalID),
		BaseURL: web.Optional(row.BaseURL), Default: row.IsDefault, DisabledAt: row.DisabledAt, Health: row.Health, Problem: web.Optional(row.Problem),
		ConsentURL: web.Optional(s.vendors.ConsentURL(ctx, row)), CheckedAt: row.CheckedAt, CallbackURL: web.Optional(s.vendors.CallbackURL(row)),
		Verification: row.Verification, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Problem != "" {
		b.Explanation = web.Optional(provider.Reason(row.Problem).Explain())
	}

	return b
}

type postAccountInput struct {
	Body struct {
		Name        string            `json:"name" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
		Provider    string            `json:"provider,omitempty" maxLength:"40" doc:"docusign, or sandbox, which is the one if none is said: it sends no e-mail and costs nothing."`
		Environment string            `json:"environment,omitempty" maxLength:"40" doc:"One of the provider's: production or demo of docusign. Its default if none is said."`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20" doc:"What the provider asks for, by name; see the documentation of the area."`
	}
}

func (s *accountHandlers) postAccount(ctx context.Context, in *postAccountInput) (*web.Resource[accountBody], error) {
	if err := s.vendors.Accounts.CheckSize(in.Body.Credentials); err != nil {
		return nil, err
	}
	n := accounts.NewAccount{Name: in.Body.Name, Provider: in.Body.Provider, Environment: in.Body.Environment, Credentials: in.Body.Credentials}
	if n.Provider == "" {
		n.Provider = sandbox.Name
	}
	row, err := s.accounts.Create(ctx, n)
	if err != nil {
		return nil, err
	}

	return vendoraccount.Resource(s.showAccount(ctx, row), row.Account, accountPath), nil
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
func (healthBody) SchemaName() string { return "EsignHealth" }

func (s *accountHandlers) getAccountHealth(ctx context.Context, in *vendoraccount.Read) (*accountHealth, error) {
	row, took, err := s.accounts.Test(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &accountHealth{Body: healthBody{Healthy: row.Health == vendoraccount.Connected, Reason: web.Optional(row.Problem), Millis: took.Milliseconds()}}
	if row.Problem != "" {
		out.Body.Explanation = web.Optional(provider.Reason(row.Problem).Explain())
	}
	if row.Problem == string(provider.ConsentRequired) {
		out.Body.ConsentURL = web.Optional(s.vendors.ConsentURL(ctx, row))
	}

	return out, nil
}
