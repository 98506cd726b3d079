package web_test

import (
	"context"
	"log/slog"
	"net"
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
)

// startObserved serves things to an observer.
func startObserved(t testing.TB, o telemetry.Observer) *web.API {
	t.Helper()
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	api := web.New(settings, tokens{}, web.About{Name: "dispatchd"}, slog.New(slog.NewJSONHandler(nowhere{}, nil)))
	require.NoError(t, api.Observe(o))
	require.NoError(t, api.Mount("things", newArea().mount))
	require.NoError(t, api.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, api.Stop(context.WithoutCancel(t.Context()))) })

	return api
}

func getThing(t *testing.T, api *web.API, path string, headers ...string) http.Header {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+api.Address()+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return response.Header
}

const (
	noThing = "/things/api/v1/fail/not"
	parent  = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
)

func TestObserve_ContinuesTheTraceOfTheCallerIfItIsOne(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	api := startObserved(t, telemetry.Observer{Tracer: provider.Tracer("test")})
	for header, continued := range map[string]bool{
		parent: true, "": false, "nonsense": false, strings.ToUpper(parent): false, strings.Replace(parent, "0af7651916cd43dd8448eb211c80319c", strings.Repeat("0", 32), 1): false,
	} {
		told := getThing(t, api, noThing, "Traceparent", header).Get("Traceresponse")
		require.Regexp(t, "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$", told)
		require.Equal(t, continued, strings.Contains(told, "0af7651916cd43dd8448eb211c80319c"), header)
	}
	require.Len(t, spans.Ended(), 5)
	require.Empty(t, getThing(t, api, "/healthz", "Traceparent", parent).Get("Traceresponse"), "a probe is no operation")
	require.Empty(t, getThing(t, startObserved(t, telemetry.Observer{}), noThing, "Traceparent", parent).Get("Traceresponse"), "off")
}

func TestObserve_HasNoLabelThatACallerChooses(t *testing.T) {
	t.Parallel()
	metrics := prometheus.NewPedanticRegistry()
	api := startObserved(t, telemetry.Observer{Metrics: metrics})
	for _, path := range []string{"/a", "/b", "/things/api/v1/c", "/things/api/v1/things/d", "/things/api/v1/things/e", "/docs", "/healthz"} {
		getThing(t, api, path)
	}
	count, err := testutil.GatherAndCount(metrics, "dispatchd_http_request_seconds")
	require.NoError(t, err)
	require.Equal(t, 2, count, "one operation, and the others")
}

func BenchmarkObserve(b *testing.B) {
	always := sdktrace.NewTracerProvider().Tracer("test")
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())).Tracer("test")
	for name, o := range map[string]telemetry.Observer{
		"off": {}, "metrics": {Metrics: prometheus.NewRegistry()}, "traces": {Tracer: always}, "traces, not sampled": {Tracer: never},
	} {
		b.Run(name, func(b *testing.B) {
			connection, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", startObserved(b, o).Address())
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, connection.Close()) })
			sent, answer := []byte("GET "+noThing+head+"\r\n"), make([]byte, 64<<10)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := connection.Write(sent); err != nil {
					b.Fatal(err)
				}
				if _, err := connection.Read(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
