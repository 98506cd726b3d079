package web_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

type fileInput struct {
	upload.Upload

	Folder string `query:"folder"`
}

type fileOutput struct {
	Body struct {
		Folder string            `json:"folder"`
		Name   string            `json:"name"`
		Media  string            `json:"media"`
		Hash   string            `json:"hash"`
		Fields map[string]string `json:"fields"`
	}
}

// serveUpload serves an operation that reads files with read.
func serveUpload(t *testing.T, limit config.Size, read func(*fileInput) error, options ...func(*web.Settings)) *service {
	t.Helper()

	return serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/files", ID: "upload", Summary: "Upload", Access: web.Write, MaxBody: limit,
			Errors: []*errs.Error{errNoThing}, Consumes: []string{"application/octet-stream", "multipart/form-data", "image/png"},
		}, func(_ context.Context, in *fileInput) (*fileOutput, error) {
			in.Hash()
			if err := read(in); err != nil {
				return nil, err
			}
			out := &fileOutput{}
			out.Body.Folder, out.Body.Name, out.Body.Media, out.Body.Fields = in.Folder, in.Name(), in.Media(), in.Fields()
			out.Body.Hash = hex.EncodeToString(in.SHA256())

			return out, nil
		})
	}, options...)
}

func readAll(in *fileInput) error {
	_, err := io.Copy(io.Discard, in)

	return err
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))

	return hex.EncodeToString(sum[:])
}

func TestUpload_IsReadAsItArrives(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	s := serveUpload(t, config.MiB, func(in *fileInput) error {
		first := make([]byte, 9000)
		if _, err := io.ReadFull(in, first); err != nil {
			return err
		}
		seen <- string(first[:5])

		return readAll(in)
	})
	body, send := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Address()+flowsPath+"files?folder=a", body)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	request.Header.Set("Content-Type", "image/png")
	text := strings.Repeat("01234", 4000)
	go func() {
		_, _ = io.WriteString(send, text[:10_000])
		<-seen
		_, _ = io.WriteString(send, text[10_000:])
		_ = send.Close()
	}()

	require.Equal(t, `{"folder":"a","name":"","media":"image/png","hash":"`+hashOf(text)+`","fields":{}}`+"\n", do(t, request).ok(t).body+"\n")
}

func TestUpload_ChecksTheRequest(t *testing.T) {
	t.Parallel()
	s := serveUpload(t, 20_000, readAll)
	send := func(body string, headers ...string) reply {
		return s.call(t, http.MethodPost, flowsPath+"files", body, headers...)
	}
	for _, size := range []int{1, 8192, 19_999, 20_000} {
		send(strings.Repeat("x", size), "Content-Type: application/octet-stream").ok(t)
		send(strings.Repeat("x", size), "Content-Type:").ok(t)
	}
	require.Equal(t, "web.body_too_large", send(strings.Repeat("x", 20_001), "Content-Type: image/png").refused(t, 413).Code)
	require.Equal(t, "web.unsupported_media", send("x", "Content-Type: text/html").refused(t, 415).Code)
	require.Equal(t, "web.malformed_form", send("x", "Content-Type: multipart/form-data").refused(t, 400).Code)
	send("x", "Content-Type: image/png", "Authorization:").refused(t, 401)
	require.Equal(t, []string{"other"}, s.call(t, http.MethodPost, flowsPath+"files?other=1", "x", "Content-Type: image/png").refused(t, 422).fields())
	send("x", "Content-Type: image/png", "Idempotency-Key: 1").ok(t)
}

func TestUpload_OfUnknownSizeIsRefusedWhenItIsTooLarge(t *testing.T) {
	t.Parallel()
	s := serveUpload(t, 100_000, readAll)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Address()+flowsPath+"files", io.LimitReader(zeros{}, 4<<20))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	request.Header.Set("Content-Type", "image/png")
	response, err := plainly.RoundTrip(request)
	require.NoError(t, err)

	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
	require.NoError(t, response.Body.Close())
}

const uploadHead = "POST " + flowsPath + "files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nContent-Type: image/png\r\n"

// A client that goes away in the middle must not leave a file that looks whole.
func TestUpload_ThatEndsTooEarlyIsNoWholeFile(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]string{
		"with a length":         "Content-Length: 50000\r\n\r\n" + strings.Repeat("x", 20_000),
		"between chunks":        "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", 20_000, strings.Repeat("x", 20_000)),
		"in a chunk":            "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s", 30_000, strings.Repeat("x", 20_000)),
		"with few, of a length": "Content-Length: 9000\r\n\r\n" + strings.Repeat("x", 8500),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := make(chan error, 1)
			s := serveUpload(t, config.MiB, func(in *fileInput) error {
				err := readAll(in)
				read <- err

				return err
			})
			connection, ok := s.raw(t, uploadHead+start).(*net.TCPConn)
			require.True(t, ok)
			require.NoError(t, connection.CloseWrite())

			require.ErrorContains(t, <-read, "web.body_incomplete")
		})
	}
}

func TestUpload_ThatIsTooSlowIsEnded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rate  config.Size
		pause time.Duration
	}{
		"stands still": {1, time.Hour},
		"trickles":     {config.MiB, 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveUpload(t, config.MiB, readAll, func(s *web.Settings) {
				s.ReadTimeout, s.Streams.MinUploadRate = 200*time.Millisecond, test.rate
			})
			connection := s.raw(t, uploadHead+"Content-Length: 500000\r\n\r\n"+strings.Repeat("x", 20_000))
			over := make(chan struct{})
			defer close(over)
			go func() {
				for {
					select {
					case <-over:
						return
					case <-time.After(test.pause):
						_, _ = io.WriteString(connection, "x")
					}
				}
			}()
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			require.NoError(t, err)

			require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
			require.NoError(t, response.Body.Close())
		})
	}
}

// part is a part of a form: a file if it has a file name.
type formPart struct{ field, file, text string }

func formOf(t *testing.T, parts ...formPart) (body, header string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		create := w.CreateFormField
		if p.file != "" {
			create = func(field string) (io.Writer, error) { return w.CreateFormFile(field, p.file) }
		}
		part, err := create(p.field)
		require.NoError(t, err)
		_, err = io.WriteString(part, p.text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())

	return b.String(), "Content-Type: " + w.FormDataContentType()
}

func TestUpload_ReadsTheFileOfAForm(t *testing.T) {
	t.Parallel()
	s := serveUpload(t, config.MiB, readAll)
	text := strings.Repeat("photo", 30_000)
	body, header := formOf(t, formPart{"note", "", "before"}, formPart{"file", "../etc/photo.png", text}, formPart{"place", "", "after"})
	r := s.call(t, http.MethodPost, flowsPath+"files", body, header).ok(t)

	require.JSONEq(t, `{"folder":"","name":"photo.png","media":"application/octet-stream","hash":"`+hashOf(text)+
		`","fields":{"note":"before","place":"after"}}`, r.body)
}

func TestUpload_RefusesAFormThatIsNotOneFile(t *testing.T) {
	t.Parallel()
	s := serveUpload(t, config.MiB, readAll)
	file := formPart{"file", "a.png", "x"}
	many := make([]formPart, 0, 40)
	for i := range 40 {
		many = append(many, formPart{fmt.Sprint("f", i), "", "x"})
	}
	for code, parts := range map[string][]formPart{
		"web.file_missing":   {{"note", "", "x"}},
		"web.one_file":       {file, file},
		"web.form_too_large": append(many, file),
		"web.invalid":        {{"note", "", "\xff"}, file},
	} {
		body, header := formOf(t, parts...)
		require.Contains(t, s.call(t, http.MethodPost, flowsPath+"files", body, header).body, code)
	}
	body, header := formOf(t, formPart{"note", "", strings.Repeat("x", 9000)}, file)
	require.Equal(t, "web.form_too_large", s.call(t, http.MethodPost, flowsPath+"files", body, header).refused(t, 413).Code)
	body, header = formOf(t, file)
	for cut := 3; cut < len(body); cut++ {
		r := s.call(t, http.MethodPost, flowsPath+"files", body[:len(body)-cut], header)
		require.Contains(t, []int{400, 422}, r.StatusCode, "%d %s", cut, r.body)
	}
}

func TestUpload_IsInTheDocument(t *testing.T) {
	t.Parallel()
	text, err := serveUpload(t, config.MiB, readAll).OpenAPI()
	require.NoError(t, err)

	require.Contains(t, string(text), `"multipart/form-data":{"example":{"file":`)
	require.Contains(t, string(text), `"image/png":{"example":`)
	require.NotContains(t, string(text), `"name":"Idempotency-Key"`)
}

func TestUpload_DeclarationIsChecked(t *testing.T) {
	t.Parallel()
	err := buildFlows(t, func(*web.Router) {}).Mount("wrong", func(r *web.Router) {
		op := flow("silent")
		op.Method = http.MethodPost
		web.Register(r, op, func(context.Context, *fileInput) (*struct{}, error) { return nil, nil })
		op.ID, op.Path, op.Consumes = "both", "/both", []string{"image/png"}
		web.Register(r, op, func(context.Context, *struct {
			upload.Upload

			Body thing
		},
		) (*struct{}, error) {
			return nil, nil
		})
	})

	require.ErrorContains(t, err, `operation "silent"`)
	require.ErrorContains(t, err, `operation "both"`)
}
