package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

func TestObserve_CountsStreamsWhenTheyEnd(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewRegistry()
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	s := &service{API: web.New(settings, tokens{}, web.About{}, slog.New(slog.DiscardHandler))}
	require.NoError(t, s.Observe(telemetry.Observer{Metrics: metrics, Tracer: tracer}))
	leave := make(chan struct{})
	require.NoError(t, s.Mount("flows", streamOf(func(_ context.Context, w io.Writer) error {
		if err := stream.Flush(w); err != nil {
			return err
		}
		<-leave
		_, err := w.Write(make([]byte, 100_000))

		return err
	})))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	response := s.open(t, "stream")
	has := func(lines string) bool {
		return testutil.GatherAndCompare(metrics, strings.NewReader(lines),
			"dispatchd_http_streams_open", "dispatchd_http_streams_total", "dispatchd_http_requests_total", "dispatchd_http_requests_in_flight") == nil
	}
	const open = `
# HELP dispatchd_http_requests_in_flight Requests in progress.
# TYPE dispatchd_http_requests_in_flight gauge
dispatchd_http_requests_in_flight 0
# HELP dispatchd_http_streams_open Streams in progress.
# TYPE dispatchd_http_streams_open gauge
dispatchd_http_streams_open{operation="flows_stream"} `
	require.Eventually(t, func() bool { return has(open + "1\n") }, waiting, tick)
	require.Empty(t, spans.Ended())
	close(leave)
	_, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return has(open + `0
# HELP dispatchd_http_requests_total Requests answered.
# TYPE dispatchd_http_requests_total counter
dispatchd_http_requests_total{operation="flows_stream",status="200"} 1
# HELP dispatchd_http_streams_total Streams that ended, by reason.
# TYPE dispatchd_http_streams_total counter
dispatchd_http_streams_total{end="done",operation="flows_stream"} 1
`)
	}, waiting, tick)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Eventually(t, func() bool { return len(spans.Ended()) == 1 }, waiting, tick)
}
