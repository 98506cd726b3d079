package companies

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
)

// issueToken makes a token of the calling user, or of a service of the company.
func (s *service) issueToken(ctx context.Context, n identity.NewToken, ofService bool) (token identity.Token, secret string, err error) {
	who := caller(ctx)
	n.Company = who.Company
	switch {
	case ofService:
	case who.User == uuid.Nil:
		return token, "", errUserNeeded.WithMessage("The token is one of a service, so it can make tokens of services alone: send service as true.")
	default:
		n.User = who.User
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if token, secret, err = s.identity.IssueToken(ctx, n); err != nil {
			return err
		}
		if err := mayGrant(who, token.Scopes); err != nil {
			return err
		}

		return s.journal.note(ctx, "token_created", tokenItem, token.ID, diff{}.
			set("name", nil, token.Name).set("prefix", nil, token.Prefix).set("scopes", nil, token.Scopes).
			set("expires_at", nil, token.ExpiresAt).set("user_uuid", nil, n.User))
	})

	return token, secret, err
}

// revokeToken ends a token of the company; doing it again changes nothing.
func (s *service) revokeToken(ctx context.Context, id uuid.UUID) (token identity.Token, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		before, err := s.identity.Token(ctx, id)
		if err != nil {
			return err
		}
		if token = before; before.RevokedAt != nil {
			return nil
		}
		if err := s.identity.RevokeToken(ctx, id); err != nil {
			return err
		}
		if token, err = s.identity.Token(ctx, id); err != nil {
			return err
		}

		return s.journal.note(ctx, "token_revoked", tokenItem, id, diff{}.set("revoked_at", before.RevokedAt, token.RevokedAt))
	})

	return token, err
}
