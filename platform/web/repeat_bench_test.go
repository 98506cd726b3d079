package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/overload"
)

// BenchmarkCreate tells what an Idempotency-Key, rate limits and slots add to a write, on one
// connection. PostgreSQL is measured if DISPATCHD_TEST_POSTGRES_URL names one, in a schema of its own.
func BenchmarkCreate(b *testing.B) {
	urls := map[string]string{"SQLite": "sqlite:" + filepath.Join(b.TempDir(), "x.db")}
	if url := os.Getenv("DISPATCHD_TEST_POSTGRES_URL"); url != "" {
		urls["PostgreSQL"] = schemaOf(b, url)
	}
	unlimited := func(s *web.Settings) {
		s.RateLimit = overload.RateSettings{Window: s.RateLimit.Window}
		s.Overload.MaxInFlight = 0
	}
	limited := func(s *web.Settings) { s.RateLimit.PerToken = 1 << 40 }
	for name, url := range urls {
		db := openFor(b, url)
		for _, with := range []struct {
			name   string
			keyed  bool
			option func(*web.Settings)
		}{{"plain", false, unlimited}, {"limits", false, limited}, {"key", true, unlimited}} {
			b.Run(name+"/"+with.name, func(b *testing.B) { benchmarkCreate(b, db, with.keyed, with.option) })
		}
	}
}

func benchmarkCreate(b *testing.B, db *database.DB, keyed bool, option func(*web.Settings)) {
	b.Helper()
	require.NoError(b, db.InTx(b.Context(), func(ctx context.Context) error {
		return db.Raw(ctx, "test").Exec("DROP TABLE IF EXISTS notes").Error
	}))
	s, _ := serveNotes(b, db, option)
	connection, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", s.Address())
	require.NoError(b, err)
	defer func() { require.NoError(b, connection.Close()) }()

	answer, n := make([]byte, 64<<10), 0
	for b.Loop() {
		key := ""
		if n++; keyed {
			key = "Idempotency-Key: " + b.Name() + strconv.Itoa(b.N) + "-" + strconv.Itoa(n) + "\r\n"
		}
		request := fmt.Sprintf("POST %s%s%sContent-Length: %d\r\n\r\n%s", notesPath, head, key, len(oneNote), oneNote)
		if _, err := connection.Write([]byte(request)); err != nil {
			b.Fatal(err)
		}
		if n, err := connection.Read(answer); err != nil || string(answer[:12]) != "HTTP/1.1 200" {
			b.Fatal(n, err, string(answer[:n]))
		}
	}
}

func openFor(b *testing.B, url string) *database.DB {
	b.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	require.NoError(b, db.Start(b.Context()))
	b.Cleanup(func() { require.NoError(b, db.Stop(context.WithoutCancel(b.Context()))) })

	return db
}

// schemaOf makes an empty schema, and returns the address of it.
func schemaOf(b *testing.B, url string) string {
	b.Helper()
	const schema = "bench_create"
	db := openFor(b, url)
	exec := func(ctx context.Context, statement string) {
		_, err := db.SQL().ExecContext(ctx, statement)
		require.NoError(b, err)
	}
	exec(b.Context(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
	exec(b.Context(), "CREATE SCHEMA "+schema)
	b.Cleanup(func() { exec(context.WithoutCancel(b.Context()), "DROP SCHEMA "+schema+" CASCADE") })

	return url + "&search_path=" + schema
}
