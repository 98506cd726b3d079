package accounts

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

const accountPath = store.BasePath + "/accounts"

// Scope is who may change provider accounts, buy numbers and release them: what costs.
const Scope = "accounts"

// Routes are the operations on provider accounts.
func Routes(r *web.Router, s *Service) {
	manage := web.Scope(Scope)
	vendoraccount.Routes(r, s.accounts, vendoraccount.Operations[store.Account, AccountBody]{
		Path: accountPath, Scope: Scope,
		One: "a provider account", Many: "provider accounts", Unused: "a provider account without numbers",
		Show:   func(_ context.Context, row store.Account) AccountBody { return NewAccountBody(s.vendors, row) },
		Update: s.update, Remove: s.remove,
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/accounts", ID: "create_account", Access: manage, Summary: "Add a provider account",
		Description: "The credentials are stored encrypted and never returned. The first account becomes the default.",
		Errors:      []*errs.Error{store.ErrInvalid, store.ErrNameTaken},
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}/health", ID: "test_account", Access: manage, Timeout: 60 * time.Second,
		Summary:     "Make a test call with the account's credentials",
		Description: "It costs nothing and sends nothing. The result is stored as the account's health.",
		Errors:      []*errs.Error{store.ErrAccount},
	}, s.getHealth)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/accounts/{uuid}/rotate_callbacks", ID: "rotate_callbacks_account", Access: manage,
		Summary: "Rotate the notification addresses of a provider account", Errors: []*errs.Error{store.ErrAccount, store.ErrNoCallbacks},
	}, func(ctx context.Context, in *vendoraccount.Write) (*web.Resource[AccountBody], error) {
		row, err := s.rotate(ctx, in.UUID, in.IfMatch)

		return Resource(s.vendors, row, err)
	})
}

// AccountBody is an account as the API shows it: without its credentials.
type AccountBody struct {
	UUID        uuid.UUID      `json:"uuid"`
	Name        string         `json:"name"`
	Provider    string         `json:"provider"`
	Default     bool           `json:"default" doc:"Whether it is used if no account is given."`
	DisabledAt  *time.Time     `json:"disabled_at" doc:"When it was disabled; null if it is not."`
	Health      string         `json:"health" enum:"unchecked,connected,failing"`
	Problem     *string        `json:"problem" doc:"Why it is failing; null if it is not."`
	CheckedAt   *time.Time     `json:"checked_at"`
	Explanation *string        `json:"explanation" doc:"The problem, for people."`
	Callbacks   *callbacksBody `json:"callbacks" doc:"Addresses for the provider's notifications; null if it sends none."`
	Version     int64          `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (AccountBody) SchemaName() string { return "SmsAccount" }

// NewAccountBody returns an AccountBody.
func NewAccountBody(v *vendors.Service, row store.Account) AccountBody {
	b := AccountBody{
		UUID: row.ID, Name: row.Name, Provider: row.Provider, Default: row.IsDefault, DisabledAt: row.DisabledAt, Health: row.Health,
		Problem: web.Optional(row.Problem), CheckedAt: row.CheckedAt, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Problem != "" {
		b.Explanation = web.Optional(provider.Reason(row.Problem).Explain())
	}
	if row.EndpointID != nil {
		b.Callbacks = callbacksOf(v, row)
	}

	return b
}

// callbacksOf says where the provider is to send what it tells, and why that would not arrive.
func callbacksOf(v *vendors.Service, row store.Account) *callbacksBody {
	status, message := v.Callbacks(row)
	b := callbacksBody{StatusURL: web.Optional(status), MessageURL: web.Optional(message), Missing: []string{}}
	if message == "" {
		b.Missing = append(b.Missing, "The public address of this service is not configured (web.services_url or web.base_url): the status of messages is not updated, and inbound messages do not arrive.")
	}
	if !row.Verifies {
		b.Missing = append(b.Missing, "The credentials have no key to verify notifications, so all are refused. See the documentation of the area.")
	}

	return &b
}

// Resource is the answer with an account.
func Resource(v *vendors.Service, row store.Account, err error) (*web.Resource[AccountBody], error) {
	if err != nil {
		return nil, err
	}

	return vendoraccount.Resource(NewAccountBody(v, row), row.Account, accountPath), nil
}

// callbacksBody is where a provider sends what it tells.
type callbacksBody struct {
	StatusURL  *string  `json:"status_url" doc:"For statuses. It is sent to the provider with each message."`
	MessageURL *string  `json:"message_url" doc:"For inbound messages: enter it at the provider, or import the numbers with set_callbacks."`
	Missing    []string `json:"missing" nullable:"false" doc:"Problems that keep notifications from arriving; empty if there are none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (callbacksBody) SchemaName() string { return "SmsCallbacks" }

type postAccountInput struct {
	Body struct {
		Name        string            `json:"name" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
		Provider    string            `json:"provider" maxLength:"40" doc:"twilio, telnyx, or sandbox, which sends nothing."`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20" doc:"The provider's credentials by name; see the documentation of the area."`
	}
}

func (s *Service) postOne(ctx context.Context, in *postAccountInput) (*web.Resource[AccountBody], error) {
	if err := s.accounts.CheckSize(in.Body.Credentials); err != nil {
		return nil, err
	}

	row, err := s.Create(ctx, in.Body.Name, in.Body.Provider, in.Body.Credentials)

	return Resource(s.vendors, row, err)
}

type healthOutput struct{ Body healthBody }

type healthBody struct {
	Healthy     bool    `json:"healthy"`
	Reason      *string `json:"reason" doc:"Why it is failing; null if it is not."`
	Explanation *string `json:"explanation" doc:"The problem, for people."`
	Millis      int64   `json:"milliseconds" doc:"How long the provider took to answer."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (healthBody) SchemaName() string { return "SmsHealth" }

func (s *Service) getHealth(ctx context.Context, in *vendoraccount.Read) (*healthOutput, error) {
	row, took, err := s.test(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &healthOutput{Body: healthBody{Healthy: row.Health == vendoraccount.Connected, Reason: web.Optional(row.Problem), Millis: took.Milliseconds()}}
	if row.Problem != "" {
		out.Body.Explanation = web.Optional(provider.Reason(row.Problem).Explain())
	}

	return out, nil
}
