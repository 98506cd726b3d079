package sms

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
)

func TestCheckAll_FindsARevokedCredentialBeforeAMessageDoes(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		s := newAccounts(p.core)
		broken, err := s.create(ctx, "Broken", "vendor", map[string]string{"revoked": "yes"})
		require.NoError(t, err)
		require.NoError(t, s.checkAll(ctx, checking{}))
		require.NoError(t, s.checkOne(ctx, checkingOne{Account: broken.ID}))
		row, err := p.account(ctx, broken.ID)
		require.NoError(t, err)
		require.Equal(t, healthFailing, row.Health)
		require.Equal(t, "auth", row.Problem)
		failing, err := p.countFailing(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(1), failing)
	})
}
