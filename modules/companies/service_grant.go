package companies

import (
	"context"
	"errors"
	"slices"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// mayGrant refuses what the caller may not do himself: nobody gives to others, or takes from them,
// more than he has. The operator stands above.
func mayGrant(who principal.Principal, scopes []string) error {
	if who.Kind == principal.Operator || who.Kind == principal.System {
		return nil
	}
	beyond := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
		return identity.Covers(who.Scopes, []string{scope})
	})
	if len(beyond) == 0 {
		return nil
	}

	return errGrant.WithDetail("scopes", beyond)
}

// mayGrantRole is mayGrant for what a role allows. A role that is no more allows nothing. Errors:
// companies.grant_exceeds.
func (s *service) mayGrantRole(ctx context.Context, role identity.Role) error {
	who := caller(ctx)
	scopes, err := s.identity.RoleScopes(ctx, who.Company, role)
	if err != nil {
		return err
	}

	return mayGrant(who, scopes)
}

// mayTouch refuses to let the caller change a user who may do more than he.
func (s *service) mayTouch(ctx context.Context, user identity.User) error {
	err := s.mayGrantRole(ctx, user.Role)
	if errors.Is(err, identity.ErrRoleUnknown) {
		return nil
	}

	return err
}
