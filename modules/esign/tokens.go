package esign

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// tokenPrefix begins the tokens of vendors; those of the service's own begin otherwise.
	tokenPrefix = "dse_"
	// tokenScope is the only scope that they have.
	tokenScope = "esign.callback"
)

// grant is a token that was issued.
type grant struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
	Scope       string `json:"scope"`
}

// presented is what a client shows.
type presented struct{ id, secret string }

// issue gives a client a token for the receiver of its account (RFC 6749, 4.4).
func (s *connections) issue(ctx context.Context, header http.Header, body []byte) (grant, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return grant{}, errInvalidRequest
	}
	for _, values := range form {
		if len(values) > 1 {
			return grant{}, errInvalidRequest
		}
	}
	who, err := credentialsIn(header, form)
	if err != nil {
		return grant{}, err
	}
	c, err := s.authenticated(ctx, who)
	if err != nil {
		return grant{}, err
	}
	switch {
	case form.Get("grant_type") == "":
		return grant{}, errInvalidRequest.WithMessage("The grant_type is missing: it must be client_credentials.")
	case form.Get("grant_type") != "client_credentials":
		return grant{}, errGrantType
	}
	for asked := range strings.FieldsSeq(form.Get("scope")) {
		if strings.ReplaceAll(asked, ":", ".") != tokenScope {
			return grant{}, errScope
		}
	}

	return s.grant(principal.AsCompany(ctx, c.CompanyID), c)
}

// credentialsIn returns what a client shows, in the header or in the body, but not in both (RFC 6749, 2.3.1).
func credentialsIn(header http.Header, form url.Values) (presented, error) {
	inBody := presented{id: form.Get("client_id"), secret: form.Get("client_secret")}
	if header.Get("Authorization") == "" {
		if inBody.id == "" || inBody.secret == "" {
			return inBody, errInvalidClient.WithMessage("The request shows no client: send client_id and client_secret, as Basic or in the body.")
		}

		return inBody, nil
	}
	r := http.Request{Header: header}
	id, text, ok := r.BasicAuth()
	if !ok {
		return presented{}, errInvalidClient.WithMessage("The Authorization header must be Basic, with client_id and client_secret.")
	}
	id, first := url.QueryUnescape(id)
	text, second := url.QueryUnescape(text)
	if errors.Join(first, second) != nil {
		return presented{}, errInvalidClient
	}
	if inBody.secret != "" || inBody.id != "" && inBody.id != id {
		return presented{}, errInvalidRequest.WithMessage("The request shows a client twice: in the Authorization header, and in the body.")
	}

	return presented{id: id, secret: text}, nil
}

// authenticated returns the client whose secret it is.
func (s *connections) authenticated(ctx context.Context, who presented) (client, error) {
	id, err := uuid.Parse(who.id)
	if err != nil {
		return client{}, errInvalidClient
	}
	c, err := s.clientByID(ctx, id)
	if err != nil && !errors.Is(err, errClient) {
		return client{}, err
	}
	same := subtle.ConstantTimeCompare(hashOf(who.secret), c.SecretHash) == 1
	if err != nil || !same || c.RevokedAt != nil {
		return client{}, errInvalidClient
	}

	return c, nil
}

// grant makes the token, unless the client is revoked, or its account disabled, by now.
func (s *connections) grant(ctx context.Context, c client) (grant, error) {
	text, now := newText(tokenPrefix), s.clock.Now()
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.One(ctx, c.AccountID)
		if err != nil {
			return errInvalidClient.WithCause(err)
		}
		if owner.DisabledAt != nil {
			return errUnauthorized
		}
		held, err := s.heldClient(ctx, c.ID)
		if err != nil || held.RevokedAt != nil {
			return errInvalidClient.WithCause(err)
		}
		if err := s.touchClient(ctx, c.ID, now, now.Add(-usedPause)); err != nil {
			return err
		}

		return s.insert(ctx, &token{
			ID: database.NewID(), ClientID: c.ID, AccountID: c.AccountID, Hash: hashOf(text),
			ExpiresAt: now.Add(s.settings.TokenLife), CreatedAt: now,
		})
	})

	return grant{AccessToken: text, TokenType: "Bearer", ExpiresIn: int64(s.settings.TokenLife.Seconds()), Scope: tokenScope}, err
}

// sweepingTokens is the job that removes tokens which are good no more.
type sweepingTokens struct{}

// Kind implements jobs.Args.
func (sweepingTokens) Kind() string { return "esign.sweep_tokens" }

func (s *core) sweepTokens(ctx context.Context, _ sweepingTokens) error {
	now := s.clock.Now()

	return s.dropTokens(ctx, now)
}
