package jobs

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
)

// failed is what River's line about a failed job contains. The worker logs such failures itself,
// with the company and the request.
const failed = ": Job errored"

// maintenance is how lines about River's own upkeep begin. While it stops, each part of that says as an
// error that it was cancelled.
const maintenance = "maintenance."

// quiet passes on what of River's log matters to an operator.
type quiet struct {
	slog.Handler

	stopping *atomic.Bool
}

func riverLogger(log *slog.Logger, stopping *atomic.Bool) *slog.Logger {
	return slog.New(quiet{log.Handler(), stopping})
}

// Enabled implements slog.Handler.
func (h quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h quiet) Handle(ctx context.Context, record slog.Record) error {
	if strings.Contains(record.Message, failed) || h.stopping.Load() && strings.HasPrefix(record.Message, maintenance) {
		return nil
	}

	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{h.Handler.WithAttrs(attrs), h.stopping}
}

// WithGroup implements slog.Handler.
func (h quiet) WithGroup(name string) slog.Handler {
	return quiet{h.Handler.WithGroup(name), h.stopping}
}
