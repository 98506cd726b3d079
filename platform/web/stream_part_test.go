package web_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// serveFile serves ten digits.
func serveFile(t *testing.T) *service {
	t.Helper()
	changed := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)

	return serveFlows(t, func(r *web.Router) {
		web.Register(r, flow("file", "text/plain"), func(context.Context, *struct{}) (*stream.Stream, error) {
			source := io.NewSectionReader(strings.NewReader("xx0123456789"), 2, 10)

			return stream.NewDownload("text/plain", source).Inline(`a"b/c.txt`).Tagged("v7").Modified(changed), nil
		})
	})
}

func TestDownload_SendsTheRangeThatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := serveFile(t)
	const (
		modified = "Sun, 01 Mar 2026 12:00:00 GMT"
		later    = "Mon, 02 Mar 2026 12:00:00 GMT"
	)
	for _, test := range []struct {
		headers       []string
		status        int
		body, content string
	}{
		{nil, 200, "0123456789", ""},
		{[]string{"Range: bytes=0-0"}, 206, "0", "bytes 0-0/10"},
		{[]string{"Range: bytes=2-4"}, 206, "234", "bytes 2-4/10"},
		{[]string{"Range: Bytes = 2-4"}, 206, "234", "bytes 2-4/10"},
		{[]string{"Range: bytes=7-"}, 206, "789", "bytes 7-9/10"},
		{[]string{"Range: bytes=7-99"}, 206, "789", "bytes 7-9/10"},
		{[]string{"Range: bytes=-3"}, 206, "789", "bytes 7-9/10"},
		{[]string{"Range: bytes=-99"}, 206, "0123456789", "bytes 0-9/10"},
		{[]string{"Range: bytes=10-"}, 416, "", "bytes */10"},
		{[]string{"Range: bytes=99-100"}, 416, "", "bytes */10"},
		{[]string{"Range: bytes=-0"}, 416, "", "bytes */10"},
		{[]string{"Range: bytes=4-2"}, 200, "0123456789", ""},
		{[]string{"Range: bytes=a-b"}, 200, "0123456789", ""},
		{[]string{"Range: bytes=+1-2"}, 200, "0123456789", ""},
		{[]string{"Range: bytes=99999999999999999999-"}, 200, "0123456789", ""},
		{[]string{"Range: bytes="}, 200, "0123456789", ""},
		{[]string{"Range: bytes=-"}, 200, "0123456789", ""},
		{[]string{"Range: lines=1-2"}, 200, "0123456789", ""},
		{[]string{"Range: bytes=0-1,4-5"}, 200, "0123456789", ""},
		{[]string{"Range: bytes=2-4", `If-Range: "v7"`}, 206, "234", "bytes 2-4/10"},
		{[]string{"Range: bytes=2-4", `If-Range: "v6"`}, 200, "0123456789", ""},
		{[]string{"Range: bytes=2-4", `If-Range: W/"v7"`}, 200, "0123456789", ""},
		{[]string{"Range: bytes=2-4", "If-Range: " + modified}, 206, "234", "bytes 2-4/10"},
		{[]string{"Range: bytes=2-4", "If-Range: " + later}, 200, "0123456789", ""},
		{[]string{`If-None-Match: "v6", "v7"`}, 304, "", ""},
		{[]string{`If-None-Match: "v6"`, "If-Modified-Since: " + later}, 200, "0123456789", ""},
		{[]string{"If-Modified-Since: " + modified}, 304, "", ""},
		{[]string{"If-Modified-Since: Sat, 28 Feb 2026 12:00:00 GMT"}, 200, "0123456789", ""},
	} {
		r := s.call(t, http.MethodGet, flowsPath+"file", "", test.headers...)
		require.Equal(t, test.status, r.StatusCode, "%v %s", test.headers, r.body)
		require.Equal(t, test.content, r.Header.Get("Content-Range"), test.headers)
		if test.status == http.StatusRequestedRangeNotSatisfiable {
			require.Equal(t, "web.range_not_satisfiable", r.refused(t, 416).Code)

			continue
		}
		require.Equal(t, test.body, r.body, test.headers)
		if test.status != http.StatusNotModified {
			require.Equal(t, int64(len(test.body)), r.ContentLength, test.headers)
			require.Equal(t, "bytes", r.Header.Get("Accept-Ranges"))
			require.Equal(t, modified, r.Header.Get("Last-Modified"))
			require.Equal(t, `inline; filename=a_b_c.txt; filename*=utf-8''a%22b_c.txt`, r.Header.Get("Content-Disposition"))
		}
	}
	head := s.call(t, http.MethodHead, flowsPath+"file", "").ok(t)
	require.Equal(t, int64(10), head.ContentLength)
}
