package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

// benchmark sends one request over and over on one connection, with as little of a client as there
// can be, so that the numbers are the server's.
func benchmark(b *testing.B, request string) {
	b.Helper()
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	log := slog.New(slog.NewJSONHandler(nowhere{}, nil))
	api := web.New(settings, tokens{}, web.About{Name: "dispatchd"}, log)
	require.NoError(b, api.Mount("things", newArea().mount))
	require.NoError(b, api.Start(b.Context()))
	b.Cleanup(func() { require.NoError(b, api.Stop(context.WithoutCancel(b.Context()))) })

	connection, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", api.Address())
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, connection.Close()) })
	sent, answer := []byte(request), make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := connection.Write(sent); err != nil {
			b.Fatal(err)
		}
		if n, err := connection.Read(answer); err != nil || string(answer[:12]) != "HTTP/1.1 200" {
			b.Fatal(n, err, string(answer[:n]))
		}
	}
}

// nowhere is where the benchmarks log to. Unlike slog's own, a handler on it makes the text.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

const head = " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n"

func BenchmarkHealth(b *testing.B) { benchmark(b, "GET /healthz"+head+"\r\n") }

func BenchmarkNoOp(b *testing.B) { benchmark(b, "GET /things/api/v1/fail/not"+head+"\r\n") }

func BenchmarkRead(b *testing.B) {
	benchmark(b, "GET /things/api/v1/things/ffffffff-ffff-ffff-ffff-ffffffffffff"+head+"\r\n")
}

func BenchmarkQuery(b *testing.B) {
	benchmark(b, "GET /things/api/v1/things?per_page=10&tag=red&tag=fast&filter[name]=one"+head+"\r\n")
}

func BenchmarkTypedBody(b *testing.B) {
	benchmark(b, post("/things", `{"name":"one","kind":"car","stops":[{"city":"Des Moines"}]}`))
}

func BenchmarkRawBody(b *testing.B) {
	benchmark(b, post("/raw", `{"module_uuid":"018f0000-0000-7000-8000-000000000001","payload":{"vin":"123"}}`))
}

func post(path, body string) string {
	return fmt.Sprintf("POST /things/api/v1%s%sContent-Length: %d\r\n\r\n%s", path, head, len(body), body)
}
