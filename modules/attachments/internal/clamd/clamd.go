// Package clamd has ClamAV's daemon look at content: the command INSTREAM of its protocol, over TCP or a
// Unix socket, as clamd(8) describes it.
package clamd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

var (
	// ErrAway says that clamd could not be asked, or went away before it had answered.
	ErrAway = errors.New("clamd does not answer")
	// ErrTooLarge says that the content is larger than clamd's StreamMaxLength.
	ErrTooLarge = errors.New("the content is larger than clamd scans")
	// ErrFailed says that clamd answered, and could not look at the content.
	ErrFailed = errors.New("clamd could not scan the content")
)

const (
	// piece is how much is sent at a time.
	piece = 64 << 10
	// longestAnswer is how many bytes an answer of clamd may have.
	longestAnswer = 4 << 10
	connectTime   = 10 * time.Second
)

// Client asks one clamd. It may be used from several goroutines.
type Client struct {
	network, address string
	timeout          time.Duration
	turns            chan struct{}
}

// New returns a client of the clamd at an address, tcp://host:port or unix:///path. Clamd must take each
// piece, and answer, within the timeout; no more contents than atOnce are looked at at a time, and others
// wait.
func New(address string, timeout time.Duration, atOnce int) (*Client, error) {
	network, at, err := splitAddress(address)
	if err != nil {
		return nil, err
	}

	return &Client{network: network, address: at, timeout: timeout, turns: make(chan struct{}, atOnce)}, nil
}

func splitAddress(address string) (network, at string, err error) {
	network, at, _ = strings.Cut(address, "://")
	switch network {
	case "unix":
		if !strings.HasPrefix(at, "/") {
			return "", "", fmt.Errorf("%q: want the path of a socket, such as unix:///run/clamav/clamd.ctl", address)
		}
	case "tcp":
		if _, port, err := net.SplitHostPort(at); err != nil || port == "" {
			return "", "", fmt.Errorf("%q: want a host and a port, such as tcp://clamav:3310", address)
		}
	default:
		return "", "", fmt.Errorf("%q: want tcp://host:port or unix:///path", address)
	}

	return network, at, nil
}

// Scan returns the name of what clamd found in content, "" for nothing. Errors are ErrAway, ErrTooLarge,
// ErrFailed, those of the context, and those of reading the content, as they are.
func (c *Client) Scan(ctx context.Context, content io.Reader) (string, error) {
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	dialer := net.Dialer{Timeout: min(connectTime, c.timeout)}
	conn, err := dialer.DialContext(ctx, c.network, c.address)
	if err != nil {
		return "", unavailableError(ctx, err)
	}
	defer conn.Close()                                                           //nolint:errcheck // the answer was read, or there is none
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck,gosec // of a connection that is closed already
	defer stop()

	s := session{conn: conn, timeout: c.timeout, ctx: ctx}
	if err := s.send(content); err != nil {
		return "", err
	}
	answer, err := s.answer()
	if err != nil {
		return "", unavailableError(ctx, err)
	}

	return parseVerdict(answer)
}

// session is one content on its way to clamd.
type session struct {
	conn    net.Conn
	timeout time.Duration
	ctx     context.Context //nolint:containedctx // of the one call that the session is
}

// send sends the content piece by piece. When clamd takes no more, it may have said why: then send returns nil.
func (s session) send(content io.Reader) error {
	if err := s.write([]byte("zINSTREAM\x00")); err != nil {
		return unavailableError(s.ctx, err)
	}
	buffer := make([]byte, 4+piece)
	for {
		n, err := io.ReadFull(content, buffer[4:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		ended := err != nil
		if n > 0 {
			binary.BigEndian.PutUint32(buffer, uint32(n)) //nolint:gosec // at most piece
			if err := s.write(buffer[:4+n]); err != nil {
				return s.refused(err)
			}
		}
		if ended {
			break
		}
	}
	if err := s.write(make([]byte, 4)); err != nil {
		return s.refused(err)
	}

	return nil
}

func (s session) write(p []byte) error {
	if err := s.extend(); err != nil {
		return err
	}
	_, err := s.conn.Write(p)

	return err
}

// extend gives clamd its time anew, unless the context has ended.
func (s session) extend() error {
	if err := s.conn.SetDeadline(time.Now().Add(s.timeout)); err != nil { //nolint:forbidigo // a deadline of the machine's clock
		return err
	}

	return s.ctx.Err() // after the deadline: the end of the context may have set one before it
}

// refused says why a piece was not taken.
func (s session) refused(cause error) error {
	if answer, err := s.answer(); err == nil {
		if _, err := parseVerdict(answer); errors.Is(err, ErrTooLarge) {
			return err
		}
	}

	return unavailableError(s.ctx, cause)
}

// answer reads to the zero byte that ends an answer.
func (s session) answer() (string, error) {
	if err := s.extend(); err != nil {
		return "", err
	}
	var text bytes.Buffer
	part := make([]byte, 512)
	for text.Len() < longestAnswer {
		n, err := s.conn.Read(part)
		text.Write(part[:n])
		if before, _, ended := bytes.Cut(text.Bytes(), []byte{0}); ended {
			return string(before), nil
		}
		if err != nil {
			return "", err
		}
	}

	return "", errors.New("clamd's answer is too long")
}

// parseVerdict reads an answer. Anything but a plain OK is no approval.
func parseVerdict(answer string) (string, error) {
	name, found := strings.CutSuffix(answer, " FOUND")
	name, stream := strings.CutPrefix(name, "stream: ")
	switch {
	case answer == "stream: OK":
		return "", nil
	case found && stream && strings.TrimSpace(name) != "":
		return printableText(name), nil
	case strings.HasSuffix(answer, "ERROR") && strings.Contains(answer, "size limit exceeded"):
		return "", ErrTooLarge
	case strings.HasSuffix(answer, "ERROR"):
		return "", fmt.Errorf("%w: %s", ErrFailed, printableText(answer))
	default:
		return "", fmt.Errorf("%w: it answered %q", ErrAway, printableText(answer))
	}
}

const longestName = 200

// printableText makes what clamd says fit to be shown.
func printableText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}

		return r
	}, strings.TrimSpace(text))

	return text[:min(len(text), longestName)]
}

// unavailableError makes ErrAway of a failure of the connection, but for the end of the context.
func unavailableError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}

	return fmt.Errorf("%w: %w", ErrAway, err)
}
