package exchange

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var errActorGone = errs.New(errs.Forbidden, "collection.import_actor",
	"Whoever started this may no longer write records. Somebody who may can go on with it.")

var errAccessEnded = errs.New(errs.Forbidden, "collection.import_actor",
	"The token that started this was revoked or has expired, or its user logged out. Anybody who may write records can continue it.")

// actorOf returns who is calling.
func actorOf(ctx context.Context) actor {
	p, _ := principal.From(ctx)

	return actor{Kind: p.Kind, User: p.User, Token: p.Token, Role: p.Role, Scopes: slices.Clone(p.Scopes)}
}

// acting returns a context in which who started an import is calling, with what he may still do: no more
// than his token allowed then, and no more than his role allows now. The error is errAccessEnded once the token
// would be refused, and errActorGone if the role does not allow to write.
func (m *Importer) acting(ctx context.Context, row *importRow) (context.Context, error) {
	a := row.Actor
	caller, _ := principal.From(ctx)
	p := principal.Principal{Kind: a.Kind, Company: caller.Company, User: a.User, Token: a.Token, Role: a.Role, Scopes: a.Scopes}
	if a.Kind != principal.System {
		if err := m.stillAdmitted(ctx, a.Token); err != nil {
			return nil, err
		}
	}
	if a.User != uuid.Nil {
		role, scopes, err := m.presently(ctx, caller.Company, a.User)
		if err != nil {
			return nil, err
		}
		p.Role, p.Scopes = role, identity.IntersectScopes(a.Scopes, scopes)
	}
	acting := principal.With(ctx, p)
	if _, err := m.collections.Open(acting, row.Collection, collection.Write); errors.Is(err, principal.ErrScopeMissing) {
		return nil, errActorGone
	}

	return acting, nil
}

// stillAdmitted returns errAccessEnded for a token that would let nobody in any more.
func (m *Importer) stillAdmitted(ctx context.Context, id uuid.UUID) error {
	token, err := m.people.Token(ctx, id)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return errAccessEnded
	case err != nil:
		return err
	case token.RevokedAt != nil, token.ExpiresAt != nil && !m.clock.Now().Before(*token.ExpiresAt):
		return errAccessEnded
	}

	return nil
}

// presently returns the role of a user, and its scopes.
func (m *Importer) presently(ctx context.Context, company, id uuid.UUID) (string, []string, error) {
	user, err := m.people.User(ctx, company, id)
	if errs.KindOf(err) == errs.NotFound || err == nil && user.DeactivatedAt != nil {
		return "", nil, errActorGone
	}
	if err != nil {
		return "", nil, err
	}
	scopes, err := m.people.RoleScopes(ctx, company, user.Role)

	return string(user.Role), scopes, err
}
