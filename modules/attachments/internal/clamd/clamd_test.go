package clamd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
)

// daemon answers INSTREAM as answer says, which is given what arrived.
func daemon(t *testing.T, network string, answer func(conn net.Conn, r *bufio.Reader)) string {
	t.Helper()
	at := "127.0.0.1:0"
	if network == "unix" {
		at = filepath.Join(t.TempDir(), "c")
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), network, at)
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close() //nolint:errcheck // of the fake
				answer(conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		running.Wait()
	})

	return network + "://" + listener.Addr().String()
}

// received reads a whole INSTREAM.
func received(r *bufio.Reader) ([]byte, error) {
	if command, err := r.ReadString(0); err != nil || command != "zINSTREAM\x00" {
		return nil, errors.New("no command")
	}
	var all []byte
	for {
		var size uint32
		if err := binary.Read(r, binary.BigEndian, &size); err != nil || size == 0 {
			return all, err
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(r, part); err != nil {
			return all, err
		}
		all = append(all, part...)
	}
}

// whole is received without its error: a daemon minds none.
func whole(r *bufio.Reader) []byte {
	all, err := received(r)
	if err != nil {
		return nil
	}

	return all
}

// reply answers, whether or not anybody listens.
func reply(conn net.Conn, text string) {
	if _, err := io.WriteString(conn, text); err != nil {
		return
	}
}

// skip reads some bytes, if there are any.
func skip(r *bufio.Reader, n int64) {
	if _, err := io.CopyN(io.Discard, r, n); err != nil {
		return
	}
}

func replyWith(text string) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		if _, err := received(r); err == nil {
			reply(conn, text)
		}
	}
}

func scan(t *testing.T, address string, timeout time.Duration, content io.Reader) (string, error) {
	t.Helper()
	client, err := clamd.New(address, timeout, 2)
	require.NoError(t, err)

	return client.Scan(t.Context(), content)
}

func TestScan_SendsAllOfTheContent(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), 50_000)
	for _, network := range []string{"tcp", "unix"} {
		got := make(chan []byte, 1)
		address := daemon(t, network, func(conn net.Conn, r *bufio.Reader) {
			got <- whole(r)
			reply(conn, "stream: OK\x00")
		})
		found, err := scan(t, address, time.Minute, bytes.NewReader(content))
		require.NoError(t, err)
		require.Empty(t, found)
		require.True(t, bytes.Equal(content, <-got))
	}
}

func TestScan_ApprovesOnAPlainOKAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		found string
		err   error
	}{
		"stream: Eicar-Test-Signature FOUND\x00":      {found: "Eicar-Test-Signature"},
		"stream: a\x1b[31m FOUND\x00":                 {found: "a?[31m"},
		"INSTREAM size limit exceeded. ERROR\x00":     {err: clamd.ErrTooLarge},
		"stream: Can't allocate memory ERROR\x00":     {err: clamd.ErrFailed},
		"stream:  FOUND\x00":                          {err: clamd.ErrAway},
		"stream: OK":                                  {err: clamd.ErrAway}, // cut
		"stream: OK or so\x00":                        {err: clamd.ErrAway},
		"HTTP/1.1 200 OK\r\n\r\n\x00":                 {err: clamd.ErrAway},
		"":                                            {err: clamd.ErrAway},
		"\x00stream: OK\x00":                          {err: clamd.ErrAway},
		strings.Repeat("garbage ", 10_000) + "OK\x00": {err: clamd.ErrAway},
	} {
		found, err := scan(t, daemon(t, "tcp", replyWith(text)), time.Minute, strings.NewReader("content"))
		require.ErrorIs(t, err, want.err, "%.30q", text)
		require.Equal(t, want.found, found)
	}
}

func TestScan_SaysThatClamdTakesNoMore(t *testing.T) {
	t.Parallel()
	address := daemon(t, "tcp", func(conn net.Conn, r *bufio.Reader) {
		skip(r, 1<<20)
		reply(conn, "INSTREAM size limit exceeded. ERROR\x00")
		skip(r, 1<<40) // as clamd, which reads on for a while
	})
	_, err := scan(t, address, time.Minute, io.LimitReader(zeros{}, 8<<20))
	require.ErrorIs(t, err, clamd.ErrTooLarge)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestScan_DoesNotWaitForADaemonThatIsSlowOrGone(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	t.Cleanup(func() { close(left) })
	for name, behave := range map[string]func(net.Conn, *bufio.Reader){
		"takes nothing":      func(net.Conn, *bufio.Reader) { <-left },
		"does not answer":    func(_ net.Conn, r *bufio.Reader) { whole(r); <-left },
		"hangs up":           func(net.Conn, *bufio.Reader) {},
		"hangs up in answer": func(conn net.Conn, r *bufio.Reader) { whole(r); reply(conn, "stream: ") },
		"hangs up in middle": func(_ net.Conn, r *bufio.Reader) { skip(r, 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			go func() {
				conn, err := listener.Accept()
				if err == nil {
					behave(conn, bufio.NewReader(conn))
					conn.Close() //nolint:errcheck // of the fake
				}
			}()
			t.Cleanup(func() { require.NoError(t, listener.Close()) })
			_, err = scan(t, "tcp://"+listener.Addr().String(), 200*time.Millisecond, io.LimitReader(zeros{}, 64<<20))
			require.ErrorIs(t, err, clamd.ErrAway)
		})
	}
	_, err := scan(t, "unix:///nonexistent/clamd.ctl", time.Second, strings.NewReader("x"))
	require.ErrorIs(t, err, clamd.ErrAway)
}

func TestScan_ReturnsWhatReadingFailedWith(t *testing.T) {
	t.Parallel()
	broken := errors.New("the bucket broke")
	_, err := scan(t, daemon(t, "tcp", replyWith("stream: OK\x00")), time.Minute,
		io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestScan_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client, err := clamd.New(daemon(t, "tcp", func(_ net.Conn, r *bufio.Reader) {
		whole(r)
		cancel()
		skip(r, 1)
	}), time.Minute, 1)
	require.NoError(t, err)
	_, err = client.Scan(ctx, strings.NewReader("content"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.Scan(ctx, strings.NewReader("content"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestNew_RefusesAddressesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:3310", "tcp://", "tcp://localhost", "unix://clamd", "http://x:1"} {
		_, err := clamd.New(address, time.Second, 1)
		require.Error(t, err, address)
	}
}
