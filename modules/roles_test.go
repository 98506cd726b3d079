package modules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// What is to be the owner's alone is listed here, so that nothing is because a grant was forgotten.
func TestAdmin_HasTheScopesOfAllAreas(t *testing.T) {
	t.Parallel()
	ownersAlone := map[string]bool{}
	moduletest.BootEach(t, modules.All(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		admin := principal.Principal{Scopes: a.Identity.BuiltInRoles()[identity.Admin]}
		for _, scope := range a.API.Scopes() {
			require.NotEqual(t, ownersAlone[scope.Name], admin.Allows(scope.Name), scope.Name)
		}
	})
}

// What they can is asked of areas that others need, since any other area may be left out.
func TestRoles_MayDoTheirWorkAndNoMore(t *testing.T) {
	t.Parallel()
	roles, err := identity.NewRoles(modules.All()...)
	require.NoError(t, err)
	tests := []struct {
		role   identity.Role
		can    []string
		cannot []string
	}{
		{identity.Owner, []string{"companies:users", "anything:at_all"}, nil},
		{identity.Admin, []string{"companies:users", "drivers:write"}, []string{"anything:at_all"}},
		{identity.Dispatcher, []string{"drivers:write", "contacts:merge"}, []string{"catalog:write", "custom_modules:define", "companies:users"}},
		{identity.Accountant, []string{"contacts:write", "drivers:read"}, []string{"drivers:write", "sms:send", "companies:tokens"}},
		{identity.Viewer, []string{"drivers:read"}, []string{"drivers:write", "contacts:write"}},
	}
	require.Len(t, roles, len(tests))
	for _, test := range tests {
		p := principal.Principal{Scopes: roles[test.role]}
		for _, scope := range test.can {
			require.Truef(t, p.Allows(scope), "%s: %s", test.role, scope)
		}
		for _, scope := range test.cannot {
			require.Falsef(t, p.Allows(scope), "%s: %s", test.role, scope)
		}
	}
}
