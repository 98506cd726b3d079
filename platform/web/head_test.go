package web_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web"
)

// raw is a connection to a service.
type rawConn struct {
	net.Conn

	in *bufio.Reader
}

func connect(t *testing.T, s *service) rawConn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	require.NoError(t, c.SetDeadline(clock.System{}.Now().Add(10*time.Second)))

	return rawConn{c, bufio.NewReader(c)}
}

func (c rawConn) send(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

func (c rawConn) answer(t *testing.T) reply {
	t.Helper()
	response, err := http.ReadResponse(c.in, nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return reply{Response: response, body: string(text)}
}

// ended asserts that the service closes the connection, and sends nothing more on it.
func (c rawConn) ended(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(c.in)
	require.NoError(t, err)
	require.Empty(t, string(rest))
}

func TestHead_ThatCanBeReadInTwoWaysIsRefusedAndTheConnectionClosed(t *testing.T) {
	t.Parallel()
	const post = "POST /things/api/v1/raw HTTP/1.1\r\n"
	const body = "{}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	s := start(t)
	for name, text := range map[string]string{
		"length and coding":       post + "Host: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + body,
		"coding and length":       post + "Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n" + body,
		"two lengths":             post + "Host: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n" + body,
		"a list of lengths":       post + "Host: x\r\nContent-Length: 2, 2\r\n\r\n" + body,
		"a signed length":         post + "Host: x\r\nContent-Length: +2\r\n\r\n" + body,
		"two codings":             post + "Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + body,
		"another coding":          post + "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + body,
		"coding identity":         post + "Host: x\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n" + body,
		"a coding of HTTP/1.0":    "POST /things/api/v1/raw HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a space before a colon":  post + "Host: x\r\nContent-Length : 2\r\n\r\n" + body,
		"a tab before a colon":    post + "Host: x\r\nContent-Length\t: 2\r\n\r\n" + body,
		"two hosts":               post + "Host: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n" + body,
		"no host":                 post + "Content-Length: 2\r\n\r\n" + body,
		"a folded header":         post + "Host: x\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n" + body,
		"a folded first header":   post + " X-Folded: a\r\nHost: x\r\nContent-Length: 2\r\n\r\n" + body,
		"a bare LF after a line":  "GET /healthz HTTP/1.1\nHost: x\r\n\r\n",
		"a bare LF in the middle": "GET /healthz HTTP/1.1\r\nA: b\nHost: x\r\n\r\n",
		"a bare LF at the end":    "GET /healthz HTTP/1.1\r\nHost: x\r\n\n",
		"nothing but bare LF":     "GET /healthz HTTP/1.1\nHost: x\n\n",
		"an empty line of LF":     "\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"HTTP/9.9":                "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
		"HTTP/1.2":                "GET /healthz HTTP/1.2\r\nHost: x\r\n\r\n",
		"HTTP/0.9":                "GET /healthz HTTP/0.9\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// As the first request of a connection, after another one, and together with it.
			for _, before := range []string{"", "alone", "together"} {
				c := connect(t, s)
				const fine = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
				switch before {
				case "alone":
					c.send(t, fine)
					c.answer(t).ok(t)
					c.send(t, text)
				case "together":
					if strings.Contains(name, "LF") {
						continue // is seen where lines are not cut off already, see below
					}
					c.send(t, fine+text)
					c.answer(t).ok(t)
				default:
					c.send(t, text)
				}
				answer := c.answer(t)
				answer.refused(t, 400)
				require.True(t, answer.Close)
				c.ended(t)
			}
		})
	}
}

func TestHead_InPiecesIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s)
	for range 2 {
		for _, piece := range []string{"\r", "\nGET /healthz HT", "TP/1.1\r", "\nHost: x\r\n", "\r", "\n"} {
			c.send(t, piece)
		}
		c.answer(t).ok(t)
	}
	c.send(t, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nA: b\nHost: x\r\n\r\n")
	c.answer(t).ok(t)
	c.answer(t).refused(t, 400)
	c.ended(t)
}

func TestHead_OfABodyWithBareLFIsFine(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s)
	const head = "POST /things/api/v1/raw HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n"
	for range 3 {
		c.send(t, head+"Content-Length: 4\r\n\r\n{\n\n}")
		c.answer(t).ok(t)
		c.send(t, head+"Content-Length: 4\r\n\r\n{")
		c.send(t, "\n\n}")
		c.answer(t).ok(t)
		c.send(t, head+"Transfer-Encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n")
		c.answer(t).ok(t)
	}
	c.send(t, "GET /healthz HTTP/1.0\r\n\r\n")
	c.answer(t).ok(t)
	c.ended(t)
}

func TestRefusal_ComesAtOnceHoweverLittleOfTheBodyWasSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, sent := range []string{"", "{", strings.Repeat("x", 7<<10), strings.Repeat("x", 40<<10)} {
		c := connect(t, s)
		began := clock.System{}.Now()
		c.send(t, "POST /things/api/v1/raw HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"+sent)
		answer := c.answer(t)
		answer.refused(t, 401)
		require.Less(t, clock.System{}.Now().Sub(began), time.Second)
		require.True(t, answer.Close)
	}
}

func TestRefusal_KeepsTheConnectionWhenTheBodyIsThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s)
	for range 2 {
		c.send(t, "POST /things/api/v1/raw HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30000\r\n\r\n"+strings.Repeat("x", 30000))
		answer := c.answer(t)
		answer.refused(t, 401)
		require.False(t, answer.Close)
	}
}

func BenchmarkHead(b *testing.B) {
	api := web.New(quiet(), tokens{}, web.About{}, nil)
	require.NoError(b, api.Start(b.Context()))
	b.Cleanup(func() { require.NoError(b, api.Stop(b.Context())) })
	c, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", api.Address())
	require.NoError(b, err)
	in, answer := bufio.NewReader(c), make([]byte, 4096)
	request := []byte("GET /healthz HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: bench\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		_, err := c.Write(request)
		require.NoError(b, err)
		_, err = in.Read(answer)
		require.NoError(b, err)
	}
}

func quiet() web.Settings {
	s := web.Defaults()
	s.Address, s.AccessLog = "127.0.0.1:0", false

	return s
}
