package identity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// listening makes a replica that is told of what others change.
func listening(t *testing.T, url string) replica {
	t.Helper()
	r := newReplica(t, url)
	require.NoError(t, r.bus.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, r.bus.Stop(context.WithoutCancel(t.Context()))) })

	return r
}

// The clocks stand still, so nothing leaves a cache by its age.
func TestAuthenticate_NoticesAChangeOfAnotherReplica(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		if !strings.HasPrefix(url, "postgres") {
			return // on SQLite there is one process
		}
		one, two := listening(t, url), listening(t, url)
		company := one.company(t)
		user := one.user(t, company.ID, identity.Admin)
		token, secret := one.token(t, identity.NewToken{Company: company.ID, User: user.ID, Scopes: []string{"*"}})
		changes := []struct {
			make, undo func(context.Context) error
			code       string
		}{
			{
				func(ctx context.Context) error { return one.SuspendCompany(ctx, company.ID) },
				func(ctx context.Context) error { return one.ResumeCompany(ctx, company.ID) }, "identity.company_suspended",
			},
			{
				func(ctx context.Context) error { return one.DeactivateUser(ctx, company.ID, user.ID) },
				func(ctx context.Context) error { return one.ReactivateUser(ctx, company.ID, user.ID) }, "identity.user_deactivated",
			},
			{func(ctx context.Context) error { return one.RevokeToken(ctx, token.ID) }, nil, "identity.token_revoked"},
		}
		answers := func(want error) {
			require.Eventually(t, func() bool {
				_, err := two.Authenticate(t.Context(), secret)
				if want == nil {
					return err == nil
				}

				return err != nil && err.Error() == want.Error()
			}, time.Minute, time.Millisecond)
		}
		for _, change := range changes {
			answers(nil)
			require.NoError(t, change.make(t.Context()))
			_, refused := one.Authenticate(t.Context(), secret)
			requireCode(t, refused, errs.Unauthenticated, change.code)
			answers(refused)
			if change.undo != nil {
				require.NoError(t, change.undo(t.Context()))
			}
		}
	})
}

func TestRevokeToken_InATransactionTakesEffectWithItsCommit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		outside := t.Context()
		token, secret := s.token(t, identity.NewToken{Company: s.company(t).ID, Scopes: []string{"*"}})
		require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, s.RevokeToken(ctx, token.ID))
			_, err := s.Authenticate(outside, secret)
			require.NoError(t, err, "not committed, and now in the cache")

			return nil
		}))
		_, err := s.Authenticate(t.Context(), secret)
		requireCode(t, err, errs.Unauthenticated, "identity.token_revoked")
	})
}
