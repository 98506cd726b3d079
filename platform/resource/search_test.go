package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

// found are the names of the rows that a query of a list finds.
func found(t *testing.T, a *moduletest.App, token, path, q, more string) string {
	t.Helper()

	return a.Call(t, token, http.MethodGet, path+"?q="+url.QueryEscape(q)+more, nil).OK(t).Get("data.#.name").Raw
}

func TestSearch_FollowsTheRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		token := a.Owner.Token
		at := a.Call(t, token, http.MethodPost, gates, object{"name": "Côte 50%_x", "phone": "(202) 555-0143", "code": "98765"}).OK(t).Header.Get("Location")
		a.Call(t, token, http.MethodPost, gates, object{"name": "Other"}).OK(t)
		for _, q := range []string{"cote", "ÔTE", "%_x", "ot 50", "5550143", "555-0143 côte"} {
			require.Equal(t, `["Côte 50%_x"]`, found(t, a, token, gates, q, "&filter[lanes]=2"), q)
		}
		require.Equal(t, `["Côte 50%_x","Other"]`, found(t, a, token, gates, "ot", ""))
		for _, q := range []string{"98765", "cote other", "c_te", "50%x", "entry"} {
			require.Equal(t, "[]", found(t, a, token, gates, q, ""), q)
		}
		require.Equal(t, "[]", found(t, a, a.NewCompany(t).Token, gates, "cote", ""))

		a.Call(t, token, http.MethodPatch, at, object{"name": "Quai"}).OK(t)
		require.Equal(t, "[]", found(t, a, token, gates, "cote", ""), "its former name")
		require.Equal(t, `["Quai"]`, found(t, a, token, gates, "QUAI", ""))
		a.Call(t, token, http.MethodDelete, at, nil).OK(t)
		require.Equal(t, "[]", found(t, a, token, gates, "quai", ""))
		require.Equal(t, `["Quai"]`, found(t, a, token, gates, "quai", "&deleted=true"))
		a.Call(t, token, http.MethodPost, at+"/restore", nil).OK(t)
		require.Equal(t, `["Quai"]`, found(t, a, token, gates, "quai", ""))
		require.Equal(t, "[]", found(t, a, token, gates, "quai", "&deleted=true"))
		a.Call(t, token, http.MethodGet, gates+"?q=%CC%81", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}

// surveyRoutes insert gates as the area has decided about them.
func surveyRoutes(r *web.Router, s *surveyor) {
	web.Register(r, web.Operation{Method: http.MethodPost, Path: "/survey", ID: "survey", Access: web.Write, Summary: "Insert gates", Errors: s.gates.WriteErrors()},
		func(ctx context.Context, _ *struct{}) (*struct{}, error) {
			code := "98765"

			return nil, s.gates.Insert(ctx, []gate{{Name: "Côte", Kind: "exit", Lanes: 3, Code: &code, State: "open"}, {Name: "Quai", Kind: "entry", State: "open"}})
		})
}

func TestInsert_StoresRowsThatAreFound(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, yard(tables(), web.Routes(surveyRoutes)), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodPost, "/yard/api/v1/survey", nil).OK(t)
		require.Equal(t, `["Côte"]`, found(t, a, a.Owner.Token, gates, "cote", ""))
		require.Equal(t, `["Côte","Quai"]`, a.Call(t, a.Owner.Token, http.MethodGet, gates, nil).OK(t).Get("data.#.name").Raw)
		row := a.Call(t, a.Owner.Token, http.MethodGet, gates+"?filter[name]=C%C3%B4te", nil).OK(t)
		require.Equal(t, "[1,3]", "["+row.Get("data.0.version").Raw+","+row.Get("data.0.lanes").Raw+"]")
		require.Equal(t, "98765", row.Get("data.0.code").String())
		require.NotEmpty(t, row.Get("data.0.created_by").String())
		require.Equal(t, []string{"yard_survey"}, a.Audited(t, a.Owner), "the area leaves entries and events")
		require.Equal(t, "[]", a.Call(t, a.NewCompany(t).Token, http.MethodGet, gates, nil).OK(t).Get("data").Raw)
	})
}

func TestSearch_FindsWhatThousandsOfRowsHave(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		fillDocks(t, a, 1_200)
		require.Equal(t, "[]", found(t, a, a.Owner.Token, docks, "dock", ""), "they were not written by the service")

		reindexDocks(t, a)
		require.Equal(t, `["Dock 0777"]`, found(t, a, a.Owner.Token, docks, "0777", ""))
		all := a.Call(t, a.Owner.Token, http.MethodGet, docks+"?q=do+k&per_page=2&sort=-name&count=exact", nil).OK(t)
		require.Equal(t, `["Dock 1199","Dock 1198"]`, all.Get("data.#.name").Raw)
		require.Equal(t, int64(1_200), all.Get("meta.total").Int())
		next := a.Call(t, a.Owner.Token, http.MethodGet, docks+"?q=do+k&per_page=2&sort=-name&count=exact&cursor="+all.Get("meta.next_cursor").String(), nil).OK(t)
		require.Equal(t, `["Dock 1197","Dock 1196"]`, next.Get("data.#.name").Raw)
		require.Equal(t, `["Dock 0001"]`, found(t, a, a.Owner.Token, docks, "dock", "&filter[name]=Dock+0001"))
		require.Equal(t, "[]", found(t, a, a.NewCompany(t).Token, docks, "dock", ""))
	})
}

func TestSearch_FindsRowsByWhatTheyRefer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		fillDocks(t, a, 1_200)
		reindexDocks(t, a)
		dock := func(name string) string {
			return a.Call(t, a.Owner.Token, http.MethodGet, docks+"?filter[name]="+name, nil).OK(t).Get("data.0.uuid").String()
		}
		for name, at := range map[string]string{"North": "Dock+0777", "Dock side": "Dock+0001", "South": "Dock+0002"} {
			a.Call(t, a.Owner.Token, http.MethodPost, gates, map[string]any{"name": name, "dock_uuid": dock(at)}).OK(t)
		}
		a.Call(t, a.Owner.Token, http.MethodPost, gates, map[string]any{"name": "West"}).OK(t)
		require.Equal(t, `["North"]`, found(t, a, a.Owner.Token, gates, "0777", ""))
		require.Equal(t, `["Dock side","North","South"]`, found(t, a, a.Owner.Token, gates, "dock", ""), "of too many to be a set")
		require.Equal(t, `["South"]`, found(t, a, a.Owner.Token, gates, "dock", "&filter[name]=South"))
		require.Equal(t, "[]", found(t, a, a.NewCompany(t).Token, gates, "dock", ""))
	})
}

// fillDocks stores docks without the service.
func fillDocks(t *testing.T, a *moduletest.App, n int) {
	t.Helper()
	now := clock.System{}.Now()
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{a.Owner.ID, database.NewID(), int64(1), now, now, fmt.Sprintf("Dock %04d", i)}
		}
		insert := database.NewRows("INSERT INTO yard_docks (company_id, id, version, created_at, updated_at, name)",
			database.PlainValues("uuid", "uuid", "bigint", "timestamptz", "timestamptz", "text"), "")

		return a.DB.PipelineRows(ctx, "test", insert, rows, nil)
	}))
}

// reindexDocks makes the docks rows whose searched fields have changed, starts the resources again, and waits for the job.
func reindexDocks(t *testing.T, a *moduletest.App) {
	t.Helper()
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
		return a.DB.Raw(ctx, "test").Exec("UPDATE resource_search_states SET fields = 'others' WHERE item_type = 'yard.dock'").Error
	}))
	require.NoError(t, a.Resources.Start(t.Context()))
	a.Eventually(t, func() bool {
		var complete bool
		err := a.DB.Raw(t.Context(), "test").Raw("SELECT complete FROM resource_search_states WHERE item_type = 'yard.dock'").Scan(&complete).Error

		return err == nil && complete
	}, "the docks are in the index")
}

func TestReindex_GoesOnWhereItWasStopped(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		fillDocks(t, a, 300)
		exec := func(statement string, args ...any) {
			require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error { return a.DB.Raw(ctx, "test").Exec(statement, args...).Error }))
		}
		var ids []uuid.UUID
		require.NoError(t, a.DB.Raw(t.Context(), "test").Raw("SELECT id FROM yard_docks ORDER BY id").Scan(&ids).Error)
		exec("UPDATE resource_search_states SET complete = ?, after_company = ?, after_id = ? WHERE item_type = 'yard.dock'", false, a.Owner.ID, ids[99])
		require.NoError(t, a.Resources.Reindex(t.Context(), "yard.dock"))
		total := a.Call(t, a.Owner.Token, http.MethodGet, docks+"?q=dock&count=exact", nil).OK(t).Get("meta.total").Int()
		require.Equal(t, int64(200), total, "those behind the place")
		require.NoError(t, a.Resources.Reindex(t.Context(), "yard.dock"), "nothing is left to do")
		require.NoError(t, a.Resources.Reindex(t.Context(), "yard.gone"))
	})
}
