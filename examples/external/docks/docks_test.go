package docks_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"

	"example.com/yardline/docks"
)

func modules() []module.Module { return []module.Module{docks.Module} }

func TestCreate_StoresWhatALaterReadAnswers(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		made := a.Call(t, a.Owner.Token, http.MethodPost, "/docks/api/v1/doors", `{"name": " First "}`).OK(t)
		read := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location"), nil).OK(t)

		require.JSONEq(t, string(made.Body), string(read.Body))
		require.Equal(t, "First", read.Get("name").String())
		require.Equal(t, `"1"`, read.Header.Get("ETag"))
	})
}

func TestCreate_RefusesANameThatIsTooLong(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		body := map[string]any{"name": strings.Repeat("x", 6)}
		refused := a.Call(t, a.Owner.Token, http.MethodPost, "/docks/api/v1/doors", body).
			Refused(t, http.StatusUnprocessableEntity, "docks.invalid_door")

		require.Equal(t, "The name must have 1 to 5 characters.", refused.Get("errors.name.0").String())
	}, moduletest.Set("modules.docks.max_name=5"))
}

func TestList_ShowsOnlyTheCompanysOwn(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		a.Call(t, a.Owner.Token, http.MethodPost, "/docks/api/v1/doors", `{"name": "Ours"}`).OK(t)
		mine := a.Call(t, a.Owner.Token, http.MethodGet, "/docks/api/v1/doors", nil).OK(t)
		other := a.Call(t, a.NewCompany(t).Token, http.MethodGet, "/docks/api/v1/doors", nil).OK(t)

		require.Equal(t, "Ours", mine.Get("data.0.name").String())
		require.Zero(t, other.Get("data.#").Int())
	})
}

//nolint:paralleltest // certification counts goroutines
func TestModule_KeepsWhatEveryAreaPromises(t *testing.T) {
	moduletest.Certify(t, docks.Module.ID(), modules()...)
}
