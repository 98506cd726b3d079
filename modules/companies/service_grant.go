package companies

import (
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
