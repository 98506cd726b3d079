package identity_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestAuthenticate_SaysWhoShowsTheToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		company := s.company(t)
		user := s.user(t, company.ID, identity.Viewer)
		token, secret := s.token(t, identity.NewToken{Company: company.ID, User: user.ID, Scopes: []string{"sms:*"}})
		who, err := s.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, principal.Principal{
			Kind: principal.User, Company: company.ID, User: user.ID, Token: token.ID, Role: "viewer", Scopes: []string{"sms:read"},
		}, who)

		token, secret = s.token(t, identity.NewToken{Company: company.ID, Scopes: []string{"sms:*"}})
		who, err = s.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, principal.Principal{
			Kind: principal.Service, Company: company.ID, Token: token.ID, Scopes: []string{"sms:*"},
		}, who)
	})
}

func TestAuthenticate_RefusesWithACodeOfItsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		soon := s.clock.Now().Add(time.Minute)
		refusals := map[string]func() string{
			"identity.token_missing":   func() string { return "" },
			"identity.token_malformed": func() string { return "dsp_nothing" },
			"identity.token_unknown": func() string {
				company := s.company(t)
				token, secret := s.token(t, identity.NewToken{Company: company.ID, Scopes: []string{"*"}})
				require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
					return s.db.Raw(ctx, "test").Exec(`DELETE FROM identity_tokens WHERE prefix = ?`, token.Prefix).Error
				}))

				return secret
			},
			"identity.token_revoked": func() string {
				token, secret := s.token(t, identity.NewToken{Company: s.company(t).ID, Scopes: []string{"*"}})
				require.NoError(t, s.RevokeToken(t.Context(), token.ID))

				return secret
			},
			"identity.token_expired": func() string {
				_, secret := s.token(t, identity.NewToken{Company: s.company(t).ID, Scopes: []string{"*"}, ExpiresAt: &soon})
				s.clock.Advance(time.Minute)

				return secret
			},
			"identity.user_deactivated": func() string {
				user := s.user(t, s.company(t).ID, identity.Admin)
				_, secret := s.token(t, identity.NewToken{Company: user.Company, User: user.ID, Scopes: []string{"*"}})
				require.NoError(t, s.DeactivateUser(t.Context(), user.Company, user.ID))

				return secret
			},
			"identity.company_suspended": func() string {
				company := s.company(t)
				_, secret := s.token(t, identity.NewToken{Company: company.ID, Scopes: []string{"*"}})
				require.NoError(t, s.SuspendCompany(t.Context(), company.ID))

				return secret
			},
		}
		for code, prepare := range refusals {
			secret := prepare()
			for range 2 { // from the database, then from the cache
				who, err := s.Authenticate(t.Context(), secret)
				requireCode(t, err, errs.Unauthenticated, code)
				require.Zero(t, who)
			}
		}
	})
}

func TestAuthenticate_NoticesAChangeAtOnceHereAndSoonWhereNobodyTells(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, url string) {
		t.Helper()
		other := newReplica(t, url)
		company := s.company(t)
		user := s.user(t, company.ID, identity.Admin)
		token, secret := s.token(t, identity.NewToken{Company: company.ID, User: user.ID, Scopes: []string{"*"}})
		changes := []struct {
			make, undo func(context.Context) error
			code       string
		}{
			{
				func(ctx context.Context) error { return s.SuspendCompany(ctx, company.ID) },
				func(ctx context.Context) error { return s.ResumeCompany(ctx, company.ID) }, "identity.company_suspended",
			},
			{
				func(ctx context.Context) error { return s.DeactivateUser(ctx, company.ID, user.ID) },
				func(ctx context.Context) error { return s.ReactivateUser(ctx, company.ID, user.ID) }, "identity.user_deactivated",
			},
			{func(ctx context.Context) error { return s.RevokeToken(ctx, token.ID) }, nil, "identity.token_revoked"},
		}
		for _, change := range changes {
			for _, r := range []replica{s, other} {
				_, err := r.Authenticate(t.Context(), secret)
				require.NoError(t, err)
			}
			for range 2 { // the second time changes nothing
				require.NoError(t, change.make(t.Context()))
			}
			_, err := s.Authenticate(t.Context(), secret)
			requireCode(t, err, errs.Unauthenticated, change.code)
			_, err = other.Authenticate(t.Context(), secret)
			require.NoError(t, err, "still in the other's cache")
			other.clock.Advance(5 * time.Second)
			_, err = other.Authenticate(t.Context(), secret)
			requireCode(t, err, errs.Unauthenticated, change.code)
			if change.undo != nil {
				require.NoError(t, change.undo(t.Context()))
				other.clock.Advance(5 * time.Second)
			}
		}
	})
}

func TestAuthenticate_ExpiryTakesEffectInTheCache(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		expires := s.clock.Now().Add(2 * time.Second)
		_, secret := s.token(t, identity.NewToken{Company: s.company(t).ID, Scopes: []string{"*"}, ExpiresAt: &expires})
		_, err := s.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		s.clock.Advance(2 * time.Second)
		_, err = s.Authenticate(t.Context(), secret)
		requireCode(t, err, errs.Unauthenticated, "identity.token_expired")
	})
}

func TestAuthenticate_SaysThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		_, known := s.token(t, identity.NewToken{Company: s.company(t).ID, Scopes: []string{"*"}})
		_, err := s.Authenticate(t.Context(), known)
		require.NoError(t, err)
		require.NoError(t, s.db.Stop(t.Context()))
		_, err = s.Authenticate(t.Context(), known)
		require.NoError(t, err, "from the cache")
		s.clock.Advance(5 * time.Second)
		_, err = s.Authenticate(t.Context(), known)
		require.Equal(t, errs.Unavailable, errs.KindOf(err))
		require.NoError(t, s.db.Start(t.Context()))
		_, err = s.Authenticate(t.Context(), known)
		require.NoError(t, err)
	})
}

func TestOperatorToken_StandsAboveCompaniesAndSeesInsideNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, url string) {
		t.Helper()
		company := s.company(t)
		token, secret, err := s.IssueOperatorToken(t.Context(), identity.NewToken{Name: "ops", Scopes: []string{"*"}})
		require.NoError(t, err)
		who, err := s.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, principal.Principal{Kind: principal.Operator, Token: token.ID, Scopes: []string{"*"}}, who)

		list, err := s.ListTokens(t.Context(), company.ID)
		require.NoError(t, err)
		require.Empty(t, list)
		_, _, err = s.IssueOperatorToken(t.Context(), identity.NewToken{Company: company.ID, Name: "ops", Scopes: []string{"*"}})
		requireCode(t, err, errs.Invalid, "identity.invalid")

		require.NoError(t, s.RevokeToken(principal.With(t.Context(), who), token.ID))
		require.NoError(t, s.RevokeToken(t.Context(), token.ID))
		_, err = newReplica(t, url).Authenticate(t.Context(), secret)
		requireCode(t, err, errs.Unauthenticated, "identity.token_revoked")
		requireCode(t, s.RevokeToken(t.Context(), uuid.New()), errs.NotFound, "identity.token_not_found")
	})
}

func TestRevokeToken_KeepsTheTimeOfTheFirstTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		company := s.company(t)
		token, _ := s.token(t, identity.NewToken{Company: company.ID, Scopes: []string{"*"}})
		first := s.clock.Now()
		require.NoError(t, s.RevokeToken(t.Context(), token.ID))
		s.clock.Advance(time.Hour)
		require.NoError(t, s.RevokeToken(t.Context(), token.ID))
		list, err := s.ListTokens(t.Context(), company.ID)
		require.NoError(t, err)
		require.Equal(t, first, *list[0].RevokedAt)
	})
}

//nolint:paralleltest // counts goroutines
func TestUse_IsRecordedLateAndLeavesNothingRunning(t *testing.T) {
	databasetest.Sequential(t, func(t *testing.T, url string) {
		s := newReplica(t, url)
		company := s.company(t)
		token, secret := s.token(t, identity.NewToken{Company: company.ID, Scopes: []string{"*"}})
		_, operators, err := s.IssueOperatorToken(t.Context(), identity.NewToken{Name: "ops", Scopes: []string{"*"}})
		require.NoError(t, err)
		before := goleak.IgnoreCurrent()
		for range 2 {
			s.clock.Advance(time.Hour)
			used := s.clock.Now()
			require.NoError(t, s.Start(t.Context()))
			for range 3 {
				for _, shown := range []string{secret, operators} {
					_, err := s.Authenticate(t.Context(), shown)
					require.NoError(t, err)
				}
				s.clock.Advance(10 * time.Second)
			}
			require.NoError(t, s.Stop(t.Context()))

			list, err := s.ListTokens(t.Context(), company.ID)
			require.NoError(t, err)
			require.Equal(t, token.ID, list[0].ID)
			require.Equal(t, used, *list[0].LastUsedAt)
			var recorded int
			require.NoError(t, s.db.Raw(t.Context(), "test").
				Raw(`SELECT count(*) FROM identity_operator_tokens WHERE last_used_at IS NOT NULL`).Row().Scan(&recorded))
			require.Equal(t, 1, recorded)
		}
		require.NoError(t, s.Stop(t.Context()), "stopping twice is fine")
		goleak.VerifyNone(t, before)
	})
}
