package vpicapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpicapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// client is a client of a server that returns a body.
func client(tb testing.TB, status int, body string) *vpicapi.Client {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	tb.Cleanup(server.Close)
	s := outbound.Defaults()
	s.AllowHTTP, s.AllowNetworks, s.BreakerFailures, s.Retries = true, []string{"127.0.0.0/8"}, 0, 0
	network, err := outbound.New(s, clock.System{})
	require.NoError(tb, err)
	tb.Cleanup(network.Stop)
	c, err := vpicapi.New(network, server.URL)
	require.NoError(tb, err)

	return c
}

func TestDecode_ReadsWhatIsKnown(t *testing.T) {
	t.Parallel()
	c := client(t, http.StatusOK, `{"Count": 1, "Results": [{"VIN": "wdd24700*1j", "Make": " MERCEDES-BENZ ", "Model": "A-Class", "ModelYear": "2021",
		"Doors": "many", "DisplacementL": "NaN", "EngineCylinders": "-4", "Trim": "Not Applicable", "Series": "a\u0000b"}]}`)
	found, err := c.Decode(t.Context(), "WDD24700*1J")
	require.NoError(t, err)
	require.Equal(t, map[string]vpicapi.Facts{"WDD24700*1J": {Make: "MERCEDES-BENZ", Model: "A-Class", Year: 2021, Series: "ab"}}, found)
}

func TestDecode_FailsWithoutTheResultOfEachPattern(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{
		`{"Results": []}`:                       http.StatusOK,
		`{"Results": null}`:                     http.StatusOK,
		`{"Results": [{}]}`:                     http.StatusOK,
		`{"Results": [{"VIN": "1HGCM826*3A"}]}`: http.StatusOK,
		`<html>`:                                http.StatusOK,
		`{"Results": "x"}`:                      http.StatusOK,
		`Too many requests`:                     http.StatusTooManyRequests,
		`Blocked`:                               http.StatusForbidden,
	} {
		_, err := client(t, status, body).Decode(t.Context(), "WDD24700*1J")
		require.Error(t, err, body)
		require.NotContains(t, err.Error(), "127.0.0.1")
	}
}
