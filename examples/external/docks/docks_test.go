package docks_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"

	"example.com/yardline/docks"
)

const doors = "/docks/api/v1/doors"

func TestMain(m *testing.M) { moduletest.Main(m, docks.Module) }

func modules() []module.Module { return []module.Module{docks.Module} }

// What every resource does is certified. Tests are of what the area decides.
func TestCreate_NamesTheOneThatHasTheName(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, doors, `{"name": " First "}`).OK(t)
		require.Equal(t, "First", made.Get("name").String())
		refused := a.Call(t, a.Owner.Token, http.MethodPost, doors, `{"name": "First"}`).
			Refused(t, http.StatusConflict, "docks.door_taken")
		require.Equal(t, made.Get("uuid").String(), refused.Get("details.uuid").String())
		require.Equal(t, []string{"docks.door.created"}, a.Audited(t, a.Owner))
		require.Empty(t, a.EventNames(t, a.Owner)) // name them here, once creating publishes some
	})
}

//nolint:paralleltest // certification counts goroutines first
func TestModule_KeepsWhatEveryAreaPromises(t *testing.T) {
	moduletest.Certify(t, docks.Module.ID(), modules()...)
}
