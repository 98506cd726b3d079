package telemetry

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/principal"
)

type (
	requestKey struct{}
	areaKey    struct{}
)

// WithRequestID returns a context in which the request with that id is answered.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the id of the request that is answered, "" if there is none.
func RequestID(ctx context.Context) string {
	return textIn(ctx, requestKey{})
}

// WithArea returns a context in which the area with that id is at work.
func WithArea(ctx context.Context, area string) context.Context {
	return context.WithValue(ctx, areaKey{}, area)
}

// Area returns the id of the area at work, "" if none is.
func Area(ctx context.Context) string {
	return textIn(ctx, areaKey{})
}

func textIn(ctx context.Context, key any) string {
	if value, ok := ctx.Value(key).(string); ok {
		return value
	}

	return ""
}

// contextAttrs returns what a record says of its context.
func contextAttrs(ctx context.Context) []slog.Attr {
	attrs := make([]slog.Attr, 0, 4)
	if id := RequestID(ctx); id != "" {
		attrs = append(attrs, slog.String("request_id", id))
	}
	if p, ok := principal.From(ctx); ok && p.Company != uuid.Nil {
		attrs = append(attrs, slog.String("company", p.Company.String()))
	}
	if area := Area(ctx); area != "" {
		attrs = append(attrs, slog.String("area", area))
	}

	if in := trace.SpanContextFromContext(ctx); in.HasTraceID() {
		attrs = append(attrs, slog.String("trace_id", in.TraceID().String()))
	}

	return attrs
}
