package identity

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestNarrowed_IsWhatBothAllow(t *testing.T) {
	t.Parallel()
	tests := []struct{ token, role, want []string }{
		{[]string{"*"}, []string{"*"}, []string{"*"}},
		{[]string{"*"}, []string{"*:read"}, []string{"*:read"}},
		{[]string{"*:*"}, []string{"*"}, []string{"*"}},
		{[]string{"sms:*"}, []string{"*:read"}, []string{"sms:read"}},
		{[]string{"sms:*"}, []string{"sms:send", "loads:read"}, []string{"sms:send"}},
		{[]string{"sms:read", "loads:write"}, []string{"*:read", "loads:*"}, []string{"loads:write", "sms:read"}},
		{[]string{"sms:write"}, []string{"*:read"}, []string{}},
		{[]string{"*:read"}, []string{"*:write"}, []string{}},
		{[]string{"sms:read"}, nil, []string{}},
		{nil, []string{"*"}, []string{}},
	}
	for _, test := range tests {
		require.Equalf(t, test.want, IntersectScopes(test.token, test.role), "%v and %v", test.token, test.role)
	}
}

func TestNarrowed_AllowsExactlyWhatEachAllows(t *testing.T) {
	t.Parallel()
	half := rapid.SampledFrom([]string{"*", "a", "b", "c"})
	scopes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return half.Draw(t, "area") + ":" + half.Draw(t, "action")
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := scopes.Draw(t, "a"), scopes.Draw(t, "b")
		both := principal.Principal{Scopes: IntersectScopes(a, b)}
		for _, ask := range []string{"a:a", "a:b", "a:c", "b:a", "b:b", "c:c", "d:d", "a:d", "d:a"} {
			want := allows(a, ask) && allows(b, ask)
			require.Equalf(t, want, both.Allows(ask), "%v and %v asked for %s", a, b, ask)
		}
	})
}

// allows is principal.Allows for scopes that may say "*:*".
func allows(scopes []string, ask string) bool {
	p := principal.Principal{Scopes: scopes}

	return p.Allows(ask) || p.Allows("*:*")
}

func TestScopeSyntax(t *testing.T) {
	t.Parallel()
	for scope, valid := range map[string]bool{
		"*": true, "sms:read": true, "custom_modules:*": true, "*:read": true, "*:*": true, "a1:b2": true,
		"": false, "sms": false, "sms:": false, ":read": false, "SMS:read": false, "sms:read:x": false,
		"sms:read write": false, "1a:read": false, "sms:**": false, "sms: read": false,
	} {
		require.Equalf(t, valid, scopeSyntax.MatchString(scope), "%q", scope)
	}
}

func TestRoles_AreWhatAreasGrantThem(t *testing.T) {
	t.Parallel()
	roles, err := NewRoles(
		module.New("loads", "Loads", Grants(Dispatcher, "write", "send")),
		module.New("billing", "Billing", Grants(Admin, "*"), Grants(Accountant, "write")),
	)
	require.NoError(t, err)
	require.Equal(t, Roles{
		Owner:      {"*"},
		Admin:      {"*:read", "*:write", "billing:*"},
		Dispatcher: {"*:read", "loads:send", "loads:write"},
		Accountant: {"*:read", "billing:write"},
		Viewer:     {"*:read"},
	}, roles)
	for _, scope := range slices.Concat(slices.Collect(maps.Values(roles))...) {
		require.Regexp(t, scopeSyntax, scope)
	}
}

func TestRoles_AreGrantedOnlyIfTheyAreBuiltIn(t *testing.T) {
	t.Parallel()
	_, err := NewRoles(module.New("loads", "Loads", Grants("driver", "write")))
	require.EqualError(t, err, `area "loads" grants write to the role "driver": the built-in roles are accountant, admin, dispatcher, owner, viewer`)
}
