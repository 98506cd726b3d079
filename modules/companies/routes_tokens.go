package companies

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func tokenRoutes(r *web.Router, s *service) {
	tokens := web.Scope("tokens")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tokens", ID: "create_token", Access: tokens, Secret: true,
		Summary: "Create an access token",
		Description: "The token is in this answer alone. It is one of the calling user, and never allows more than the user's role; " +
			"or, with service, one of a program of the company, which stays when the user goes. You cannot give a token scopes that you lack, nor a longer life than that of the token " +
			"you show, unless that is of a login of the last 15 minutes.",
		Errors: []*errs.Error{identity.ErrInvalid, errGrant, errOutlives, errUserNeeded},
	}, s.postToken)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/tokens", ID: "list_tokens", Access: tokens,
		Summary: "List the company's access tokens, those of logins too", Description: tokenList().Describe(), Errors: list.Errors(),
	}, list.Serve(tokenList(), s.identity.PageTokens, showToken))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tokens/{uuid}/revoke", ID: "revoke_token", Access: tokens,
		Summary: "Revoke an access token", Description: "Every replica refuses it within seconds. You can revoke your own tokens, and those that allow no more than you may do.",
		Errors: []*errs.Error{identity.ErrTokenNotFound, errGrant},
	}, s.postRevokeToken)
}

// tokenBody is a token as answers show it.
type tokenBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Name       string     `json:"name" doc:"What it is for."`
	Prefix     string     `json:"prefix" doc:"How it begins, for people to recognise it by."`
	UserUUID   *uuid.UUID `json:"user_uuid" doc:"Whose token it is; null for one of a service."`
	Scopes     []string   `json:"scopes" nullable:"false"`
	ExpiresAt  *time.Time `json:"expires_at" doc:"Null if it does not expire."`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"May be a minute late."`
	CreatedAt  time.Time  `json:"created_at"`
	Token      string     `json:"token,omitempty" doc:"The token, in the answer that makes it alone: nobody can find it out later."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (tokenBody) SchemaName() string { return "Token" }

func showToken(t identity.Token) tokenBody {
	body := tokenBody{
		UUID: t.ID, Name: t.Name, Prefix: t.Prefix, Scopes: t.Scopes, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt,
		LastUsedAt: t.LastUsedAt, CreatedAt: t.CreatedAt,
	}
	if t.User != uuid.Nil {
		body.UserUUID = &t.User
	}

	return body
}

type postTokenInput struct {
	Body struct {
		Name      string     `json:"name" example:"Nightly export"`
		Scopes    []string   `json:"scopes" nullable:"false" example:"[\"custom_modules:read\"]"`
		ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"Absent for a token that does not expire."`
		Service   bool       `json:"service,omitempty" doc:"Whether it is the token of a program of the company, and not the user's."`
	}
}

func (s *service) postToken(ctx context.Context, in *postTokenInput) (*tokenOutput, error) {
	token, secret, err := s.issueToken(ctx, identity.NewToken{
		Name: in.Body.Name, Scopes: in.Body.Scopes, ExpiresAt: in.Body.ExpiresAt,
	}, in.Body.Service)
	if err != nil {
		return nil, err
	}

	body := showToken(token)
	body.Token = secret

	return &tokenOutput{Body: body}, nil
}

func tokenList() list.Schema { return list.Showing[tokenBody](identity.TokenSchema()) }

type tokenInput struct {
	UUID uuid.UUID `path:"uuid"`
}

type tokenOutput struct{ Body tokenBody }

func (s *service) postRevokeToken(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	token, err := s.revokeToken(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &tokenOutput{Body: showToken(token)}, nil
}
