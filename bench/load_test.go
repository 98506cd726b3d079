package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// serve starts a server that gives every answer the status, and counts.
func serve(t *testing.T, status int) (load, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		count.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)

	return load{
		address:  strings.TrimPrefix(server.URL, "http://"),
		clients:  3,
		duration: 50 * time.Millisecond,
		client: func(int) func(*fasthttp.Request) {
			return func(r *fasthttp.Request) { r.SetRequestURI(server.URL + "/") }
		},
	}, &count
}

func TestLoad_CountsEveryAnswer(t *testing.T) {
	t.Parallel()
	l, count := serve(t, http.StatusOK)
	got, err := l.run(t.Context())
	require.NoError(t, err)
	require.Equal(t, int(count.Load()), got.count)
	require.Positive(t, got.rate)
	require.LessOrEqual(t, got.p50, got.p99)
}

func TestLoad_FailsOnAnyOtherStatus(t *testing.T) {
	t.Parallel()
	l, _ := serve(t, http.StatusServiceUnavailable)
	_, err := l.run(t.Context())
	require.ErrorContains(t, err, "503")
}

func TestLoad_FailsOnAnAnswerThatIsNotWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	l, _ := serve(t, http.StatusOK)
	l.check = func([]byte) error { return errors.New("no rows") }
	_, err := l.run(t.Context())
	require.ErrorContains(t, err, "no rows")
}
