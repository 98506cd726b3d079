package feature_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// stopped is a replica whose clock stands still, so that nothing that it keeps grows old.
func stopped(t *testing.T, url string) (*moduletest.App, *clock.Fake) {
	t.Helper()
	still := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	a := moduletest.Boot(t, url, newParts().areas(), moduletest.Set("roles=api", "modules.tolls.enabled=false"),
		moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return still })))

	return a, still
}

func statusOf(t *testing.T, a *moduletest.App, token string) int {
	t.Helper()

	return a.Call(t, token, http.MethodGet, statusPath, nil).Status
}

func TestChange_IsFollowedByTheOtherReplicas(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		here, _ := stopped(t, url)
		there := here // on SQLite there is one process
		if strings.HasPrefix(url, "postgres") {
			there, _ = stopped(t, url)
		}
		company := here.NewCompany(t)
		for _, want := range []int{http.StatusOK, http.StatusForbidden, http.StatusOK} {
			setAreas(t, here, company.ID, map[string]bool{"guard": want == http.StatusOK})
			require.Equal(t, want, statusOf(t, here, company.Token), "the one that changes it knows at once")
			require.Eventually(t, func() bool { return statusOf(t, there, company.Token) == want }, patience, 5*time.Millisecond)
		}
	})
}

func TestChange_IsFollowedWithinFiveSecondsThoughNobodyWasTold(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		a, now := stopped(t, url)
		company := a.NewCompany(t)
		require.Equal(t, http.StatusOK, statusOf(t, a, company.Token))
		require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
			return a.DB.Raw(ctx, "a change without a broadcast").Exec(
				"INSERT INTO features_areas (company_id, area, enabled, changed_at, changed_by_kind) VALUES (?, 'guard', ?, ?, 'system')",
				company.ID, false, now.Now()).Error
		}))
		now.Advance(5*time.Second - time.Microsecond)
		require.Equal(t, http.StatusOK, statusOf(t, a, company.Token), "it is kept")
		now.Advance(time.Microsecond)
		require.Equal(t, http.StatusForbidden, statusOf(t, a, company.Token))
	})
}
