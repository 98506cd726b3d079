package audit_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestEntries_ShowEveryWriteToItsCompanyAlone(t *testing.T) {
	t.Parallel()
	modules := []module.Module{audit.Module, custommodules.Module}
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		const modulesPath, entries = "/custom_modules/api/v1/modules", "/audit/api/v1/entries"
		owner, other := a.Owner.Token, a.NewCompany(t)
		made := a.Call(t, owner, http.MethodPost, modulesPath, map[string]any{"name": "Yards"}, "X-Request-ID", "first").OK(t)
		a.Call(t, owner, http.MethodPost, modulesPath, map[string]any{"name": "yards"}).
			Refused(t, http.StatusConflict, "custom_modules.module_name_taken")
		a.Call(t, owner, http.MethodPost, made.Header.Get("Location")+"/fields", map[string]any{"key": "city", "type": "text"}).OK(t)

		require.Equal(t, int64(2), a.Sealed(t, a.Owner))
		page := a.Call(t, owner, http.MethodGet, entries, nil).OK(t)
		require.Equal(t, int64(2), page.Get("data.#").Int(), string(page.Body))
		require.Equal(t, "custom_modules.field.created", page.Get("data.0.action").String())
		require.Equal(t, "custom_modules_create_field", page.Get("data.0.operation").String())
		require.Equal(t, "city", page.Get("data.0.changes.key.after").String())
		require.Equal(t, made.Get("uuid").String(), page.Get("data.1.item.uuid").String())
		require.Equal(t, "custom_modules_create_module", page.Get("data.1.operation").String())
		require.Equal(t, "first", page.Get("data.1.request_id").String())
		require.Equal(t, "127.0.0.1", page.Get("data.1.address").String())
		require.Equal(t, "user", page.Get("data.1.actor.kind").String())
		require.Equal(t, int64(1), page.Get("data.1.seq").Int())

		found := a.Call(t, owner, http.MethodGet, entries+"?filter[request_id]=first&filter[item_uuid]="+made.Get("uuid").String(), nil).OK(t)
		require.Equal(t, int64(1), found.Get("data.#").Int())
		theirs := a.Call(t, other.Token, http.MethodGet, entries, nil).OK(t)
		require.Zero(t, theirs.Get("data.#").Int())
	})
}
