package databasetest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// Proxy stands between a process and PostgreSQL, and does to its connections what networks do.
type Proxy struct {
	// URL is that of the database behind the proxy.
	URL string

	network, server string
	listener        net.Listener
	work            sync.WaitGroup

	// frozen is held while nothing is passed on.
	frozen sync.RWMutex

	mu    sync.Mutex
	links map[*proxied]struct{}
	// loses is the text after which an answer is lost, nil for none.
	loses []byte
	lost  chan struct{}
}

// proxied is a connection through the proxy.
type proxied struct{ client, server net.Conn }

// NewProxy begins to serve the database at a URL of PostgreSQL, until the test ends.
func NewProxy(t testing.TB, of string) *Proxy {
	t.Helper()
	parsed, err := pgconn.ParseConfig(of)
	require.NoError(t, err)
	p := &Proxy{links: map[*proxied]struct{}{}}
	p.network, p.server = pgconn.NetworkAddress(parsed.Host, parsed.Port)
	p.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u, err := url.Parse(of)
	require.NoError(t, err)
	u.Host = p.listener.Addr().String()
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable") // the proxy reads what is sent
	u.RawQuery = query.Encode()
	p.URL = u.String()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	p.work.Go(func() { p.accept(ctx) })
	t.Cleanup(func() {
		stop()
		require.NoError(t, p.listener.Close())
		p.Reset()
		p.work.Wait()
	})

	return p
}

// LoseAnswer has the proxy pass on, once, what the next client sends with this text in it, keep the server's answer
// to itself, and reset the connection. The channel is closed when that has happened.
func (p *Proxy) LoseAnswer(text string) (lost <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loses, p.lost = []byte(text), make(chan struct{})

	return p.lost
}

// Reset resets every connection that is open.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for link := range p.links {
		link.reset()
	}
}

// Freeze has the proxy pass nothing on, as a network does that is cut, until thaw.
func (p *Proxy) Freeze() (thaw func()) {
	p.frozen.Lock()

	return p.frozen.Unlock
}

// pass writes what was read, once the proxy is not frozen.
func (p *Proxy) pass(to net.Conn, chunk []byte) error {
	p.frozen.RLock()
	defer p.frozen.RUnlock()
	_, err := to.Write(chunk)

	return err
}

// ResetOne resets any one of the connections that are open.
func (p *Proxy) ResetOne() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for link := range p.links { // in no order
		link.reset()

		return
	}
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(ctx, p.network, p.server)
		if err != nil {
			(&proxied{client: client}).reset()

			continue
		}
		link := &proxied{client: client, server: server}
		p.mu.Lock()
		p.links[link] = struct{}{}
		p.mu.Unlock()
		p.work.Go(func() { p.serve(link) })
	}
}

// serve passes on what both sides send until one of them ends.
func (p *Proxy) serve(link *proxied) {
	muted := make(chan chan struct{}, 1)
	var answers sync.WaitGroup
	answers.Go(func() {
		defer link.reset()
		p.passAnswers(link, muted)
	})
	chunk := make([]byte, 1<<16)
	for {
		n, err := link.client.Read(chunk)
		if lost := p.toLose(chunk[:n]); lost != nil {
			muted <- lost
		}
		if problem := p.pass(link.server, chunk[:n]); problem != nil || err != nil {
			break
		}
	}
	link.reset()
	answers.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, link)
}

// toLose returns what to close once the answer to a message is lost, nil if it is to arrive.
func (p *Proxy) toLose(message []byte) (lost chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loses == nil || !bytes.Contains(message, p.loses) {
		return nil
	}
	p.loses = nil

	return p.lost
}

// passAnswers passes on what the server sends. Once the channel says so it keeps that back, and returns when the
// server is ready for the next query.
func (p *Proxy) passAnswers(l *proxied, muted <-chan chan struct{}) {
	chunk := make([]byte, 1<<16)
	var lost chan struct{}
	for {
		n, err := l.server.Read(chunk)
		if lost == nil {
			select {
			case lost = <-muted:
			default:
			}
		}
		if lost != nil && (err != nil || bytes.HasSuffix(chunk[:n], []byte("Z\x00\x00\x00\x05I"))) {
			l.reset()
			close(lost)

			return
		}
		if lost == nil {
			err = errors.Join(err, p.pass(l.client, chunk[:n]))
		}
		if err != nil {
			return
		}
	}
}

// reset ends the connection as a machine in between does that has forgotten it.
func (l *proxied) reset() {
	for _, c := range []net.Conn{l.client, l.server} {
		if tcp, ok := c.(*net.TCPConn); ok && tcp.SetLinger(0) != nil {
			continue // it is closed
		}
		if c != nil && c.Close() != nil {
			continue // it is closed
		}
	}
}
