// Package outbound makes HTTP requests to the outside: to vendors, and to addresses that a stranger
// gave, such as those of webhooks.
//
// It tells exactly what became of a request, so that nothing is sent twice: an answer, an Error that
// says that nothing of it left this process, or one that says that nobody knows. It refuses
// addresses that are not public, bounds time and size, repeats only what the caller calls safe to
// repeat, and leaves a host alone that fails.
//
//	client, err := network.Client(outbound.Spec{Name: "sms.twilio"})
//	answer, err := client.Do(ctx, outbound.Call{Method: "POST", URL: url, Body: body})
//
// A vendor's API at a fixed address is an API, see Client.API.
package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// maxHeader is how many bytes the header of an answer may have.
const maxHeader = 64 << 10

var clientName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)

// Network is the way to the outside of one service. It may be used from several goroutines.
type Network struct {
	settings Settings
	guard    *guard
	clock    clock.Clock
	seen     observation

	mu      sync.Mutex
	clients []*Client
}

// New returns a network; it does no I/O. The settings are valid.
func New(s Settings, clk clock.Clock) (*Network, error) {
	g, err := newGuard(s, net.DefaultResolver)
	if err != nil {
		return nil, fmt.Errorf("outbound: %w", err)
	}

	return &Network{settings: s, guard: g, clock: clk}, nil
}

// Check reports an address that no client of this network would call, as an Error of NotSent. A
// name is not resolved: who stores an address checks it with this, and each call checks it again
// with what the name then means.
func (n *Network) Check(address string) error {
	if _, err := n.guard.check(address); err != nil {
		return &Error{Outcome: NotSent, Reason: BlockedURL, Detail: err.Error()}
	}

	return nil
}

// Spec describes a client. Zero times and sizes are those of the settings.
type Spec struct {
	// Name is "<area>.<vendor or purpose>"; it is the label of metrics.
	Name string
	// Timeout bounds one attempt, from the resolving of the name to the last byte of the answer.
	Timeout time.Duration
	// MaxAnswer is the most bytes of an answer; more is an Error.
	MaxAnswer int64
	// Roots are the certificate authorities, instead of those of the system.
	Roots *x509.CertPool
	// Own is for calls to this service itself: it returns the host and port at which the service listens, "" while it does
	// not. They alone may be called then, by http://, public or not.
	Own func() string
}

// Client makes requests for one purpose. It may be used from several goroutines.
type Client struct {
	network   *Network
	guard     *guard
	spec      Spec
	transport *http.Transport
	breakers  *breakers
}

// Client returns a client. It lives as long as the network; make one per vendor, not per call.
func (n *Network) Client(s Spec) (*Client, error) {
	if !clientName.MatchString(s.Name) {
		return nil, fmt.Errorf("outbound: client %q: want the area and the vendor, such as yards.acme", s.Name)
	}
	if s.Timeout <= 0 {
		s.Timeout = n.settings.Timeout
	}
	if s.MaxAnswer <= 0 {
		s.MaxAnswer = int64(n.settings.MaxAnswer)
	}
	b, err := newBreakers(n.settings)
	if err != nil {
		return nil, err
	}
	c := &Client{network: n, guard: n.guard, spec: s, breakers: b}
	if s.Own != nil {
		c.guard = &guard{own: s.Own, settings: n.settings}
	}
	c.transport = n.transport(s, c.guard)
	n.mu.Lock()
	n.clients = append(n.clients, c)
	n.mu.Unlock()

	return c, nil
}

// transport is HTTP/1.1 on connections of the guard. HTTP/2 is off: with many requests on one
// connection, what of a request has left this process cannot be told exactly.
func (n *Network) transport(s Spec, g *guard) *http.Transport {
	t := &http.Transport{
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.Roots},
		TLSHandshakeTimeout:    n.settings.TLSTimeout,
		ResponseHeaderTimeout:  n.settings.HeaderTimeout,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	if proxy := g.proxy; proxy != nil {
		t.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
	}

	return t
}

// Stop closes connections that no request uses.
func (n *Network) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.clients {
		c.transport.CloseIdleConnections()
	}
}
