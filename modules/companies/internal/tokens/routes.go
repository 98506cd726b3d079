package tokens

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are their operations.
func Routes(r *web.Router, s *Tokens) {
	tokens := web.Scope("tokens")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tokens", ID: "create_token", Access: tokens, Secret: true,
		Summary: "Create an access token",
		Description: "The token is only in this answer. It belongs to the calling user and never allows more than the " +
			"user's role; with service, it belongs to a program of the company and stays when the user leaves. You " +
			"cannot give a token scopes that you do not have, or a longer life than that of the token of the request, " +
			"unless that token is from a login in the last 15 minutes.",
		Errors: []*errs.Error{identity.ErrInvalid, authority.ErrExceeds, errOutlives, authority.ErrUserNeeded},
	}, s.postToken)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/tokens", ID: "list_tokens", Access: tokens,
		Summary: "List the company's access tokens, including those of logins", Description: tokenList().Describe(), Errors: list.Errors,
	}, list.Serve(tokenList(), s.identity.PageTokens, showToken))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tokens/{uuid}/revoke", ID: "revoke_token", Access: tokens,
		Summary: "Revoke an access token", Description: "Every replica refuses it within seconds. You can revoke your own tokens, and tokens with no permissions beyond yours.",
		Errors: []*errs.Error{identity.ErrTokenNotFound, authority.ErrExceeds},
	}, s.postRevokeToken)
}

// tokenBody is a token as answers show it.
type tokenBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Name       string     `json:"name" doc:"Purpose of the token."`
	Prefix     string     `json:"prefix" doc:"Start of the token, to recognise it by."`
	UserUUID   *uuid.UUID `json:"user_uuid" doc:"The user whose token it is; null for a service token."`
	Scopes     []string   `json:"scopes" nullable:"false"`
	ExpiresAt  *time.Time `json:"expires_at" doc:"Null if it does not expire."`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"Up to a minute behind."`
	CreatedAt  time.Time  `json:"created_at"`
	Token      string     `json:"token,omitempty" doc:"The token; only in the answer that creates it, and never shown again."`
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
		Service   bool       `json:"service,omitempty" doc:"Whether the token belongs to a program of the company instead of the user."`
	}
}

func (s *Tokens) postToken(ctx context.Context, in *postTokenInput) (*tokenOutput, error) {
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

func tokenList() list.Schema { return list.ShownAs[tokenBody](identity.TokenSchema) }

type tokenInput struct {
	UUID uuid.UUID `path:"uuid"`
}

type tokenOutput struct{ Body tokenBody }

func (s *Tokens) postRevokeToken(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	token, err := s.revokeToken(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &tokenOutput{Body: showToken(token)}, nil
}
