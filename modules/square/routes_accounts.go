package square

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// which are the failures of choosing an account.
var which = []*errs.Error{cardsapi.ErrAccount, cardsapi.ErrDisabled, errNoAccount, errWhich}

func accountRoutes(r *web.Router, s *accountHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts", ID: "list_accounts", Access: web.Read, Summary: "List the company's accounts at Square",
		Description: "By name, at most 200. They are created and changed under /cards/api/v1/accounts.", Errors: []*errs.Error{cardsapi.ErrAccount},
	}, s.getAccounts)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/health", ID: "health", Access: web.Scope("accounts"), Summary: "Test an account at Square", Timeout: requestTimeout,
		Description: "Reads the location of the account at Square, and keeps what that has shown.", Errors: which,
	}, s.getHealth)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/reconcile", ID: "reconcile", Access: web.Scope("reconcile"), Summary: "Compare an account with Square",
		Description: "A job compares the payments and refunds of a window. Read and apply what it finds at /cards/api/v1/reconciliations/{uuid}.",
		Errors:      append(which, cardsapi.ErrInvalid),
	}, s.postReconcile)
}

// accountHandlers answer the operations on accounts.
type accountHandlers struct {
	opener      *opener
	accounts    cardsapi.VendorAccounts
	reconcile   cardsapi.Reconciler
	application *application
}

func newAccountHandlers(o *opener, a cardsapi.VendorAccounts, r cardsapi.Reconciler, app *application) *accountHandlers {
	return &accountHandlers{opener: o, accounts: a, reconcile: r, application: app}
}

// account is an account as the API shows it.
type account struct {
	UUID          uuid.UUID  `json:"uuid"`
	Name          string     `json:"name"`
	LocationID    string     `json:"location_id"`
	ApplicationID string     `json:"application_id"`
	Environment   string     `json:"environment" enum:"production,sandbox"`
	Script        string     `json:"script" doc:"The address of Square's card fields (Web Payments SDK)."`
	Enabled       bool       `json:"enabled"`
	Health        string     `json:"health" enum:"unchecked,connected,failing"`
	Problem       *string    `json:"problem" doc:"Why it is failing; null if it is not."`
	Explanation   *string    `json:"explanation" doc:"What the problem means, and what to do."`
	CheckedAt     *time.Time `json:"checked_at"`
	OAuth         bool       `json:"oauth" doc:"Whether it was connected with OAuth, and not with an access token."`
	NotifyURL     *string    `json:"notify_url" doc:"The address for Square's notifications; null if the service has no public address."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (account) SchemaName() string { return "SquareAccount" }

func (s *accountHandlers) showAccount(a cardsapi.VendorAccount) account {
	environment := "sandbox"
	if a.Page.Live {
		environment = "production"
	}

	oauth := gateway.RefreshToken(a.Credentials) != ""
	if oauth {
		a.NotifyURL = s.application.notifyURL()
	}

	return account{
		UUID: parsed(a.UUID), Name: a.Name, LocationID: a.Page.Location, ApplicationID: a.Page.Application, Environment: environment, Script: a.Page.Script,
		Enabled: !a.Disabled, Health: a.Health, Problem: web.Optional(a.Problem), Explanation: web.Optional(cardsapi.Reason(a.Problem).Explain()),
		CheckedAt: a.CheckedAt, OAuth: oauth, NotifyURL: web.Optional(a.NotifyURL),
	}
}

// parsed is an id of the contract; uuid.Nil for "".
func parsed(id string) uuid.UUID {
	made, err := uuid.Parse(id)
	if err != nil {
		return uuid.Nil
	}

	return made
}

type accountsOutput struct {
	Body struct {
		Accounts []account `json:"accounts" nullable:"false"`
	}
}

func (s *accountHandlers) getAccounts(ctx context.Context, _ *struct{}) (*accountsOutput, error) {
	all, err := s.accounts.Connected(ctx, gateway.Name)
	out := &accountsOutput{}
	out.Body.Accounts = make([]account, len(all))
	for i, a := range all {
		out.Body.Accounts[i] = s.showAccount(a)
	}

	return out, err
}

type accountInput struct {
	Account uuid.UUID `query:"account_uuid" format:"uuid" doc:"By default the only enabled account at Square."`
}

type healthOutput struct {
	Body struct {
		Healthy bool    `json:"healthy"`
		Account account `json:"account"`
	}
}

func (s *accountHandlers) getHealth(ctx context.Context, in *accountInput) (*healthOutput, error) {
	chosen, err := s.opener.account(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	checked, err := s.accounts.Check(ctx, gateway.Name, chosen.UUID)
	if err != nil {
		return nil, err
	}
	out := &healthOutput{}
	out.Body.Healthy, out.Body.Account = checked.Problem == "", s.showAccount(checked)

	return out, nil
}

// reconcileRequest is a comparison to make.
type reconcileRequest struct {
	AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"By default the only enabled account at Square."`
	BeginTime   time.Time `json:"begin_time" doc:"Compares what was made from here on."`
	EndTime     time.Time `json:"end_time" doc:"Compares what was made before; at most 366 days later."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (reconcileRequest) SchemaName() string { return "ReconcileRequest" }

type reconcileInput struct{ Body reconcileRequest }

type reconcileOutput struct {
	Location string `header:"Location"`
	Body     struct {
		UUID        uuid.UUID `json:"uuid"`
		AccountUUID uuid.UUID `json:"account_uuid"`
		BeginTime   time.Time `json:"begin_time"`
		EndTime     time.Time `json:"end_time"`
		State       string    `json:"state" enum:"running,done,applied,failed"`
	}
}

func (s *accountHandlers) postReconcile(ctx context.Context, in *reconcileInput) (*reconcileOutput, error) {
	chosen, err := s.opener.account(ctx, in.Body.AccountUUID)
	if err != nil {
		return nil, err
	}
	row, err := s.reconcile.Reconcile(ctx, chosen.UUID, in.Body.BeginTime, in.Body.EndTime)
	if err != nil {
		return nil, err
	}
	out := &reconcileOutput{Location: "/cards/api/v1/reconciliations/" + row.UUID}
	b := &out.Body
	b.UUID, b.AccountUUID, b.BeginTime, b.EndTime, b.State = parsed(row.UUID), parsed(row.Account), row.From, row.To, row.State

	return out, nil
}
