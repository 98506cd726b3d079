package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Token is an access token as it can be shown: without its secret, of which nothing but a digest is
// kept.
type Token struct {
	ID uuid.UUID `json:"uuid"`
	// Company is uuid.Nil for a token of the operator.
	Company uuid.UUID `json:"company_uuid,omitzero"`
	// User is uuid.Nil for a token of a service or of the operator.
	User uuid.UUID `json:"user_uuid,omitzero"`
	Name string    `json:"name"`
	// Prefix is how the secret begins, for people to recognise it by.
	Prefix string   `json:"prefix"`
	Scopes []string `json:"scopes"`
	// Login says that a login made it: who shows it has shown a password when it was made.
	Login bool `json:"login"`
	// ExpiresAt is nil if the token does not expire.
	ExpiresAt *time.Time `json:"expires_at"`
	// RevokedAt is nil if the token is not revoked.
	RevokedAt *time.Time `json:"revoked_at"`
	// LastUsedAt is nil if the token was never used; it may be a minute late.
	LastUsedAt *time.Time `json:"last_used_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

// NewToken is what a token is made from.
type NewToken struct {
	Company uuid.UUID
	// User is the user whose token it is: it may do what Scopes say, as far as the user's role
	// allows. Zero makes the token of a service.
	User uuid.UUID
	// Name says what the token is for.
	Name string
	// Scopes are "<area>:<action>", where either half may be "*", or "*".
	Scopes []string
	// ExpiresAt is nil for a token that does not expire.
	ExpiresAt *time.Time
	// Login says that the user has just shown the password.
	Login bool
}

// IssueToken makes a token of a company. The text, the second result, is shown once: nobody can
// find it out later. Errors: identity.invalid, identity.company_not_found, identity.user_not_found.
func (s *Service) IssueToken(ctx context.Context, n NewToken) (Token, string, error) {
	token, secret, err := s.newToken(n)
	if err != nil {
		return Token{}, "", err
	}
	if _, err := s.Company(ctx, n.Company); err != nil {
		return Token{}, "", err
	}
	if n.User != uuid.Nil {
		if _, err := s.User(ctx, n.Company, n.User); err != nil {
			return Token{}, "", err
		}
	}
	ctx, err = actingFor(ctx, n.Company)
	if err != nil {
		return Token{}, "", err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		return s.rows.createToken(ctx, token, digestOf(secret))
	})
	if err != nil {
		return Token{}, "", fmt.Errorf("token %s: %w", token.ID, err)
	}

	return token, secret, nil
}

// IssueOperatorToken makes a token of the operator, who stands above companies; n names no company
// and no user. Nobody who is of a company may call it. Errors: identity.invalid,
// identity.company_not_found.
func (s *Service) IssueOperatorToken(ctx context.Context, n NewToken) (Token, string, error) {
	if _, err := actingFor(ctx, uuid.Nil); err != nil {
		return Token{}, "", err
	}
	if n.Company != uuid.Nil || n.User != uuid.Nil {
		return Token{}, "", ErrInvalid.WithField("company", "A token of the operator belongs to no company.")
	}
	token, secret, err := s.newToken(n)
	if err != nil {
		return Token{}, "", err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		return s.rows.createOperatorToken(ctx, token, digestOf(secret))
	})
	if err != nil {
		return Token{}, "", fmt.Errorf("token %s: %w", token.ID, err)
	}

	return token, secret, nil
}

// newToken makes a token and its secret; nothing is stored yet.
func (s *Service) newToken(n NewToken) (Token, string, error) {
	var wrong complaints
	now := s.clock.Now()
	wrong.scopes(n.Scopes)
	wrong.added(n.Scopes, s.known)
	wrong.expiry(n.ExpiresAt, now)
	name := wrong.name(n.Name)
	if err := wrong.result(); err != nil {
		return Token{}, "", err
	}
	secret := newSecret()

	return Token{
		ID: database.NewID(), Company: n.Company, User: n.User, Name: name, Prefix: secret[:shownLength],
		Scopes: n.Scopes, Login: n.Login, ExpiresAt: n.ExpiresAt, CreatedAt: now,
	}, secret, nil
}

// ListTokens lists the tokens of a company, oldest first, the revoked ones too. Errors:
// identity.company_not_found.
func (s *Service) ListTokens(ctx context.Context, company uuid.UUID) ([]Token, error) {
	if _, err := s.Company(ctx, company); err != nil {
		return nil, err
	}
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return nil, err
	}

	return s.rows.tokens(ctx)
}

// PageTokens lists the tokens of the caller's company. The query is parsed with TokenSchema.
func (s *Service) PageTokens(ctx context.Context, q list.Query) (list.Page[Token], error) {
	page, err := s.rows.pageTokens(ctx, q)

	return list.Convert(page, tokenRow.token), err
}

// Token returns a token of the caller's company. Errors: identity.token_not_found.
func (s *Service) Token(ctx context.Context, id uuid.UUID) (Token, error) {
	token, err := s.rows.token(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return Token{}, ErrTokenNotFound
	}

	return token, err
}

// TokenScopes are what a token of the caller's company allows: its own scopes, as far as the role of its user
// does. The token of a user without a role allows nothing.
func (s *Service) TokenScopes(ctx context.Context, t Token) ([]string, error) {
	if t.User == uuid.Nil {
		return t.Scopes, nil
	}
	user, err := s.User(ctx, t.Company, t.User)
	if err != nil {
		return nil, err
	}
	of, err := s.RoleScopes(ctx, t.Company, user.Role)
	if err != nil && !errors.Is(err, ErrRoleUnknown) {
		return nil, err
	}

	return IntersectScopes(t.Scopes, of), nil
}

// RevokeTokensOf ends every token of a user, and returns how many it ended.
func (s *Service) RevokeTokensOf(ctx context.Context, company, user uuid.UUID) (ended int64, err error) {
	ctx, err = actingFor(ctx, company)
	if err != nil {
		return 0, ErrUserNotFound
	}
	err = s.change(ctx, companyChanged, company, func(ctx context.Context) error {
		ended, err = s.rows.revokeOf(ctx, user, uuid.Nil, s.clock.Now())

		return err
	})

	return ended, err
}

// RevokeToken ends a token: every replica refuses it as soon as this, or the caller's transaction, is
// committed. Revoking it again changes nothing. A caller who is of a company can end that company's tokens only. Errors:
// identity.token_not_found.
func (s *Service) RevokeToken(ctx context.Context, id uuid.UUID) error {
	caller, known := principal.From(ctx)
	above := !known || caller.Kind == principal.Operator
	if above {
		ctx = database.AcrossCompanies(ctx, "a token is revoked by its id alone")
	}
	err := s.change(ctx, tokenChanged, id, func(ctx context.Context) error {
		err := s.rows.revoke(ctx, id, s.clock.Now())
		if above && errors.Is(err, database.ErrNotFound) {
			err = s.rows.revokeOperator(ctx, id, s.clock.Now())
		}

		return err
	})
	if errors.Is(err, database.ErrNotFound) {
		return ErrTokenNotFound
	}
	if err != nil {
		return fmt.Errorf("token %s: %w", id, err)
	}

	return nil
}
