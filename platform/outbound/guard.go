package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// maxURL is how many bytes the address of a call may have.
const maxURL = 2048

// errBlockedAddress says that a name means an address that is not public.
var errBlockedAddress = errors.New("the host has an address that is not public")

// resolver is what of net.Resolver the guard uses.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// guard decides what may be called. It looks at the text of an address, resolves its name itself,
// and connects to what it has looked at, so that a name that means something else a moment later
// (DNS rebinding) leads nowhere.
type guard struct {
	ranges    ranges
	ports     map[string]bool
	hosts     map[string]bool
	allowHTTP bool
	proxy     *url.URL
	names     resolver
	settings  Settings
	// own returns the host and port that alone may be called, nil where that is not so.
	own func() string
}

func newGuard(s Settings, names resolver) (*guard, error) {
	networks, err := parseNetworks(s.AllowNetworks)
	ports, wrongPorts := parsePorts(s.Ports)
	proxy, wrongProxy := parseProxy(s.Proxy)
	if err := errors.Join(err, wrongPorts, wrongProxy); err != nil {
		return nil, err
	}
	g := &guard{
		ranges: newRanges(networks), ports: ports, hosts: map[string]bool{}, allowHTTP: s.AllowHTTP, proxy: proxy, names: names, settings: s,
	}
	for _, host := range s.AllowHosts {
		name := plainHost(host)
		if err := wellFormed(name); err != nil {
			return nil, fmt.Errorf("allow_hosts: %q: want a name such as erp.example.com", host)
		}
		g.hosts[name] = true
	}

	return g, nil
}

// plainHost is a name as it is compared.
func plainHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// check parses the address of a call and reports what of it is not allowed. Its errors quote nothing
// of the address, which may hold secrets.
func (g *guard) check(address string) (*url.URL, error) {
	if len(address) > maxURL {
		return nil, fmt.Errorf("the address has more than %d bytes", maxURL)
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return nil, errors.New("the address cannot be read: want https://host/path")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !g.allowHTTP && g.own == nil) {
		return nil, errors.New("the address does not begin with https://")
	}
	if u.User != nil {
		return nil, errors.New("the address holds a user")
	}
	if g.own != nil {
		return u, g.checkOwn(u)
	}
	host := plainHost(u.Hostname())
	if err := wellFormed(host); err != nil {
		return nil, err
	}
	if err := g.checkHost(host); err != nil {
		return nil, err
	}
	if !g.trusted(host) && !g.ports[portOf(u)] {
		return nil, errors.New("the port is not allowed")
	}
	u.Fragment, u.RawFragment = "", ""

	return u, nil
}

// checkOwn reports an address that is not the service's own.
func (g *guard) checkOwn(u *url.URL) error {
	if own := g.own(); own == "" || u.Scheme != "http" || u.Host != own {
		return errors.New("the address is not the service's own")
	}

	return nil
}

// trusted reports whether the configuration names the host.
func (g *guard) trusted(host string) bool {
	if g.hosts[host] {
		return true
	}
	ip, err := netip.ParseAddr(host)

	return err == nil && g.ranges.allows(ip) && g.ranges.open(ip)
}

// checkHost reports a host that is not public by its text alone.
func (g *guard) checkHost(host string) error {
	if g.hosts[host] {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if !g.ranges.open(ip) {
			return errors.New("the host is not public")
		}

		return nil
	}
	if localName(host) {
		return errors.New("the host is not public")
	}

	return nil
}

// localName reports names that mean something on a private network: without a dot, and the
// special-use ones of RFC 6761, RFC 6762, RFC 8375 and ICANN's "internal", under which clouds serve
// their metadata.
func localName(host string) bool {
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".localdomain", ".home.arpa", ".svc", ".test", ".invalid", ".onion"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}

	return false
}

// wellFormed reports text that is neither an address as netip reads it, which takes no decimal,
// octal, hexadecimal or short forms, nor a name of ASCII letters, digits, hyphens, underscores and dots.
// A name whose last label is a number would be an address to some (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func wellFormed(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return errors.New("the host has a zone")
		}

		return nil
	}
	wrong := errors.New("the host is neither a name nor an address in its usual form")
	if host == "" || len(host) > 253 {
		return wrong
	}
	var last string
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return wrong
		}
		last = label
	}
	digits := strings.TrimLeft(last, "0123456789") == ""
	hex := strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == ""
	if digits || hex {
		return wrong
	}

	return nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	default:
		return "443"
	}
}

// dial connects to the host of a call. Every address that its name has must be open, and only those
// are tried.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, g.settings.ConnectTimeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if g.own != nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}

		return &countedConn{Conn: conn}, nil
	}
	free := g.hosts[plainHost(host)] || g.isProxy(host, port)
	ips, err := g.resolve(ctx, host, free)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{}
	if !free {
		dialer.Control = g.control
	}
	for i, ip := range ips {
		var conn net.Conn
		if conn, err = g.dialOne(ctx, dialer, network, net.JoinHostPort(ip.String(), port), len(ips)-i); err == nil {
			return &countedConn{Conn: conn}, nil
		}
		if ctx.Err() != nil {
			break
		}
	}

	return nil, err
}

// dialOne tries one address, for its share of the time that is left.
func (g *guard) dialOne(ctx context.Context, dialer net.Dialer, network, address string, left int) (net.Conn, error) {
	dialer.Timeout = g.settings.ConnectTimeout
	if left > 1 {
		dialer.Timeout /= 2
	}

	return dialer.DialContext(ctx, network, address)
}

// resolve returns the addresses of a host, unless one of them is closed.
func (g *guard) resolve(ctx context.Context, host string, free bool) ([]netip.Addr, error) {
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = []netip.Addr{ip}
	} else if ips, err = g.names.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, &net.OpError{Op: "lookup", Err: err}
	}
	if len(ips) == 0 {
		return nil, &net.OpError{Op: "lookup", Err: errors.New("no addresses")}
	}
	for i, ip := range ips {
		if !free && !g.ranges.open(ip) {
			return nil, errBlockedAddress
		}
		ips[i] = ip.Unmap()
	}

	return ips, nil
}

// control looks once more at the address of a socket, at the last moment before it connects.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !g.ranges.open(at.Addr()) {
		return errBlockedAddress
	}

	return nil
}

func (g *guard) isProxy(host, port string) bool {
	return g.proxy != nil && host == g.proxy.Hostname() && port == portOf(g.proxy)
}
