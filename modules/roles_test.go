package modules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// What is to be the owner's alone is listed here, so that nothing is by having been forgotten.
func TestAdmin_HasTheScopesOfAllAreas(t *testing.T) {
	t.Parallel()
	ownersAlone := map[string]bool{}
	moduletest.BootEach(t, modules.All(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		admin := principal.Principal{Scopes: identity.BuiltInRoles()[identity.Admin]}
		for _, scope := range a.API.Scopes() {
			require.NotEqual(t, ownersAlone[scope.Name], admin.Allows(scope.Name), scope.Name)
		}
	})
}
