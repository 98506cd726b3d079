// Package tokens makes and revokes access tokens.
package tokens

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// freshLogin is for how long after a login its token may make tokens that last longer than it does.
const freshLogin = 15 * time.Minute

// errOutlives refuses a token that lasts longer than the one that makes it.
var errOutlives = errs.New(errs.Invalid, "companies.token_outlives", "The given data was invalid.")

// Tokens makes and revokes access tokens.
type Tokens struct {
	identity *identity.Service
	journal  *journal.Journal
	db       *database.DB
	clock    clock.Clock
}

// New returns the tokens of companies.
func New(who *identity.Service, j *journal.Journal, db *database.DB, clk clock.Clock) *Tokens {
	return &Tokens{identity: who, journal: j, db: db, clock: clk}
}

// issueToken makes a token of the calling user, or of a service of the company.
func (s *Tokens) issueToken(ctx context.Context, n identity.NewToken, ofService bool) (token identity.Token, secret string, err error) {
	who := journal.Caller(ctx)
	n.Company = who.Company
	switch {
	case ofService:
	case who.User == uuid.Nil:
		return token, "", authority.ErrUserNeeded.WithMessage("A service token can only create service tokens: send service as true.")
	default:
		n.User = who.User
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if token, secret, err = s.identity.IssueToken(ctx, n); err != nil {
			return err
		}
		if err := s.mayOutlive(ctx, token); err != nil {
			return err
		}
		if err := authority.MayGrant(who, token.Scopes); err != nil {
			return err
		}

		return s.journal.Record(ctx, "token_created", journal.Token, token.ID, journal.Diff{}.
			Set("name", nil, token.Name).Set("prefix", nil, token.Prefix).Set("scopes", nil, token.Scopes).
			Set("expires_at", nil, token.ExpiresAt).Set("user_uuid", nil, n.User))
	})

	return token, secret, err
}

// mayOutlive refuses a token that ends later than the one that makes it: else a token that was given for a
// day would be good for ever. A person who has just logged in may make it all the same.
func (s *Tokens) mayOutlive(ctx context.Context, made identity.Token) error {
	who := journal.Caller(ctx)
	if who.Token == uuid.Nil {
		return nil
	}
	maker, err := s.identity.Token(ctx, who.Token)
	if err != nil {
		return err
	}
	ends, fresh := maker.ExpiresAt, maker.Login && s.clock.Now().Sub(maker.CreatedAt) <= freshLogin
	if ends == nil || fresh || made.ExpiresAt != nil && !made.ExpiresAt.After(*ends) {
		return nil
	}

	return errOutlives.WithField("expires_at", fmt.Sprintf(
		"The token of the request expires at %s and cannot create one that lasts longer. Send an earlier expires_at, or log in again and create it within %d minutes.",
		ends.Format(time.RFC3339), int(freshLogin.Minutes())))
}

// mayRevoke refuses to end a token that allows more than the caller may do. Everybody may end their own.
func (s *Tokens) mayRevoke(ctx context.Context, token identity.Token) error {
	who := journal.Caller(ctx)
	if token.ID == who.Token || token.User != uuid.Nil && token.User == who.User {
		return nil
	}
	scopes, err := s.identity.TokenScopes(ctx, token)
	if err != nil {
		return err
	}

	return authority.MayGrant(who, scopes)
}

// revokeToken ends a token of the company; doing it again changes nothing.
func (s *Tokens) revokeToken(ctx context.Context, id uuid.UUID) (token identity.Token, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		before, err := s.identity.Token(ctx, id)
		if err != nil {
			return err
		}
		if token = before; before.RevokedAt != nil {
			return nil
		}
		if err := s.mayRevoke(ctx, before); err != nil {
			return err
		}
		if err := s.identity.RevokeToken(ctx, id); err != nil {
			return err
		}
		if token, err = s.identity.Token(ctx, id); err != nil {
			return err
		}

		return s.journal.Record(ctx, "token_revoked", journal.Token, id, journal.Diff{}.Set("revoked_at", before.RevokedAt, token.RevokedAt))
	})

	return token, err
}
