package vehicles_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestVIN_SaysThatItsDataCannotBeRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "vpic.data")
	require.NoError(t, os.WriteFile(file, []byte("no vehicle data"), 0o600))
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for _, path := range []string{"/vin/" + vin, "/makes", "/models?make=Honda"} {
			a.Call(t, a.Owner.Token, http.MethodGet, base+path, nil).Refused(t, http.StatusServiceUnavailable, "vehicles.data_unavailable")
		}
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/parse", object{"text": "2012 BMW X6"}).Refused(t, http.StatusServiceUnavailable, "vehicles.data_unavailable")
	}, moduletest.Set("modules.vehicles.data_file="+file))
}
