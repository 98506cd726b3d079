package resource_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	remarks = "/yard/api/v1/remarks"
	// vault is a spot that is hidden from those without the scope yard:vaults.
	vault = "0190d0c0-0000-7000-8000-00000000aaaa"
)

func (*surveyor) spots(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		if id.String() == vault {
			found[id] = item.Description{Title: "Vault", Part: "vaults"}
		}
	}

	return found, nil
}

func (*surveyor) hidden(ctx context.Context) ([]string, error) {
	if who, _ := principal.From(ctx); who.Allows("yard:vaults") {
		return nil, nil
	}

	return []string{"vaults"}, nil
}

func TestItem_IsCheckedShownExpandedAndFiltered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		dock := call(http.MethodPost, docks, object{"name": "Dock 1"}).OK(t).Get("uuid").String()
		about := object{"type": "yard.dock", "uuid": dock}
		made := call(http.MethodPost, remarks, object{"words": "Wet floor", "about": about}).OK(t)
		require.JSONEq(t, `{"type": "yard.dock", "uuid": "`+dock+`"}`, made.Get("about").Raw)
		at := made.Header.Get("Location")
		require.Equal(t, "Dock 1", call(http.MethodGet, at+"?expand=about", nil).OK(t).Get("expanded.about.title").String())
		require.Equal(t, "null", call(http.MethodPost, remarks, object{"words": "Closed on Monday"}).OK(t).Get("about").Raw)

		for query, found := range map[string]string{
			"filter[about_type]=yard.dock": "Wet floor", "filter[about_uuid]=" + dock: "Wet floor", "filter[about_uuid][null]=true": "Closed on Monday",
		} {
			listed := call(http.MethodGet, remarks+"?expand=about&fields=words,about,expanded&"+query, nil).OK(t)
			require.Equal(t, int64(1), listed.Get("data.#").Int(), query)
			require.Equal(t, found, listed.Get("data.0.words").String(), query)
		}
		for field, wrong := range map[string]any{
			"about.type": object{"type": "yard.dok", "uuid": dock},
			"about.uuid": object{"type": "yard.dock", "uuid": a.Owner.ID},
			"about":      dock,
		} {
			refused := call(http.MethodPatch, at, object{"about": wrong})
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, field)
			require.NotEmpty(t, refused.Get("errors."+escaped(field)+".0").String(), "%s: %s", field, refused.Body)
		}
		call(http.MethodDelete, docks+"/"+dock, nil).OK(t)
		require.False(t, call(http.MethodGet, at+"?expand=about", nil).OK(t).Get("expanded.about.exists").Bool(), "the item may go")
		call(http.MethodPatch, at, object{"words": "Dry floor"}).OK(t)
		require.Equal(t, "null", call(http.MethodPatch, at, object{"about": nil}).OK(t).Get("about").Raw)
	})
}

func TestItem_HidesTheRowWithTheItem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		plain := a.Token(t, a.Owner, "yard:read", "yard:write")
		at := a.Call(t, a.Owner.Token, http.MethodPost, remarks, object{"words": "Gold", "about": object{"type": "yard.spot", "uuid": vault}}).
			OK(t).Header.Get("Location")
		require.Equal(t, int64(1), a.Call(t, a.Owner.Token, http.MethodGet, remarks+"?count=exact", nil).OK(t).Get("meta.total").Int())
		require.Zero(t, a.Call(t, plain, http.MethodGet, remarks+"?count=exact", nil).OK(t).Get("meta.total").Int())
		for method, path := range map[string]string{http.MethodGet: at, http.MethodPatch: at, http.MethodDelete: at, http.MethodPost: at + "/restore"} {
			var body any
			if method == http.MethodPatch {
				body = object{"words": "x"}
			}
			a.Call(t, plain, method, path, body).Refused(t, http.StatusNotFound, "yard.remark_not_found")
		}
		refused := a.Call(t, plain, http.MethodPost, remarks, object{"words": "GOLD"}).Refused(t, http.StatusConflict, "yard.remark_taken")
		require.NotContains(t, string(refused.Body), "Gold")
	})
}

func TestUniqueFolded_GoesWithoutCaseAndAccents(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodPost, remarks, object{"words": "Café"}).OK(t)
		refused := a.Call(t, a.Owner.Token, http.MethodPost, remarks, object{"words": "CAFE"}).Refused(t, http.StatusConflict, "yard.remark_taken")
		require.Equal(t, "The words is taken by Café.", refused.Get("errors.words.0").String())
	})
}
