package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceParent is the header of W3C Trace Context, and the name under which jobs keep it.
const traceParent = "traceparent"

// Continue returns a context that goes on with the trace of a traceparent (W3C Trace Context, such as
// "00-<trace>-<span>-01"), ctx itself if that is none.
func Continue(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}

	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceParent: parent})
}

// TraceParent returns the traceparent for what comes after ctx, "" outside of a trace.
func TraceParent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)

	return carrier[traceParent]
}
