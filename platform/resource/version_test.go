package resource_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// kept are the parts of a service that keeps versions.
type kept struct {
	gates   *resource.Resource[gate]
	remarks *resource.Resource[remark]
	engine  *resource.Engine
	at      *clock.Fake
}

// eachKeeper runs a test on each database with a clock that the test sets.
func eachKeeper(t *testing.T, test func(t *testing.T, a *moduletest.App, k kept)) {
	t.Helper()
	var made sync.Map // by the database of the app
	modules := yard(tables(), fx.Invoke(func(db *database.DB, g *resource.Resource[gate], r *resource.Resource[remark], e *resource.Engine, at clock.Clock) {
		made.Store(db, kept{g, r, e, at.(*clock.Fake)})
	}))
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		k, _ := made.Load(a.DB)
		test(t, a, k.(kept))
	}, moduletest.Set("resource.versions=48h"), moduletest.With(
		fx.Decorate(func(clock.Clock) clock.Clock { return clock.NewFake(clock.System{}.Now()) }),
	))
}

func versionsKept(t *testing.T, a *moduletest.App) (n int64) {
	t.Helper()
	require.NoError(t, a.DB.Raw(t.Context(), "a count for the test").Raw("SELECT count(*) FROM resource_versions").Scan(&n).Error)

	return n
}

func TestVersion_IsTheRowAsItWasWithAllItsFields(t *testing.T) {
	t.Parallel()
	eachKeeper(t, func(t *testing.T, a *moduletest.App, k kept) {
		t.Helper()
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		dock := call(http.MethodPost, docks, object{"name": "Dock 1"}).OK(t)
		made := call(http.MethodPost, gates, object{
			"name": "North", "serial": "S-1", "lanes": 9, "kind": "exit", "code": "0042", "phone": "+1 415 555 2671", "tested": "2026-11-22",
			"dock_uuid": dock.Get("uuid").String(), "notices": []object{{"words": "Slow, \"please\" <b>"}},
		}).OK(t)
		at, id := made.Header.Get("Location"), uuid.MustParse(made.Get("uuid").String())
		require.Zero(t, versionsKept(t, a), "a row that was only created has no earlier version")
		first, err := k.gates.Find(ctx, id)
		require.NoError(t, err)

		call(http.MethodPatch, at, object{
			"name": "South", "lanes": 1, "kind": "entry", "code": nil, "phone": nil, "tested": nil, "notices": nil,
		}).OK(t)
		call(http.MethodPost, at+"/shut", nil).OK(t)
		call(http.MethodDelete, dock.Header.Get("Location"), nil).OK(t) // clears the reference
		call(http.MethodDelete, at, nil).OK(t)
		call(http.MethodPost, at+"/restore", nil).OK(t)
		now, err := k.gates.Find(ctx, id)
		require.NoError(t, err)
		require.Equal(t, int64(6), now.Version)

		was, err := k.gates.VersionAt(ctx, id, 1)
		require.NoError(t, err)
		require.JSONEq(t, encoded(t, first), encoded(t, was))
		require.Equal(t, first.Dock, was.Dock)
		for version, then := range map[int64]func(gate) bool{
			2: func(g gate) bool { return g.Name == "South" && g.State == "open" && g.Code == nil },
			3: func(g gate) bool { return g.State == "shut" && g.Dock != nil },
			4: func(g gate) bool { return g.Dock == nil && g.DeletedAt == nil },
			5: func(g gate) bool { return g.DeletedAt != nil },
			6: func(g gate) bool { return encoded(t, g) == encoded(t, now) },
		} {
			row, err := k.gates.VersionAt(ctx, id, version)
			require.NoError(t, err)
			require.Equal(t, version, row.Version)
			require.True(t, then(row), "version %d: %s", version, encoded(t, row))
		}
		for _, none := range []int64{-1, 0, 7} {
			_, err := k.gates.VersionAt(ctx, id, none)
			require.ErrorIs(t, err, history.ErrVersionNotFound)
		}
		theirs := principal.With(t.Context(), principal.ForCompany(a.NewCompany(t).ID))
		_, err = k.gates.VersionAt(theirs, id, 1)
		require.ErrorIs(t, err, k.gates.NotFound())
	})
}

func encoded(t *testing.T, row any) string {
	t.Helper()
	text, err := json.Marshal(row)
	require.NoError(t, err)

	return string(text)
}

func TestVersion_KeepsTheClassOfTheItemThatARowIsAbout(t *testing.T) {
	t.Parallel()
	eachKeeper(t, func(t *testing.T, a *moduletest.App, k kept) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, remarks, object{
			"words": "Locked", "about": object{"type": "yard.spot", "uuid": vault},
		}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, made.Header.Get("Location"), object{"about": nil}).OK(t)
		was, err := k.remarks.VersionAt(principal.With(t.Context(), principal.ForCompany(a.Owner.ID)), uuid.MustParse(made.Get("uuid").String()), 1)
		require.NoError(t, err)
		require.Equal(t, resource.Item{Type: "yard.spot", UUID: uuid.MustParse(vault), Part: "vaults"}, was.About)
	})
}

func TestVersion_OfAStructThatChangedHasWhatIsLeftOfIt(t *testing.T) {
	t.Parallel()
	row, err := resource.Reread[dock](`{"name": "Dock 1", "version": 3, "doors": 4, "created_at": "when it was built", "uuid": "` + vault + `"}`)
	require.NoError(t, err)
	require.Equal(t, []any{uuid.MustParse(vault), int64(3), "Dock 1"}, []any{row.ID, row.Version, row.Name})
	_, err = resource.Reread[dock](`{"name": `)
	require.Error(t, err)
}

func TestVersions_GoWithTheRowAndWhenTheyAreOld(t *testing.T) {
	t.Parallel()
	eachKeeper(t, func(t *testing.T, a *moduletest.App, k kept) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		purge := func() {
			_, err := k.engine.Purge(t.Context())
			require.NoError(t, err)
		}
		old := call(http.MethodPost, docks, object{"name": "Old"}).OK(t).Header.Get("Location")
		call(http.MethodPatch, old, object{"name": "Older"}).OK(t)
		k.at.Advance(47 * time.Hour)
		call(http.MethodPatch, old, object{"name": "Oldest"}).OK(t)
		purge()
		require.Equal(t, int64(2), versionsKept(t, a))
		k.at.Advance(2 * time.Hour)
		purge()
		require.Equal(t, int64(1), versionsKept(t, a), "the first is older than versions are kept")
		k.at.Advance(29 * 24 * time.Hour)
		purge()
		require.Zero(t, versionsKept(t, a))

		for range 2 {
			call(http.MethodDelete, old, nil).OK(t)
			call(http.MethodPost, old+"/restore", nil).OK(t)
		}
		call(http.MethodDelete, old, nil).OK(t)
		require.Equal(t, int64(5), versionsKept(t, a))
	})
}

func TestVersions_AreRemovedWithAPurgedRow(t *testing.T) {
	t.Parallel()
	eachKeeper(t, func(t *testing.T, a *moduletest.App, k kept) {
		t.Helper()
		gone := a.Call(t, a.Owner.Token, http.MethodPost, docks, object{"name": "Gone"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, gone, nil).OK(t)
		k.at.Advance(31 * 24 * time.Hour)
		stays := a.Call(t, a.Owner.Token, http.MethodPost, docks, object{"name": "Stays"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPatch, stays, object{"name": "Still there"}).OK(t)
		removed, err := k.engine.Purge(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, removed, 1, "its versions are not counted; the nightly purge may have been first")
		require.Equal(t, int64(1), versionsKept(t, a))
	})
}
