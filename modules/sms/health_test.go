package sms

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

func TestCheckAll_FindsARevokedCredentialBeforeAMessageDoes(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		s := p.accounts
		broken, err := s.Create(ctx, "Broken", "vendor", map[string]string{"revoked": "yes"})
		require.NoError(t, err)
		require.NoError(t, s.CheckAll(ctx, accounts.CheckAccounts{}))
		require.NoError(t, s.CheckOne(ctx, accounts.CheckAccount{Account: broken.ID}))
		row, err := p.vendors.Accounts.One(ctx, broken.ID)
		require.NoError(t, err)
		require.Equal(t, vendoraccount.Failing, row.Health)
		require.Equal(t, "auth", row.Problem)
		failing, err := p.vendors.Accounts.CountFailing(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(1), failing)
	})
}

func TestRefreshAll_TakesWhatHasChangedOfNumbersThatAreKnown(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.owned = []provider.Owned{
			{ID: "1", Number: p.from.Number, Kind: provider.Local, Features: provider.Features{SMS: true, MMS: true}, Registration: provider.Pending},
			{ID: "2", Number: "+12025550161", Kind: provider.Local},
		}
		require.NoError(t, p.importer.RefreshAll(ctx, numbers.RefreshNumbers{}))
		require.NoError(t, p.importer.ImportAll(ctx, numbers.ImportNumbers{Account: p.from.AccountID, Known: true}))
		row, err := p.store.Number(ctx, p.from.ID)
		require.NoError(t, err)
		require.Equal(t, provider.Pending, row.Registration)
		require.True(t, row.MMS)
		_, err = p.store.NumberByE164(ctx, p.from.AccountID, "+12025550161")
		require.ErrorIs(t, err, store.ErrNumber, "a number that nobody has imported")
	})
}
