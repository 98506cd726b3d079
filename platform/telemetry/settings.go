// Package telemetry says what the service does: its log, through slog.
//
// A record that is logged with a request's context carries the id of the request, the company of
// who is calling and the area at work, whoever logs it. Attributes whose key says that they are a
// secret are redacted; that is a net, not a licence to log them.
package telemetry

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Settings are the keys of the section "log".
type Settings struct {
	Level  string `config:"level" doc:"The lowest level that is logged: debug, info, warn or error."`
	Format string `config:"format" doc:"text, json, or auto: text on a terminal, json otherwise."`
}

// Defaults logs from info on, in the format that suits where it goes.
func Defaults() Settings { return Settings{Level: "info", Format: formatAuto} }

// The formats.
const (
	formatText = "text"
	formatJSON = "json"
	formatAuto = "auto"
)

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	var problems []error
	if _, ok := parseLevel(s.Level); !ok {
		problems = append(problems, fmt.Errorf("level: want debug, info, warn or error, got %q", s.Level))
	}
	if !slices.Contains([]string{formatText, formatJSON, formatAuto}, s.Format) {
		problems = append(problems, fmt.Errorf("format: want text, json or auto, got %q", s.Format))
	}

	return errors.Join(problems...)
}

// parseLevel returns the level of that name, Info and false if there is none.
func parseLevel(name string) (slog.Level, bool) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.ToLower(level.String()) == name {
			return level, true
		}
	}

	return slog.LevelInfo, false
}
