package telemetry

import (
	"context"
	"log/slog"
	"slices"
)

// handler adds to each record what its context says, always at the top level.
type handler struct {
	next  slog.Handler
	level *slog.LevelVar

	// Once a group is open, next would put attributes into it. So then outer is the handler before
	// the first group, and inner makes next from it.
	outer slog.Handler
	inner []func(slog.Handler) slog.Handler
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	attrs := contextAttrs(ctx)
	if len(attrs) == 0 {
		return h.next.Handle(ctx, record)
	}
	if h.outer == nil {
		record = record.Clone()
		record.AddAttrs(attrs...)

		return h.next.Handle(ctx, record)
	}
	next := h.outer.WithAttrs(attrs)
	for _, step := range h.inner {
		next = step(next)
	}

	return next.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(h.outer, func(next slog.Handler) slog.Handler { return next.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	outer := h.outer
	if outer == nil {
		outer = h.next
	}

	return h.with(outer, func(next slog.Handler) slog.Handler { return next.WithGroup(name) })
}

// with returns the handler after a further step; outer is nil while no group is open.
func (h *handler) with(outer slog.Handler, step func(slog.Handler) slog.Handler) *handler {
	derived := &handler{next: step(h.next), level: h.level, outer: outer}
	if outer != nil {
		derived.inner = append(slices.Clip(h.inner), step)
	}

	return derived
}
