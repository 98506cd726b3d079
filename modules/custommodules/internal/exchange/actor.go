package exchange

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var errActorGone = errs.New(errs.Forbidden, "custom_modules.import_actor",
	"Whoever started this may not write records any more. Somebody who may can go on with it.")

const (
	scopeWrite = "custom_modules:write"
)

// actorOf returns who is calling.
func actorOf(ctx context.Context) actor {
	p, _ := principal.From(ctx)

	return actor{Kind: p.Kind, User: p.User, Token: p.Token, Role: p.Role, Scopes: slices.Clone(p.Scopes)}
}

// acting returns a context in which who started an import is calling, with what he may still do: no more
// than his token allowed then, and no more than his role allows now. The error is errActorGone if that is
// not to write.
func (m *Importer) acting(ctx context.Context, a actor) (context.Context, error) {
	caller, _ := principal.From(ctx)
	p := principal.Principal{Kind: a.Kind, Company: caller.Company, User: a.User, Token: a.Token, Role: a.Role, Scopes: a.Scopes}
	switch {
	case a.Kind == principal.System:
	case a.User != uuid.Nil:
		role, scopes, err := m.presently(ctx, caller.Company, a.User)
		if err != nil {
			return nil, err
		}
		p.Role, p.Scopes = role, both(a.Scopes, scopes)
	default:
		token, err := m.people.Token(ctx, a.Token)
		if errs.KindOf(err) == errs.NotFound || err == nil && token.RevokedAt != nil {
			return nil, errActorGone
		}
		if err != nil {
			return nil, err
		}
	}
	if !p.Allows(scopeWrite) {
		return nil, errActorGone
	}

	return principal.With(ctx, p), nil
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

// both returns the scopes that matter to records and that two lists cover.
func both(then, now []string) []string {
	var scopes []string
	for _, scope := range []string{"custom_modules:read", scopeWrite, "custom_modules:sensitive"} {
		if identity.Covers(then, []string{scope}) && identity.Covers(now, []string{scope}) {
			scopes = append(scopes, scope)
		}
	}

	return scopes
}
