package web

import (
	"cmp"
	"context"
	"slices"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ScopeInfo is a scope that tokens and roles can have.
type ScopeInfo struct {
	// Name is the whole name: "sms:read".
	Name string
	// Area is the id of its area, Action what follows the colon.
	Area, Action string
	// Operations are the ids of those that ask for it, in order.
	Operations []string
	// Summary says what a scope allows that no operation asks for by itself; else it is "".
	Summary string
}

// DeclareScope is the manifest line of a scope that the area looks for where no operation asks for it, such as
// one that shows more of what is read. The summary is a line for people.
func DeclareScope(action, summary string) fx.Option {
	return module.Contribute("scope", action, nil, func(at module.At) fx.Option {
		return module.Register(at, func(api, _ *API) error {
			if slices.ContainsFunc(api.declared, func(s ScopeInfo) bool { return s.Area == at.Prefix && s.Action == action }) {
				return nil // by another resource of the area
			}
			api.declared = append(api.declared, ScopeInfo{
				Name: at.Prefix + ":" + action, Area: at.Prefix, Action: action, Operations: []string{}, Summary: summary,
			})

			return nil
		})
	})
}

// RequireScope refuses a caller who lacks a scope beside that of the operation, with the code web.scope_missing, which every operation has.
// Subject is what requires it, the beginning of a sentence.
func RequireScope(ctx context.Context, scope, subject string) error {
	if who, _ := principal.From(ctx); who.Allows(scope) {
		return nil
	}

	return ScopeMissing(scope, subject)
}

// ScopeMissing is the failure of RequireScope.
func ScopeMissing(scope, subject string) error {
	return principal.ErrScopeMissing.WithMessage("%s requires the scope %s.", subject, scope).WithDetail("scope", scope)
}

// Scopes lists the scopes of the enabled areas by name. It is complete when all areas are mounted.
func (a *API) Scopes() []ScopeInfo {
	scopes := slices.Clone(a.declared)
	at := map[string]int{}
	for _, op := range a.Operations() {
		if op.Access == Public || op.Access == SignedIn {
			continue
		}
		name := string(op.Access)
		i, found := at[name]
		if !found {
			i = len(scopes)
			at[name] = i
			scopes = append(scopes, ScopeInfo{Name: name, Area: op.Prefix, Action: name[len(op.Prefix)+1:]})
		}
		scopes[i].Operations = append(scopes[i].Operations, op.ID)
	}
	slices.SortFunc(scopes, func(x, y ScopeInfo) int { return cmp.Compare(x.Name, y.Name) })

	return scopes
}
