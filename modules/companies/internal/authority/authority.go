// Package authority is what people may let others do.
package authority

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ErrExceeds refuses to give or take permissions that the caller does not have.
var ErrExceeds = errs.New(errs.Forbidden, "companies.grant_exceeds", "You cannot grant or revoke permissions that you do not have.")

// ErrUserNeeded refuses what programs ask for and only people can do.
var ErrUserNeeded = errs.New(errs.Forbidden, "companies.user_needed", "This requires a user's token, but the token belongs to a service.")

// MayGrant refuses what the caller may not do himself: nobody gives to others, or takes from them,
// more than he has. The operator stands above.
func MayGrant(who principal.Principal, scopes []string) error {
	if who.Kind == principal.Operator || who.Kind == principal.System {
		return nil
	}
	beyond := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
		return identity.Covers(who.Scopes, []string{scope})
	})
	if len(beyond) == 0 {
		return nil
	}

	return ErrExceeds.WithDetail("scopes", beyond)
}
