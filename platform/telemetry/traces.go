package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope names the instrumentation: all spans are made by this module.
const scope = "github.com/dispatchd/dispatchd"

const (
	// exportTime is how long the collector may take for a batch of spans, flushTime how long a stop
	// waits for the last ones.
	exportTime = 10 * time.Second
	flushTime  = 3 * time.Second
	// longestText bounds the text of a statement in a span.
	longestText = 8 << 10
)

// Traces sends spans to a collector, from Start to Stop. A collector that is away holds up nobody:
// what it does not take is dropped.
type Traces struct {
	settings TraceSettings
	log      *slog.Logger
	provider *sdktrace.TracerProvider // nil while off
}

// NewTraces returns the traces of a version of the service; it does no I/O.
func NewTraces(s TraceSettings, version string, log *slog.Logger) *Traces {
	t := &Traces{settings: s, log: log}
	if s.Endpoint == "" {
		return t
	}
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit = longestText
	t.provider = sdktrace.NewTracerProvider(
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", s.Service), attribute.String("service.version", version),
		)),
		sdktrace.WithSampler(sampler(s.Sample)),
		sdktrace.WithRawSpanLimits(limits),
	)

	return t
}

// sampler decides by the id of the trace, so that all processes, and the jobs of a request, decide
// alike. What a caller decided does not count: a stranger cannot have everything recorded.
func sampler(share float64) sdktrace.Sampler {
	byID := sdktrace.TraceIDRatioBased(share)

	return sdktrace.ParentBased(byID, sdktrace.WithRemoteParentSampled(byID), sdktrace.WithRemoteParentNotSampled(byID))
}

func (t *Traces) tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}

	return t.provider.Tracer(scope)
}

// Start begins to send. It does not ask whether the collector is there.
func (t *Traces) Start(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	to, err := url.Parse(t.settings.Endpoint)
	if err != nil {
		return fmt.Errorf("traces.endpoint: %w", err)
	}
	headers, _ := t.settings.headers()
	exporter, err := otlptrace.New(ctx, otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(to.JoinPath("v1", "traces").String()),
		otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithTimeout(exportTime),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}),
	))
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	t.provider.RegisterSpanProcessor(sdktrace.NewBatchSpanProcessor(&patient{SpanExporter: exporter, log: t.log}))

	return nil
}

// Stop sends what is left, for a few seconds at most.
func (t *Traces) Stop(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.WarnContext(ctx, "the last traces were not delivered", "error", err)
	}

	return nil
}

// patient logs once when a collector stops to take spans, and when it takes them again, instead of
// failing each time. It is used by one goroutine at a time.
type patient struct {
	sdktrace.SpanExporter

	log  *slog.Logger
	away bool
}

// ExportSpans implements sdktrace.SpanExporter.
func (p *patient) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := p.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !p.away:
		p.log.WarnContext(ctx, "traces are not delivered, spans are dropped", "error", err)
	case err == nil && p.away:
		p.log.InfoContext(ctx, "traces are delivered again")
	}
	p.away = err != nil

	return nil
}
