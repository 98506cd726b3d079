package principal_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestAllows_NothingThatNoScopeCovers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		have    []string
		ask     string
		allowed bool
	}{
		{nil, "sms:read", false},
		{[]string{"sms:read"}, "sms:read", true},
		{[]string{"sms:read"}, "sms:write", false},
		{[]string{"sms:write"}, "sms:read", false},
		{[]string{"sms:*"}, "sms:write", true},
		{[]string{"sms:*"}, "smss:write", false},
		{[]string{"*:read"}, "sms:read", true},
		{[]string{"*:read"}, "sms:write", false},
		{[]string{"*"}, "sms:write", true},
		{[]string{"loads:read", "sms:write"}, "sms:write", true},
		{[]string{"sms"}, "sms:read", false},
	}
	for _, test := range tests {
		got := principal.Principal{Scopes: test.have}.Allows(test.ask)
		require.Equalf(t, test.allowed, got, "%v asked for %s", test.have, test.ask)
	}
}

func TestFrom_IsNobodyUntilSomebodyCalls(t *testing.T) {
	t.Parallel()
	_, ok := principal.From(t.Context())
	require.False(t, ok)

	company := uuid.New()
	p, ok := principal.From(principal.With(t.Context(), principal.ForCompany(company)))
	require.True(t, ok)
	require.Equal(t, company, p.Company)
	require.Equal(t, principal.System, p.Kind)
	require.True(t, p.Allows("anything:at_all"))
}
