package web_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const bulkyPath = "/bulky/api/v1/"

type bulky struct {
	Text string `json:"text"`
}

// TextSize is how much text an operation of serveBulky answers with.
type TextSize struct {
	Size int `query:"size" default:"40960"`
}

func (s TextSize) Text() string { return strings.Repeat("0123456789", s.Size/10+1)[:s.Size] }

type keyed struct {
	TextSize

	Key string `path:"key"`
}

type changeBulky struct {
	web.IfMatch

	Body bulky
}

// serveBulky serves operations whose answers are long.
func serveBulky(t *testing.T) *service {
	t.Helper()
	s := build(t)
	require.NoError(t, s.Mount("bulky", func(r *web.Router) {
		op := func(method, path, id string, change func(*web.Operation)) web.Operation {
			o := web.Operation{Method: method, Path: path, ID: id, Summary: "Be bulky", Access: web.Read, Errors: []*errs.Error{errNoThing}}
			if change != nil {
				change(&o)
			}

			return o
		}
		whole := func(_ context.Context, in *TextSize) (*web.Resource[bulky], error) {
			return web.NewResource(bulky{in.Text()}, 7, bulkyPath+"thing"), nil
		}
		web.Register(r, op(http.MethodGet, "/thing", "read", nil), whole)
		web.Register(r, op(http.MethodGet, "/secret", "read_secret", func(o *web.Operation) { o.Secret = true }), whole)
		web.Register(r, op(http.MethodGet, "/links/{key}", "read_by_link", func(o *web.Operation) { o.Access = web.Public }),
			func(_ context.Context, in *keyed) (*web.Resource[bulky], error) {
				return web.NewResource(bulky{in.Text()}, 7, bulkyPath+"thing"), nil
			})
		web.Register(r, op(http.MethodPatch, "/thing", "change", nil), func(_ context.Context, in *changeBulky) (*web.Resource[bulky], error) {
			if err := in.Check(7); err != nil {
				return nil, err
			}

			return web.NewResource(in.Body, 8, bulkyPath+"thing"), nil
		})
		streamed := func(media string) func(context.Context, *TextSize) (*stream.Stream, error) {
			return func(_ context.Context, in *TextSize) (*stream.Stream, error) {
				return stream.New(media, func(_ context.Context, w io.Writer) error {
					_, err := io.WriteString(w, in.Text())

					return err
				}).Tagged("v7"), nil
			}
		}
		csv := func(o *web.Operation) { o.Produces = []string{"text/csv"} }
		web.Register(r, op(http.MethodGet, "/export", "export", csv), streamed("text/csv"))
		web.Register(r, op(http.MethodGet, "/secret_export", "export_secret", func(o *web.Operation) { csv(o); o.Secret = true }), streamed("text/csv"))
		web.Register(r, op(http.MethodGet, "/picture", "read_picture", func(o *web.Operation) { o.Produces = []string{"image/png"} }), streamed("image/png"))
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	return s
}

// unpacked reads a body by its Content-Encoding.
func unpacked(t *testing.T, r reply) string {
	t.Helper()
	var reader io.Reader = strings.NewReader(r.body)
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "zstd":
		reader, err = zstd.NewReader(reader)
	}
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)

	return string(text)
}

func TestAnswers_AreCompressedAsTheClientAsks(t *testing.T) {
	t.Parallel()
	s := serveBulky(t)

	for _, path := range []string{"thing", "export"} {
		plain := s.call(t, http.MethodGet, bulkyPath+path, "", "Accept-Encoding: identity").ok(t)
		require.Empty(t, plain.Header.Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", plain.Header.Get("Vary"))
		for asked, want := range map[string]string{
			"gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "gzip, zstd;q=0.5": "gzip", "*": "zstd",
			"gzip;q=0": "", "gzip;q=0, *": "zstd", "br": "", "": "", "identity, gzip;q=0.5": "", "gzip;q=1.000": "gzip", "gzip;q=nonsense": "",
		} {
			r := s.call(t, http.MethodGet, bulkyPath+path, "", "Accept-Encoding: "+asked+" ").ok(t)

			require.Equal(t, want, r.Header.Get("Content-Encoding"), asked)
			require.Equal(t, "Accept-Encoding", r.Header.Get("Vary"), asked)
			require.Equal(t, plain.body, unpacked(t, r), asked)
			if want != "" {
				require.Less(t, len(r.body), len(plain.body)/10)
			}
		}
	}
}

func TestAnswers_StayAsTheyAreWhereCompressionIsWrong(t *testing.T) {
	t.Parallel()
	s := serveBulky(t)

	for _, path := range []string{"secret", "links/1", "secret_export", "picture", "thing?size=500", "export?size=1000"} {
		r := s.call(t, http.MethodGet, bulkyPath+path, "", "Accept-Encoding: gzip, zstd").ok(t)
		require.Empty(t, r.Header.Get("Content-Encoding"), path)
		require.NotContains(t, r.Header.Get("ETag"), "-", path)
		require.Contains(t, r.body, "0123456789")
	}
	secret := s.call(t, http.MethodGet, bulkyPath+"secret", "", "Accept-Encoding: gzip")
	require.Empty(t, secret.Header.Get("Vary"))
	refused := s.call(t, http.MethodPatch, bulkyPath+"thing", `{"text": "a", "nothing": 1}`, "Accept-Encoding: gzip")
	require.Empty(t, refused.Header.Get("Content-Encoding"))
	require.Equal(t, "web.invalid", refused.refused(t, 422).Code)
}

func TestETags_AreOfTheBytesAndStandForTheVersion(t *testing.T) {
	t.Parallel()
	s := serveBulky(t)

	for coding, want := range map[string]string{"identity": `"7"`, "gzip": `"7-gzip"`, "zstd": `"7-zstd"`} {
		r := s.call(t, http.MethodGet, bulkyPath+"thing", "", "Accept-Encoding: "+coding).ok(t)
		require.Equal(t, want, r.Header.Get("ETag"))

		for _, asks := range []string{"identity", "gzip"} {
			known := s.call(t, http.MethodGet, bulkyPath+"thing", "", "Accept-Encoding: "+asks, "If-None-Match: "+want)
			require.Equal(t, http.StatusNotModified, known.StatusCode)
			require.Equal(t, want, known.Header.Get("ETag"), "the one that the client has")
			require.Equal(t, "Accept-Encoding", known.Header.Get("Vary"))
			require.Empty(t, known.Header.Get("Content-Encoding"))
		}
		s.call(t, http.MethodPatch, bulkyPath+"thing", `{"text": "a"}`, "If-Match: "+want).ok(t)
	}
	for _, other := range []string{`"6-gzip"`, `"7-br"`, `"-gzip"`, `W/"7-gzip"`} {
		require.Equal(t, "web.stale", s.call(t, http.MethodPatch, bulkyPath+"thing", `{"text": "a"}`, "If-Match: "+other).refused(t, 412).Code, other)
	}
	require.Equal(t, http.StatusNotModified, s.call(t, http.MethodGet, bulkyPath+"thing", "", `If-None-Match: W/"7-gzip"`).StatusCode)
	export := s.call(t, http.MethodGet, bulkyPath+"export", "", "Accept-Encoding: gzip").ok(t)
	require.Equal(t, `"v7-gzip"`, export.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, s.call(t, http.MethodGet, bulkyPath+"export", "", `If-None-Match: "v7-gzip"`).StatusCode)
}

func TestHead_HasTheHeadersOfACompressedAnswer(t *testing.T) {
	t.Parallel()
	s := serveBulky(t)
	get := s.call(t, http.MethodGet, bulkyPath+"thing", "", "Accept-Encoding: gzip").ok(t)
	head := s.call(t, http.MethodHead, bulkyPath+"thing", "", "Accept-Encoding: gzip").ok(t)

	require.Empty(t, head.body)
	require.EqualValues(t, len(get.body), head.ContentLength)
	for _, name := range []string{"ETag", "Content-Encoding", "Vary", "Content-Type"} {
		require.Equal(t, get.Header.Get(name), head.Header.Get(name))
	}
}

func TestStream_ThatIsCompressedArrivesBitByBit(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodGet, Path: "/slow", ID: "slow", Summary: "Be slow", Access: web.Read, Callers: web.OfBoth,
			Errors: []*errs.Error{errNoThing}, Produces: []string{"text/csv"},
		}, func(context.Context, *struct{}) (*stream.Stream, error) {
			return stream.New("text/csv", func(_ context.Context, w io.Writer) error {
				if _, err := io.WriteString(w, strings.Repeat("first", 1000)); err != nil {
					return err
				}
				if err := stream.Flush(w); err != nil {
					return err
				}
				<-release
				_, err := io.WriteString(w, "second")

				return err
			}), nil
		})
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+flowsPath+"slow", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := plainly.RoundTrip(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	reader, err := gzip.NewReader(response.Body)
	require.NoError(t, err)

	begin := make([]byte, 5000)
	_, err = io.ReadFull(reader, begin)
	require.NoError(t, err)
	require.Equal(t, bytes.Repeat([]byte("first"), 1000), begin)
	close(release)
	rest, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "second", string(rest))
}
