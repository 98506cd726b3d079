package identity_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// replica is a service on a database, as one of several processes would have it.
type replica struct {
	*identity.Service

	db    *database.DB
	bus   *broadcast.Bus
	clock *clock.Fake
}

func newReplica(t *testing.T, url string) replica {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := databasetest.Open(t, url)
	sources, err := migrate.Sources(migrations.FS, nil)
	require.NoError(t, err)
	require.NoError(t, migrate.Up(t.Context(), db, sources, log))
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))

	bus := broadcast.New(db, log)
	roles, err := identity.NewRoles()
	require.NoError(t, err)

	return replica{Service: identity.New(db, bus, roles, clk, log), db: db, bus: bus, clock: clk}
}

// each runs the test on both databases.
func each(t *testing.T, test func(t *testing.T, s replica, url string)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		test(t, newReplica(t, url), url)
	})
}

func (r replica) company(t *testing.T) identity.Company {
	t.Helper()
	company, err := r.CreateCompany(t.Context(), identity.NewCompany{Name: "Roadrunner"})
	require.NoError(t, err)

	return company
}

func (r replica) user(t *testing.T, company uuid.UUID, role identity.Role) identity.User {
	t.Helper()
	user, err := r.CreateUser(t.Context(), identity.NewUser{Company: company, Name: "Anna", Email: uuid.NewString() + "@example.com", Role: role})
	require.NoError(t, err)

	return user
}

func (r replica) token(t *testing.T, n identity.NewToken) (identity.Token, string) {
	t.Helper()
	n.Name = "test"
	token, secret, err := r.IssueToken(t.Context(), n)
	require.NoError(t, err)

	return token, secret
}

func requireCode(t *testing.T, err error, kind errs.Kind, code string) {
	t.Helper()
	require.ErrorIs(t, err, errs.New(kind, code, ""))
	require.Equal(t, kind, errs.KindOf(err))
}

func TestCreateCompany_StoresItAndEndsBeingEmpty(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		empty, err := s.Empty(t.Context())
		require.NoError(t, err)
		require.True(t, empty)

		made, err := s.CreateCompany(t.Context(), identity.NewCompany{Name: " Roadrunner "})
		require.NoError(t, err)
		require.Equal(t, "Roadrunner", made.Name)
		given := uuid.MustParse("0190d0c0-0000-7000-8000-000000000001")
		_, err = s.CreateCompany(t.Context(), identity.NewCompany{ID: given, Name: "Given"})
		require.NoError(t, err)

		all, err := s.ListCompanies(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, given, all[0].ID)
		require.Equal(t, made, all[1])
		empty, err = s.Empty(t.Context())
		require.NoError(t, err)
		require.False(t, empty)

		_, err = s.CreateCompany(t.Context(), identity.NewCompany{ID: given, Name: "Again"})
		requireCode(t, err, errs.Conflict, "identity.company_exists")
		_, err = s.CreateCompany(t.Context(), identity.NewCompany{})
		requireCode(t, err, errs.Invalid, "identity.invalid")
	})
}

func TestCreateUser_EmailIsUniqueInItsCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		first, second := s.company(t), s.company(t)
		anna := identity.NewUser{Company: first.ID, Name: "Anna", Email: "Anna@Example.com", Role: identity.Dispatcher}
		made, err := s.CreateUser(t.Context(), anna)
		require.NoError(t, err)
		require.Equal(t, "anna@example.com", made.Email)
		found, err := s.User(t.Context(), first.ID, made.ID)
		require.NoError(t, err)
		require.Equal(t, made, found)

		anna.Email = "anna@EXAMPLE.com"
		_, err = s.CreateUser(t.Context(), anna)
		requireCode(t, err, errs.Invalid, "identity.email_taken")
		anna.Company = second.ID
		_, err = s.CreateUser(t.Context(), anna)
		require.NoError(t, err)

		_, err = s.User(t.Context(), second.ID, made.ID)
		requireCode(t, err, errs.NotFound, "identity.user_not_found")
		anna.Company = uuid.New()
		_, err = s.CreateUser(t.Context(), anna)
		requireCode(t, err, errs.NotFound, "identity.company_not_found")
		_, err = s.CreateUser(t.Context(), identity.NewUser{Company: first.ID})
		requireCode(t, err, errs.Invalid, "identity.invalid")
	})
}

func TestCallersOfACompany_ReachThatCompanyAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		own, other := s.company(t), s.company(t)
		ownToken, _ := s.token(t, identity.NewToken{Company: own.ID, Scopes: []string{"*"}})
		otherToken, _ := s.token(t, identity.NewToken{Company: other.ID, Scopes: []string{"*"}})
		otherUser := s.user(t, other.ID, identity.Owner)
		ctx := principal.With(t.Context(), principal.Principal{Kind: principal.User, Company: own.ID, Scopes: []string{"*"}})

		list, err := s.ListTokens(ctx, own.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		_, err = s.ListTokens(ctx, other.ID)
		requireCode(t, err, errs.NotFound, "identity.company_not_found")
		_, _, err = s.IssueToken(ctx, identity.NewToken{Company: other.ID, Name: "x", Scopes: []string{"*"}})
		requireCode(t, err, errs.NotFound, "identity.company_not_found")
		_, _, err = s.IssueToken(ctx, identity.NewToken{Company: own.ID, User: otherUser.ID, Name: "x", Scopes: []string{"*"}})
		requireCode(t, err, errs.NotFound, "identity.user_not_found")
		_, _, err = s.IssueOperatorToken(ctx, identity.NewToken{Name: "x", Scopes: []string{"*"}})
		requireCode(t, err, errs.NotFound, "identity.company_not_found")
		requireCode(t, s.RevokeToken(ctx, otherToken.ID), errs.NotFound, "identity.token_not_found")
		requireCode(t, s.SuspendCompany(ctx, other.ID), errs.NotFound, "identity.company_not_found")
		requireCode(t, s.DeactivateUser(ctx, other.ID, otherUser.ID), errs.NotFound, "identity.user_not_found")
		require.NoError(t, s.RevokeToken(ctx, ownToken.ID))
	})
}

func TestListTokens_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		company := s.company(t)
		user := s.user(t, company.ID, identity.Viewer)
		expires := s.clock.Now().Add(time.Hour)
		token, secret := s.token(t, identity.NewToken{
			Company: company.ID, User: user.ID, Scopes: []string{"*:read", "sms:write"}, ExpiresAt: &expires,
		})
		require.Equal(t, secret[:10], token.Prefix)

		list, err := s.ListTokens(t.Context(), company.ID)
		require.NoError(t, err)
		require.Equal(t, []identity.Token{token}, list)

		var hash []byte
		require.NoError(t, s.db.Raw(t.Context(), "test").Raw(`SELECT hash FROM identity_tokens`).Row().Scan(&hash))
		require.Len(t, hash, 32)
		_, err = s.ListTokens(t.Context(), uuid.New())
		requireCode(t, err, errs.NotFound, "identity.company_not_found")
	})
}

func TestIssueToken_TakesPartInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		var secret string
		err := s.db.InTx(t.Context(), func(ctx context.Context) error {
			company, err := s.CreateCompany(ctx, identity.NewCompany{Name: "Gone"})
			require.NoError(t, err)
			_, secret, err = s.IssueToken(ctx, identity.NewToken{Company: company.ID, Name: "x", Scopes: []string{"*"}})
			require.NoError(t, err)

			return context.Canceled
		})
		require.ErrorIs(t, err, context.Canceled)
		empty, err := s.Empty(t.Context())
		require.NoError(t, err)
		require.True(t, empty)
		_, err = s.Authenticate(t.Context(), secret)
		requireCode(t, err, errs.Unauthenticated, "identity.token_unknown")
	})
}
