package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

func TestTraces_HoldUpNobodyWhileTheCollectorIsAway(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(hangs) })
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(refuses.Close)
	for name, url := range map[string]string{"hangs": slow.URL, "refuses": refuses.URL, "is not there": "http://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, out := jsonLogger()
			settings := telemetry.TraceDefaults()
			settings.Endpoint = url
			traces := telemetry.NewTraces(settings, "v1", log)
			metrics, err := telemetry.NewMetrics(telemetry.MetricsDefaults(), "v1")
			require.NoError(t, err)
			require.NoError(t, traces.Start(t.Context()))
			for range 3 {
				_, span := telemetry.NewObserver(traces, metrics).Tracer.Start(t.Context(), "x")
				span.End()
			}
			began := clock.System{}.Now()
			require.NoError(t, traces.Stop(context.WithoutCancel(t.Context())))
			require.Less(t, clock.System{}.Now().Sub(began), 2*waiting)
			require.Equal(t, 1, strings.Count(out.String(), "deliver"), "it says so once: %s", out)
		})
	}
}

func TestTraceParent_GoesOnWithWhatContinueRead(t *testing.T) {
	t.Parallel()
	require.Empty(t, telemetry.TraceParent(t.Context()))
	const parent = "00-" + callersTrace + "-" + callersSpan + "-00"
	require.Equal(t, parent, telemetry.TraceParent(telemetry.Continue(t.Context(), parent)))
	for _, wrong := range []string{"", "x", parent[1:], strings.Repeat("0", len(parent))} {
		require.Empty(t, telemetry.TraceParent(telemetry.Continue(t.Context(), wrong)), wrong)
	}
}

func TestTraceSettings_AreCheckedWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	change := func(change func(*telemetry.TraceSettings)) error {
		s := telemetry.TraceDefaults()
		change(&s)

		return s.Validate()
	}
	for _, right := range []string{"", "http://localhost:4318", "https://otlp.example.com/base/"} {
		require.NoError(t, change(func(s *telemetry.TraceSettings) { s.Endpoint = right }), right)
	}
	for _, wrong := range []string{"localhost:4318", "grpc://x", "http://", "http://user:hunter22@x", "http://x?key=hunter22", "http://x:hunter22"} {
		err := change(func(s *telemetry.TraceSettings) { s.Endpoint = wrong })
		require.ErrorContains(t, err, "endpoint: ", wrong)
		require.NotContains(t, err.Error(), "hunter22")
	}
	require.NoError(t, change(func(s *telemetry.TraceSettings) { s.Headers = "a=b=, c = d" }))
	require.NoError(t, change(func(s *telemetry.TraceSettings) { s.Headers = "file:/run/secrets/otlp" }))
	for _, wrong := range []string{"hunter22", "a=b,hunter22", "=hunter22"} {
		require.EqualError(t, change(func(s *telemetry.TraceSettings) { s.Headers = config.Secret(wrong) }), "headers: want name=value, with commas between them")
	}
	require.Error(t, change(func(s *telemetry.TraceSettings) { s.Sample = 1.1 }))
	require.Error(t, change(func(s *telemetry.TraceSettings) { s.Service = "" }))
	require.NoError(t, telemetry.MetricsSettings{Address: ":9464"}.Validate())
	require.Error(t, telemetry.MetricsSettings{Address: "9464"}.Validate())
}
