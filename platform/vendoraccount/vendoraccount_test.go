package vendoraccount_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// merchant is an area's row.
type merchant struct {
	vendoraccount.Account

	Shop, Kept string
}

// TableName implements GORM's naming.
func (merchant) TableName() string { return "merchants" }

type store = vendoraccount.Store[merchant, *merchant]

var (
	errNotFound = errs.New(errs.NotFound, "pay.not_found", "Not found.")
	errNone     = errs.New(errs.Conflict, "pay.none", "None.")
	errDisabled = errs.New(errs.Conflict, "pay.disabled", "Disabled.")
	errTaken    = errs.New(errs.Conflict, "pay.taken", "Taken.")
	errUsed     = errs.New(errs.Conflict, "pay.used", "Used.")
)

// each runs a test with a store on each database, in the name of a company. Its accounts have credentials that are not sealed.
func each(t *testing.T, test func(ctx context.Context, t *testing.T, s *store, add func(name string) (merchant, error))) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		id, moment, bytes := "uuid", "timestamptz", "bytea"
		if db.Dialect() == database.SQLite {
			id, moment, bytes = "text", "datetime", "blob"
		}
		for _, statement := range []string{
			"CREATE TABLE merchants (company_id " + id + " NOT NULL, id " + id + " NOT NULL, name text NOT NULL, provider text NOT NULL, credentials " + bytes +
				", is_default boolean NOT NULL, disabled_at " + moment + ", health text NOT NULL, problem text NOT NULL, checked_at " + moment +
				", version bigint NOT NULL, created_at " + moment + ", updated_at " + moment + ", shop text NOT NULL, kept text NOT NULL, " +
				"PRIMARY KEY (company_id, id), UNIQUE (company_id, name))",
			"CREATE UNIQUE INDEX merchants_default ON merchants (company_id) WHERE is_default",
		} {
			_, err := db.SQL().ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		s := vendoraccount.New[merchant](db, clock.System{}, nil, vendoraccount.Rules{
			NotFound: errNotFound, None: errNone, Disabled: errDisabled, Taken: errTaken, Used: errUsed, Own: []string{"shop"},
		})
		ctx := principal.With(t.Context(), principal.ForCompany(uuid.New()))
		test(ctx, t, s, func(name string) (merchant, error) {
			row := merchant{Account: s.NewAccount(name, "vendor"), Shop: "first", Kept: "first"}
			row.Credentials = []byte("one")

			return row, s.Create(ctx, &row, nil)
		})
	})
}

func anyVersion() web.IfMatch { return web.IfMatch{} }

func TestCreate_MakesOneDefaultOfManyFirstAccounts(t *testing.T) {
	t.Parallel()
	each(t, func(ctx context.Context, t *testing.T, s *store, add func(string) (merchant, error)) {
		t.Helper()
		var all sync.WaitGroup
		rows, failures := make([]merchant, 6), make([]error, 6)
		for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
			all.Go(func() { rows[i], failures[i] = add(name) })
		}
		all.Wait()
		require.NoError(t, errors.Join(failures...))
		preferred, err := s.Ready(ctx, uuid.Nil)
		require.NoError(t, err)
		defaults := 0
		for _, row := range rows {
			if row.IsDefault {
				defaults++
				require.Equal(t, preferred.ID, row.ID)
			}
		}
		require.Equal(t, 1, defaults)
		_, err = add("a")
		require.ErrorIs(t, err, errTaken)
	})
}

func TestNote_ForgetsATestOfOtherCredentials(t *testing.T) {
	t.Parallel()
	each(t, func(ctx context.Context, t *testing.T, s *store, add func(string) (merchant, error)) {
		t.Helper()
		tested, err := add("a")
		require.NoError(t, err)
		_, err = s.NoteProblem(ctx, tested, "auth", nil)
		require.NoError(t, err)
		row, err := s.One(ctx, tested.ID)
		require.NoError(t, err)
		require.Equal(t, []string{vendoraccount.Failing, "auth"}, []string{row.Health, row.Problem})
		require.Equal(t, tested.Version, row.Version, "what is found is no new version")

		_, err = s.Change(ctx, tested.ID, anyVersion(), func(_ context.Context, row *merchant) error {
			row.Credentials, row.Health, row.Problem = []byte("two"), vendoraccount.Unchecked, ""

			return nil
		})
		require.NoError(t, err)
		_, err = s.NoteProblem(ctx, tested, "auth", nil)
		require.NoError(t, err)
		row, err = s.One(ctx, tested.ID)
		require.NoError(t, err)
		require.Equal(t, vendoraccount.Unchecked, row.Health)
	})
}

func TestChange_StoresTheColumnsThatTheAreaNames(t *testing.T) {
	t.Parallel()
	each(t, func(ctx context.Context, t *testing.T, s *store, add func(string) (merchant, error)) {
		t.Helper()
		made, err := add("a")
		require.NoError(t, err)
		_, err = s.Change(ctx, made.ID, web.IfMatch{IfMatch: `"7"`}, func(context.Context, *merchant) error { return nil })
		require.Equal(t, errs.Stale, errs.KindOf(err))
		_, err = s.Change(ctx, made.ID, anyVersion(), func(_ context.Context, row *merchant) error {
			row.Shop, row.Kept = "second", "second"

			return nil
		})
		require.NoError(t, err)
		row, err := s.One(ctx, made.ID)
		require.NoError(t, err)
		require.Equal(t, []string{"second", "first"}, []string{row.Shop, row.Kept}, "the other column has a writer of its own")
		require.EqualValues(t, 2, row.Version)

		other := principal.With(ctx, principal.ForCompany(uuid.New()))
		_, err = s.One(other, made.ID)
		require.ErrorIs(t, err, errNotFound, "a row that embeds Account is its company's")
	})
}

func TestRemove_RefusesAnAccountThatIsUsed(t *testing.T) {
	t.Parallel()
	each(t, func(ctx context.Context, t *testing.T, s *store, add func(string) (merchant, error)) {
		t.Helper()
		made, err := add("a")
		require.NoError(t, err)
		is := true
		used := func(context.Context, uuid.UUID) (bool, error) { return is, nil }
		dropped := 0
		drop := func(context.Context, uuid.UUID) error { dropped++; return nil }
		require.ErrorIs(t, s.Remove(ctx, made.ID, anyVersion(), used, drop), errUsed)
		require.Zero(t, dropped)
		is = false
		require.NoError(t, s.Remove(ctx, made.ID, anyVersion(), used, drop))
		require.Equal(t, 1, dropped)
		_, err = s.Ready(ctx, uuid.Nil)
		require.ErrorIs(t, err, errNone)
	})
}

func TestEachUsed_PassesOverTheDisabledAndSomeVendors(t *testing.T) {
	t.Parallel()
	each(t, func(ctx context.Context, t *testing.T, s *store, add func(string) (merchant, error)) {
		t.Helper()
		first, err := add("a")
		require.NoError(t, err)
		second, err := add("b")
		require.NoError(t, err)
		_, err = s.Disable(ctx, first.ID, anyVersion(), true)
		require.NoError(t, err)
		_, err = s.Ready(ctx, first.ID)
		require.ErrorIs(t, err, errDisabled)
		var found []uuid.UUID
		note := func(_ context.Context, id uuid.UUID) error { found = append(found, id); return nil }
		require.NoError(t, s.EachUsed(ctx, note))
		require.NoError(t, s.EachUsed(ctx, note, "another"))
		require.NoError(t, s.EachUsed(ctx, note, "vendor"))
		require.Equal(t, []uuid.UUID{second.ID, second.ID}, found)
	})
}
