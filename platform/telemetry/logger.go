package telemetry

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

// NewLogger returns a logger that writes to w, one line a record: for people with colours if w is
// a terminal, as JSON with times in UTC otherwise, unless the settings ask for one of the two. What
// the settings get wrong (see Validate) counts as the default. The level can be changed while the
// logger is in use, see LevelOf.
func NewLogger(s Settings, w io.Writer) *slog.Logger {
	level := new(slog.LevelVar)
	least, _ := parseLevel(s.Level)
	level.Set(least)

	return slog.New(&handler{next: newFormat(s.Format, w, level), level: level})
}

// LevelOf returns the level of a logger made by NewLogger, to read and to change; it holds for
// every logger derived from it. It returns nil for another logger.
func LevelOf(log *slog.Logger) *slog.LevelVar {
	if h, ok := log.Handler().(*handler); ok {
		return h.level
	}

	return nil
}

// newFormat returns the handler that writes records.
func newFormat(format string, w io.Writer, level slog.Leveler) slog.Handler {
	terminal := isTerminal(w)
	if format == formatText || format != formatJSON && terminal {
		layout := time.RFC3339
		if terminal {
			layout = time.TimeOnly
		}

		return tint.NewTextHandler(w, &tint.Options{
			Level: level, ReplaceAttr: redact, TimeFormat: layout, NoColor: !terminal,
		})
	}

	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
			return slog.Time(a.Key, a.Value.Time().UTC())
		}
		if len(groups) == 0 && a.Key == slog.LevelKey {
			if level, ok := a.Value.Any().(slog.Level); ok {
				return slog.String(a.Key, level.String()) // else it is encoded as any value is, by reflection
			}
		}
		a = redact(groups, a)
		if a.Value.Kind() == slog.KindDuration {
			return slog.String(a.Key, a.Value.Duration().String()) // 1.234ms, not nanoseconds
		}

		return a
	}})
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })

	return ok && (isatty.IsTerminal(file.Fd()) || isatty.IsCygwinTerminal(file.Fd()))
}
