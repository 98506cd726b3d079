package connection

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// tokenPrefix begins the tokens of vendors; those of the service's own begin otherwise.
	tokenPrefix = "dse_"
	// TokenScope is the only scope that they have.
	TokenScope = "esign.callback"
)

// grant is a token that was issued.
type grant struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
	Scope       string `json:"scope"`
}

// clientCredentials is what a client shows.
type clientCredentials struct{ id, secret string }

// Issue gives a client a token for the receiver of its account (RFC 6749, 4.4).
func (s *Clients) Issue(ctx context.Context, header http.Header, body []byte) (grant, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return grant{}, store.ErrInvalidRequest
	}
	for _, values := range form {
		if len(values) > 1 {
			return grant{}, store.ErrInvalidRequest
		}
	}
	who, err := credentialsIn(header, form)
	if err != nil {
		return grant{}, err
	}
	c, err := s.authenticate(ctx, who)
	if err != nil {
		return grant{}, err
	}
	switch {
	case form.Get("grant_type") == "":
		return grant{}, store.ErrInvalidRequest.WithMessage("The grant_type is missing: it must be client_credentials.")
	case form.Get("grant_type") != "client_credentials":
		return grant{}, store.ErrGrantType
	}
	for asked := range strings.FieldsSeq(form.Get("scope")) {
		if strings.ReplaceAll(asked, ":", ".") != TokenScope {
			return grant{}, store.ErrScope
		}
	}

	return s.issueTo(principal.AsCompany(ctx, c.CompanyID), c)
}

// credentialsIn returns what a client shows, in the header or in the body, but not in both (RFC 6749, 2.3.1).
func credentialsIn(header http.Header, form url.Values) (clientCredentials, error) {
	inBody := clientCredentials{id: form.Get("client_id"), secret: form.Get("client_secret")}
	if header.Get("Authorization") == "" {
		if inBody.id == "" || inBody.secret == "" {
			return inBody, store.ErrInvalidClient.WithMessage("The request shows no client: send client_id and client_secret, as Basic or in the body.")
		}

		return inBody, nil
	}
	r := http.Request{Header: header}
	id, text, ok := r.BasicAuth()
	if !ok {
		return clientCredentials{}, store.ErrInvalidClient.WithMessage("The Authorization header must be Basic, with client_id and client_secret.")
	}
	id, first := url.QueryUnescape(id)
	text, second := url.QueryUnescape(text)
	if errors.Join(first, second) != nil {
		return clientCredentials{}, store.ErrInvalidClient
	}
	if inBody.secret != "" || inBody.id != "" && inBody.id != id {
		return clientCredentials{}, store.ErrInvalidRequest.WithMessage("The request shows a client twice: in the Authorization header, and in the body.")
	}

	return clientCredentials{id: id, secret: text}, nil
}

// authenticate returns the client whose secret it is.
func (s *Clients) authenticate(ctx context.Context, who clientCredentials) (store.Client, error) {
	id, err := uuid.Parse(who.id)
	if err != nil {
		return store.Client{}, store.ErrInvalidClient
	}
	c, err := s.store.ClientByID(ctx, id)
	if err != nil && !errors.Is(err, store.ErrClient) {
		return store.Client{}, err
	}
	same := subtle.ConstantTimeCompare(hashOf(who.secret), c.SecretHash) == 1
	if err != nil || !same || c.RevokedAt != nil {
		return store.Client{}, store.ErrInvalidClient
	}

	return c, nil
}

// issueTo makes the token, unless the client is revoked, or its account disabled, by now.
func (s *Clients) issueTo(ctx context.Context, c store.Client) (grant, error) {
	text, now := newSecret(tokenPrefix), s.clock.Now()
	err := s.store.DB.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.One(ctx, c.AccountID)
		if err != nil {
			return store.ErrInvalidClient.WithCause(err)
		}
		if owner.DisabledAt != nil {
			return store.ErrUnauthorized
		}
		held, err := s.store.HeldClient(ctx, c.ID)
		if err != nil || held.RevokedAt != nil {
			return store.ErrInvalidClient.WithCause(err)
		}
		if err := s.store.TouchClient(ctx, c.ID, now, now.Add(-usedPause)); err != nil {
			return err
		}

		return s.store.Insert(ctx, &store.Token{
			ID: database.NewID(), ClientID: c.ID, AccountID: c.AccountID, Hash: hashOf(text),
			ExpiresAt: now.Add(s.life), CreatedAt: now,
		})
	})

	return grant{AccessToken: text, TokenType: "Bearer", ExpiresIn: int64(s.life.Seconds()), Scope: TokenScope}, err
}

// DeleteTokens is the job that removes tokens which are good no more.
type DeleteTokens struct{}

// Kind implements jobs.Args.
func (DeleteTokens) Kind() string { return "esign.sweep_tokens" }

// DeleteExpiredTokens deletes the tokens of all companies that have expired.
func (s *Clients) DeleteExpiredTokens(ctx context.Context, _ DeleteTokens) error {
	now := s.clock.Now()

	return s.store.DeleteTokensExpired(ctx, now)
}
