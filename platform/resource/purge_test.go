package resource_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// purging is an engine, and the clock that it goes by.
type purging struct {
	*resource.Engine

	at *clock.Fake
}

func TestPurge_RemovesWhatWasDeletedLongerAgoThanTheRetention(t *testing.T) {
	t.Parallel()
	var made sync.Map // by the database of the app
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		of, _ := made.Load(a.DB)
		engine := of.(purging)
		purged := func() int {
			removed, err := engine.Purge(t.Context())
			require.NoError(t, err)

			return removed
		}
		dock := a.Call(t, a.Owner.Token, http.MethodPost, docks, object{"name": "Dock"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPost, docks, object{"name": "Kept"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, dock, nil).OK(t)
		remark := a.Call(t, a.Owner.Token, http.MethodPost, remarks, object{"words": "Kept for good", "notes": " as it is\n"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, remark, nil).OK(t)
		require.Zero(t, purged(), "the retention is not over")
		engine.at.Advance(25 * time.Hour)
		require.Equal(t, 1, purged())
		a.Call(t, a.Owner.Token, http.MethodPost, dock+"/restore", nil).Refused(t, http.StatusNotFound, "yard.dock_not_found")
		var left []string
		require.NoError(t, a.DB.Raw(t.Context(), "test").Raw("SELECT shown FROM resource_search").Scan(&left).Error)
		require.ElementsMatch(t, []string{"Kept", "Kept for good"}, left, "nor is it found")
		require.Equal(t, int64(1), a.Call(t, a.Owner.Token, http.MethodGet, docks, nil).OK(t).Get("data.#").Int())
		kept := a.Call(t, a.Owner.Token, http.MethodPost, remark+"/restore", nil).OK(t)
		require.Equal(t, " as it is\n", kept.Get("notes").String(), "its rule is to keep what was deleted, and its text verbatim")
	}, moduletest.Set("resource.retention=24h"), moduletest.With(
		fx.Decorate(func(clock.Clock) clock.Clock { return clock.NewFake(clock.System{}.Now()) }),
		fx.Invoke(func(db *database.DB, e *resource.Engine, at clock.Clock) {
			made.Store(db, purging{e, at.(*clock.Fake)})
		}),
	))
}
