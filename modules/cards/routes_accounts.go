package cards

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	base        = "/cards/api/v1"
	accountPath = base + "/accounts"
	// accountScope is who may change accounts.
	accountScope = "accounts"
)

func accountRoutes(r *web.Router, s *accountHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/accounts", ID: "create_account", Access: web.Scope(accountScope), Summary: "Create a card account",
		Description: "The company's first account is its default. The provider sandbox needs no credentials, and moves no money.",
		Errors:      []*errs.Error{store.ErrInvalid, store.ErrNameTaken},
	}, s.postAccount)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}/health", ID: "test_account", Access: web.Scope(accountScope), Summary: "Test a card account",
		Description: "Makes a call to the vendor that costs nothing.", Errors: []*errs.Error{store.ErrAccount},
	}, s.getHealth)
	vendoraccount.Routes(r, s.vendors.Accounts, vendoraccount.Operations[store.Account, accountBody]{
		Path: accountPath, Scope: accountScope, One: "a card account", Many: "card accounts", Unused: "a card account that has no cards and payments",
		Show: s.showAccount, Update: s.accounts.Update, Remove: s.accounts.Remove,
	})
}

// accountBody is an account as the API shows it.
type accountBody struct {
	UUID        uuid.UUID            `json:"uuid"`
	Name        string               `json:"name"`
	Provider    string               `json:"provider" doc:"The vendor: sandbox, or that of another area."`
	Default     bool                 `json:"default"`
	DisabledAt  *time.Time           `json:"disabled_at" doc:"When it was disabled; null if it is not."`
	Health      string               `json:"health" enum:"unchecked,connected,failing"`
	Problem     *string              `json:"problem" doc:"Why it is failing; null if it is not."`
	Explanation *string              `json:"explanation" doc:"What the problem means, and what to do."`
	CheckedAt   *time.Time           `json:"checked_at"`
	NotifyURL   *string              `json:"notify_url" doc:"The address for the vendor's notifications; null if the vendor sends none, or the service has no public address."`
	Page        *cardsapi.PageConfig `json:"page" doc:"What a page needs to show the vendor's card fields; null if the account cannot be opened."`
	Version     int64                `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt   time.Time            `json:"created_at"`
	UpdatedAt   time.Time            `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (accountBody) SchemaName() string { return "CardAccount" }

// accountHandlers answer the operations on accounts.
type accountHandlers struct {
	rows     *store.Accounts
	accounts *accounts.Service
	checks   *accounts.Checks
	vendors  *accounts.Vendors
}

func newAccountHandlers(r *store.Accounts, a *accounts.Service, c *accounts.Checks, v *accounts.Vendors) *accountHandlers {
	return &accountHandlers{rows: r, accounts: a, checks: c, vendors: v}
}

func (s *accountHandlers) showAccount(ctx context.Context, row store.Account) accountBody {
	b := accountBody{
		UUID: row.ID, Name: row.Name, Provider: row.Provider, Default: row.IsDefault, DisabledAt: row.DisabledAt, Health: row.Health,
		Problem: web.Optional(row.Problem), CheckedAt: row.CheckedAt, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	b.Explanation = web.Optional(cardsapi.Reason(row.Problem).Explain())
	if open, err := s.vendors.Open(ctx, row); err == nil {
		page := open.Page()
		b.Page, b.NotifyURL = &page, web.Optional(s.vendors.NotifyURL(open.Can.Notifications, row.EndpointID))
	}

	return b
}

type postAccountInput struct {
	Body struct {
		Name        string            `json:"name" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
		Provider    string            `json:"provider" maxLength:"40" doc:"sandbox, or the vendor of an enabled area."`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20" doc:"The vendor's credentials by name."`
	}
}

func (s *accountHandlers) postAccount(ctx context.Context, in *postAccountInput) (*web.Resource[accountBody], error) {
	if err := s.rows.CheckSize(in.Body.Credentials); err != nil {
		return nil, err
	}
	row, err := s.accounts.Create(ctx, in.Body.Name, in.Body.Provider, in.Body.Credentials)
	if err != nil {
		return nil, err
	}

	return vendoraccount.Resource(s.showAccount(ctx, row), row.Account, accountPath), nil
}

type healthOutput struct{ Body healthBody }

type healthBody struct {
	Healthy     bool    `json:"healthy"`
	Reason      *string `json:"reason" doc:"Why it is failing; null if it is not."`
	Explanation *string `json:"explanation" doc:"What the reason means, and what to do."`
	Millis      int64   `json:"milliseconds" doc:"How long the vendor took to answer."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (healthBody) SchemaName() string { return "CardHealth" }

func (s *accountHandlers) getHealth(ctx context.Context, in *vendoraccount.Read) (*healthOutput, error) {
	row, took, err := s.checks.Test(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &healthOutput{Body: healthBody{
		Healthy: row.Health == vendoraccount.Connected, Reason: web.Optional(row.Problem), Millis: took.Milliseconds(),
		Explanation: web.Optional(cardsapi.Reason(row.Problem).Explain()),
	}}, nil
}
