package vendortest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Serve starts a vendor for the length of a test. The network reaches it, and never stops trying.
func Serve(t testing.TB, vendor http.Handler) (network *outbound.Network, url string) {
	t.Helper()
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	settings := outbound.Defaults()
	settings.AllowHTTP, settings.AllowNetworks, settings.BreakerFailures = true, []string{"127.0.0.0/8"}, 0
	network, err := outbound.New(settings, clock.System{})
	require.NoError(t, err)

	return network, server.URL
}
