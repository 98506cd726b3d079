package telemetry_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

func TestRedact_KnowsASecretByItsKey(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"token": true, "Token": true, "access_token": true, "accessToken": true, "tokens": true, "refresh-token": true, "token_hash": true,
		"authorization": true, "Authorization": true, "proxy-authorization": true, "auth": true, "bearer": true,
		"password": true, "db_password": true, "passwd": true, "passphrase": true, "passwordHash": true,
		"secret": true, "client_secret": true, "clientSecret": true, "api_key": true, "apiKey": true, "apikey": true, "APIKey": true, "X-Api-Key": true,
		"private_key": true, "master.key": true, "signing_key": true, "cookie": true, "Set-Cookie": true, "credentials": true, "jwt": true,

		"token_id": false, "token_prefix": false, "tokenizer": false, "key": false, "idempotency_key": false, "keyboard": false, "monkey": false,
		"author": false, "authority": false, "company": false, "request_id": false, "secretary": false, "cookie_name": false, "passed": false,
		"expired_at": false, "credit": false, "secret_file": false, "": false, "_": false,
	}
	for key, secret := range tests {
		for _, format := range []string{"json", "text"} {
			var out bytes.Buffer
			log := telemetry.NewLogger(telemetry.Settings{Level: "info", Format: format}, &out)
			log.Info("x", key, "hunter22")
			log.With(key, "hunter22").Info("x")
			log.WithGroup("g").Info("x", slog.Group("h", key, "hunter22"))
			require.Equalf(t, !secret, bytes.Contains(out.Bytes(), []byte("hunter22")), "%s as %s", key, format)
		}
	}
}

type credentials struct{ user, password string }

func (c credentials) LogValue() slog.Value {
	return slog.GroupValue(slog.String("user", c.user), slog.String("password", c.password))
}

func TestRedact_LooksIntoGroupsAndMaps(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		log := telemetry.NewLogger(telemetry.Settings{Level: "info", Format: format}, &out)
		log.Info("x",
			"headers", http.Header{"Authorization": {"hunter22"}, "Accept": {"visible1"}},
			"body", map[string]any{"a": map[string]string{"password": "hunter22", "b": "visible2"}, "n": nil},
			"login", credentials{user: "visible3", password: "hunter22"},
			slog.Group("credentials", "user", "hunter22"),
			"numbers", map[int]string{1: "visible4"},
			"nothing", nil,
			"empty", map[string]string(nil),
		)
		log.WithGroup("token").Info("x", "value", "hunter22")
		require.NotContains(t, out.String(), "hunter22")
		for _, visible := range []string{"visible1", "visible2", "visible3", "visible4", "[redacted]"} {
			require.Contains(t, out.String(), visible)
		}
	}
}

type dataError struct{ state string }

func (e dataError) Error() string {
	return `ERROR: invalid input: "hunt"er22" (SQLSTATE ` + e.state + ")"
}
func (e dataError) SQLState() string { return e.state }

func TestRedact_LeavesOutTheValuesThatPostgreSQLQuotes(t *testing.T) {
	t.Parallel()
	log, out := jsonLogger()
	log.Info("x", "error", fmt.Errorf("thing 7: %w", dataError{state: "22P02"}))
	log.Info("x", "error", dataError{state: "42P01"})
	log.Info("x", "error", errors.New("\"plain\""))
	lines := records(t, out)
	require.Equal(t, `thing 7: ERROR: invalid input: "…" (SQLSTATE 22P02)`, lines[0]["error"])
	require.Contains(t, lines[1]["error"], `"hunt"er22"`, "the name of a table")
	require.Equal(t, `"plain"`, lines[2]["error"])
}

func TestNewLogger_WritesDurationsForPeople(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		log := telemetry.NewLogger(telemetry.Settings{Level: "info", Format: format}, &out)
		log.WithGroup("g").Info("x", "took", 1234567*time.Nanosecond)
		require.Contains(t, out.String(), "1.234567ms", format)
	}
}

func BenchmarkInfo(b *testing.B) {
	log := telemetry.NewLogger(telemetry.Settings{Level: "info", Format: "json"}, discard{})
	ctx := telemetry.WithRequestID(b.Context(), "0190d0c0-0000-7000-8000-000000000101")
	b.ReportAllocs()
	for b.Loop() {
		log.InfoContext(ctx, "request", "method", "GET", "path", "/sms/api/v1/messages", "status", 200, "bytes", 512, "took", "1ms")
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
