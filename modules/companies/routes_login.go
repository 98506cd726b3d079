package companies

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

func loginRoutes(r *web.Router, s *logins) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/login", ID: "login", Access: web.Public, Secret: true,
		Summary: "Log in with an e-mail address and a password to get a token",
		Description: "If the password is valid in several companies, the answer lists them; send company_uuid to " +
			"choose one. After 5 failures the account is locked for a minute for the network that they came from, and " +
			"each further failure doubles that, up to an hour.",
		Errors: []*errs.Error{errCredentials, errLocked, errCompanyNeeded},
	}, s.postLogin)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/logout", ID: "logout", Access: web.SignedIn,
		Summary: "Revoke the token of the request", Errors: []*errs.Error{identity.ErrTokenNotFound},
	}, s.postLogout)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/me", ID: "read_me", Access: web.SignedIn,
		Summary: "Read whose token the request has, and what it may do", Errors: []*errs.Error{identity.ErrUserNotFound},
	}, s.getMe)
}

type postLoginInput struct {
	Body struct {
		Email       string    `json:"email" maxLength:"254" example:"anna@example.com"`
		Password    string    `json:"password" maxLength:"1024"`
		CompanyUUID uuid.UUID `json:"company_uuid,omitzero" doc:"The company to log in to, for a user of several."`
	}
}

type loginOutput struct{ Body loginBody }

// loginBody is a new token with whose it is.
type loginBody struct {
	Token       string     `json:"token" doc:"The token; it is never shown again."`
	TokenUUID   uuid.UUID  `json:"token_uuid"`
	ExpiresAt   *time.Time `json:"expires_at"`
	CompanyUUID uuid.UUID  `json:"company_uuid"`
	User        userBody   `json:"user"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (loginBody) SchemaName() string { return "Login" }

func (s *logins) postLogin(ctx context.Context, in *postLoginInput) (*loginOutput, error) {
	got, err := s.login(ctx, identity.Account{Email: in.Body.Email, Company: in.Body.CompanyUUID}, in.Body.Password, web.ClientIP(ctx))
	if err != nil {
		return nil, err
	}

	return &loginOutput{Body: loginBody{
		Token: got.secret, TokenUUID: got.token.ID, ExpiresAt: got.token.ExpiresAt,
		CompanyUUID: got.token.Company, User: showUser(got.user),
	}}, nil
}

func (s *logins) postLogout(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, s.logout(ctx)
}

type meOutput struct{ Body meBody }

// meBody is who shows a token.
type meBody struct {
	Kind      string      `json:"kind" enum:"user,service"`
	User      *userBody   `json:"user" doc:"Null for the token of a service."`
	Company   companyBody `json:"company"`
	TokenUUID uuid.UUID   `json:"token_uuid"`
	Scopes    []string    `json:"scopes" nullable:"false" doc:"What the token may do: its own scopes, limited by the user's role."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (meBody) SchemaName() string { return "Me" }

func (s *logins) getMe(ctx context.Context, _ *struct{}) (*meOutput, error) {
	who := journal.Caller(ctx)
	company, err := s.identity.Company(ctx, who.Company)
	if err != nil {
		return nil, err
	}
	me := meBody{Kind: string(who.Kind), Company: showCompany(company), TokenUUID: who.Token, Scopes: who.Scopes}
	if who.User != uuid.Nil {
		user, err := s.identity.User(ctx, who.Company, who.User)
		if err != nil {
			return nil, err
		}
		me.User = new(showUser(user))
	}

	return &meOutput{Body: me}, nil
}
