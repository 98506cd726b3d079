package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// reason is an entry of a list, whose parts are not all there.
type reason struct {
	ID  string `json:"id"`
	Who string `json:"who,omitempty"`
}

type terms struct {
	Days    int64    `json:"days"`
	Reasons []reason `json:"reasons"`
}

func defaults() terms { return terms{Days: 14, Reasons: []reason{{"price", "customer"}}} }

// later are the terms of a later release.
type later struct {
	Days  int64  `json:"days"`
	Title string `json:"title"`
}

func each(t *testing.T, test func(t *testing.T, a *moduletest.App, store *settings.Store)) {
	t.Helper()
	moduletest.Each(t, []module.Module{module.New("shops", "Shops")}, func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var store *settings.Store
		a := boot(moduletest.With(fx.Populate(&store)))
		test(t, a, store)
	})
}

func TestSettings_AreTheDefaultsUntilSomebodyChangesThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, store *settings.Store) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		s := settings.Of(store, "shops", defaults)
		now, err := s.Read(ctx)
		require.NoError(t, err)
		require.Equal(t, settings.Versioned[terms]{Now: defaults()}, now)

		changed, err := s.Change(ctx, web.IfMatch{}, func(now *terms) error {
			now.Reasons = []reason{{ID: "late"}}

			return nil
		})
		require.NoError(t, err)
		require.EqualValues(t, 1, changed.Version)
		now, err = s.Read(ctx)
		require.NoError(t, err)
		require.Equal(t, terms{Days: 14, Reasons: []reason{{ID: "late"}}}, now.Now, "nothing of the default entry is left")
		require.Equal(t, []string{"shops.settings_changed"}, a.Audited(t, a.Owner))

		again, err := s.Change(ctx, web.IfMatch{}, func(*terms) error { return nil })
		require.NoError(t, err)
		require.EqualValues(t, 1, again.Version, "what changes nothing stores nothing")

		other, err := s.Read(principal.AsCompany(t.Context(), a.NewCompany(t).ID))
		require.NoError(t, err)
		require.Zero(t, other.Version)
	})
}

func TestSettings_HaveTheDefaultsOfALaterRelease(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, store *settings.Store) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		_, err := settings.Of(store, "shops", defaults).Change(ctx, web.IfMatch{}, func(now *terms) error {
			now.Days = 7

			return nil
		})
		require.NoError(t, err)
		now, err := settings.Of(store, "shops", func() later { return later{Days: 30, Title: "Shop"} }).Read(ctx)
		require.NoError(t, err)
		require.Equal(t, later{Days: 7, Title: "Shop"}, now.Now)
	})
}

var errNo = errs.New(errs.Conflict, "shops.no", "No.")

func TestChange_IsGivenUpAsAWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, store *settings.Store) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		s := settings.Of(store, "shops", defaults)
		_, err := s.Change(ctx, web.IfMatch{}, func(now *terms) error {
			now.Days = 1

			return errNo
		})
		require.ErrorIs(t, err, errNo)
		now, err := s.Read(ctx)
		require.NoError(t, err)
		require.Zero(t, now.Version)
		require.Empty(t, a.Audited(t, a.Owner))
	})
}
