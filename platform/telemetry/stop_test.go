package telemetry_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// It counts goroutines, so it is not parallel.
func TestStop_LeavesNoGoroutine(t *testing.T) { //nolint:paralleltest // see above
	before := goleak.IgnoreCurrent()
	log := slog.New(slog.DiscardHandler)
	settings := telemetry.MetricsSettings{Address: "127.0.0.1:0"}
	metrics, err := telemetry.NewMetrics(settings, "v1")
	require.NoError(t, err)
	admin := telemetry.NewAdmin(settings, metrics, log)
	traced := telemetry.TraceDefaults()
	traced.Endpoint = "http://127.0.0.1:1"
	traces := telemetry.NewTraces(traced, "v1", log)
	goleak.VerifyNone(t, before)

	require.NoError(t, admin.Start(t.Context()))
	require.NoError(t, traces.Start(t.Context()))
	require.NoError(t, traces.Stop(t.Context()))
	require.NoError(t, admin.Stop(t.Context()))
	require.NoError(t, admin.Stop(t.Context()))
	require.Empty(t, admin.Address())
	goleak.VerifyNone(t, before)
}
