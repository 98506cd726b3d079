package carriers_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/regulator"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	area    = "/carriers/api/v1"
	sandbox = "modules.carriers.regulator.adapter=sandbox"
)

func TestMain(m *testing.M) { moduletest.Main(m, carriers.Module, modules()...) }

func modules() []module.Module {
	return []module.Module{attachments.Module, carriers.Module, companies.Module, contacts.Module, regulator.Module}
}

const censusHead = "DOT_NUMBER,LEGAL_NAME,DBA_NAME,STATUS_CODE,PHY_STREET,PHY_CITY,PHY_STATE,PHY_ZIP,PHONE,EMAIL_ADDRESS,DOCKET1PREFIX,DOCKET1,CRGO_MOTOVEH,CARRIER_OPERATION\n"

// imported imports a set of the regulator.
func imported(t *testing.T, a *moduletest.App, set, content string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), set+".csv")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	var out bytes.Buffer
	require.NoError(t, a.Commands.Find("carriers", "regulator")(t.Context(), &out, []string{"--set=" + set, "--date=2026-11-20", "import", file}))
}

func TestRouterTest_ShowsTheSandbox(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
		require.True(t, got.Get("ok").Bool())
		require.Equal(t, "carriers", got.Get("area").String())
		require.Equal(t, "sandbox", got.Get("regulator.adapter").String())
		require.Equal(t, int64(200), got.Get("regulator.rows").Int())
	}, moduletest.Set(sandbox))
}
