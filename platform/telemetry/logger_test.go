package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/slogtest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

func jsonLogger() (*slog.Logger, *bytes.Buffer) {
	var out bytes.Buffer

	return telemetry.NewLogger(telemetry.Settings{Level: "debug", Format: "json"}, &out), &out
}

// records decodes a log of JSON lines.
func records(t *testing.T, out *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range bytes.Lines(out.Bytes()) {
		var record map[string]any
		require.NoError(t, json.Unmarshal(line, &record))
		all = append(all, record)
	}

	return all
}

func TestNewLogger_KeepsTheRulesOfSlog(t *testing.T) {
	t.Parallel()
	log, out := jsonLogger()
	require.NoError(t, slogtest.TestHandler(log.Handler(), func() []map[string]any { return records(t, out) }))
}

func TestNewLogger_WritesTheFormatAskedFor(t *testing.T) {
	t.Parallel()
	for format, isJSON := range map[string]bool{"json": true, "auto": true, "text": false, "wrong": true} {
		var out bytes.Buffer
		telemetry.NewLogger(telemetry.Settings{Level: "info", Format: format}, &out).Info("hello", "n", 1)
		require.Equal(t, isJSON, json.Valid(out.Bytes()), format)
		require.NotContains(t, out.String(), "\x1b", "colours belong on a terminal")
		require.Contains(t, out.String(), "hello")
	}
}

func TestNewLogger_IsForPeopleOnATerminal(t *testing.T) {
	t.Parallel()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist, "a system without pseudo-terminals")

		return
	}
	t.Cleanup(func() { require.NoError(t, terminal.Close()) })
	screen := &screen{File: terminal}
	telemetry.NewLogger(telemetry.Defaults(), screen).Info("hello")
	require.Contains(t, screen.String(), "\x1b[")
	require.Contains(t, screen.String(), "hello")
}

// screen has the file descriptor of a terminal and keeps what is written.
type screen struct {
	*os.File

	strings.Builder
}

func (s *screen) Write(p []byte) (int, error)          { return s.Builder.Write(p) }
func (s *screen) WriteString(text string) (int, error) { return s.Builder.WriteString(text) }
func (s *screen) String() string                       { return s.Builder.String() }

func TestNewLogger_WritesTimesInUTC(t *testing.T) {
	t.Parallel()
	log, out := jsonLogger()
	log.Info("x")
	require.Regexp(t, `^\d{4}-\d\d-\d\dT[\d:.]+Z$`, records(t, out)[0]["time"])
}

func TestLevelOf_ChangesTheLevelOfEveryDerivedLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(telemetry.Settings{Level: "warn", Format: "json"}, &out)
	derived := log.With("a", 1).WithGroup("g")
	derived.Info("not this")
	telemetry.LevelOf(derived).Set(slog.LevelDebug)
	log.Debug("this")
	derived.Debug("and this")

	lines := records(t, &out)
	require.Len(t, lines, 2)
	require.Equal(t, "this", lines[0]["msg"])
	require.Nil(t, telemetry.LevelOf(slog.New(slog.DiscardHandler)))
}

func TestHandle_SaysWhoseRequestItIs(t *testing.T) {
	t.Parallel()
	company := uuid.New()
	ctx := telemetry.WithRequestID(t.Context(), "r1")
	ctx = telemetry.WithArea(principal.With(ctx, principal.ForCompany(company)), "sms")
	require.Equal(t, "r1", telemetry.RequestID(ctx))
	require.Equal(t, "sms", telemetry.Area(ctx))

	log, out := jsonLogger()
	log.InfoContext(ctx, "plain", "n", 1)
	log.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h").InfoContext(ctx, "in groups", "c", 3)
	log.InfoContext(principal.With(t.Context(), principal.Principal{Kind: principal.Operator}), "the operator")
	log.Info("nobody")

	lines := records(t, out)
	for _, line := range lines {
		delete(line, "time")
		delete(line, "level")
	}
	who := map[string]any{"request_id": "r1", "company": company.String(), "area": "sms"}
	require.Equal(t, []map[string]any{
		with(who, map[string]any{"msg": "plain", "n": 1.0}),
		with(who, map[string]any{
			"msg": "in groups", "a": 1.0,
			"g": map[string]any{"b": 2.0, "h": map[string]any{"c": 3.0}},
		}),
		{"msg": "the operator"},
		{"msg": "nobody"},
	}, lines)
}

func with(a, b map[string]any) map[string]any {
	maps.Copy(b, a)

	return b
}

func TestHandle_LeavesTheRecordToItsOtherHandlers(t *testing.T) {
	t.Parallel()
	ctx := telemetry.WithRequestID(t.Context(), "r1")
	log, out := jsonLogger()
	many := []any{"a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6, "g", 7}
	both := slog.New(slog.NewMultiHandler(log.Handler(), log.Handler()))
	both.InfoContext(ctx, "x", many...)
	for _, line := range records(t, out) {
		require.Equal(t, "r1", line["request_id"])
		require.Len(t, line, 3+7+1)
	}
}

func TestValidate_NamesTheValuesThatAreRight(t *testing.T) {
	t.Parallel()
	require.NoError(t, telemetry.Defaults().Validate())
	for _, level := range []string{"debug", "info", "warn", "error"} {
		require.NoError(t, telemetry.Settings{Level: level, Format: "text"}.Validate())
	}
	require.EqualError(t, telemetry.Settings{Level: "INFO", Format: "xml"}.Validate(),
		"level: want debug, info, warn or error, got \"INFO\"\nformat: want text, json or auto, got \"xml\"")
}
