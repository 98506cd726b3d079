package outbound

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

func guarded(t testing.TB, s Settings, names resolver) *guard {
	t.Helper()
	g, err := newGuard(s, names)
	require.NoError(t, err)

	return g
}

func TestOpen_ClosesEveryRangeThatIsNotPublic(t *testing.T) {
	t.Parallel()
	r := newRanges(nil)
	tests := map[string][]string{
		"this network":        {"0.0.0.0", "0.255.255.255"},
		"private 10":          {"10.0.0.0", "10.255.255.255"},
		"carrier-grade NAT":   {"100.64.0.0", "100.127.255.255", "100.100.100.200"},
		"loopback":            {"127.0.0.0", "127.0.0.1", "127.255.255.255"},
		"link-local":          {"169.254.0.0", "169.254.169.254", "169.254.255.255"},
		"private 172":         {"172.16.0.0", "172.31.255.255"},
		"protocols":           {"192.0.0.0", "192.0.0.192", "192.0.0.255"},
		"TEST-NET-1":          {"192.0.2.0", "192.0.2.255"},
		"6to4 relays":         {"192.88.99.0", "192.88.99.255"},
		"private 192":         {"192.168.0.0", "192.168.255.255"},
		"benchmarks":          {"198.18.0.0", "198.19.255.255"},
		"TEST-NET-2":          {"198.51.100.0", "198.51.100.255"},
		"TEST-NET-3":          {"203.0.113.0", "203.0.113.255"},
		"multicast":           {"224.0.0.0", "239.255.255.255"},
		"reserved":            {"240.0.0.0", "255.255.255.254"},
		"broadcast":           {"255.255.255.255"},
		"Azure":               {"168.63.129.16"},
		"unspecified":         {"::"},
		"loopback 6":          {"::1"},
		"mapped":              {"::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:a9fe:a9fe"},
		"compatible":          {"::127.0.0.1", "::8.8.8.8"},
		"NAT64":               {"64:ff9b::7f00:1", "64:ff9b::808:808"},
		"NAT64 local":         {"64:ff9b:1::1"},
		"discard":             {"100::1"},
		"protocols 6, Teredo": {"2001::1", "2001:1ff:ffff::1"},
		"documentation 6":     {"2001:db8::1", "3fff::1"},
		"6to4":                {"2002:7f00:1::1", "2002:808:808::1"},
		"unique local":        {"fc00::1", "fdff::1", "fd00:ec2::254"},
		"link-local 6":        {"fe80::1", "febf::1", "fe80::1%eth0"},
		"site-local":          {"fec0::1"},
		"multicast 6":         {"ff00::1", "ff02::1"},
		"segment routing":     {"5f00::1"},
		"zone":                {"2606:4700::1%1"},
	}
	for name, addresses := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, address := range addresses {
				require.Falsef(t, r.open(netip.MustParseAddr(address)), address)
			}
		})
	}
	for _, public := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"::ffff:1.1.1.1", "2606:4700::1111", "2a00::1", "2001:200::1",
	} {
		require.Truef(t, r.open(netip.MustParseAddr(public)), public)
	}
	require.False(t, r.open(netip.Addr{}))
}

func TestOpen_LooksThroughNAT64ThatIsAllowed(t *testing.T) {
	t.Parallel()
	r := newRanges([]netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")})
	require.True(t, r.open(netip.MustParseAddr("64:ff9b::101:101")))
	require.False(t, r.open(netip.MustParseAddr("64:ff9b::a9fe:a9fe")))
	require.True(t, r.open(netip.MustParseAddr("2002:101:101::1")))
	require.False(t, r.open(netip.MustParseAddr("2002:a00:1::1")))
}

func TestCheck_RefusesWhatIsNotAPublicHTTPSAddress(t *testing.T) {
	t.Parallel()
	g := guarded(t, Defaults(), nil)
	for _, refused := range []string{
		"", "https://", "//example.com", "example.com", "https:example.com", "ftp://example.com", "file:///etc/passwd", "http://example.com",
		"gopher://example.com", "https://user@example.com", "https://user:password@example.com", "https://@example.com",
		"https://example.com:80", "https://example.com:22", "https://example.com:65536", "https://example.com:x",
		"https://localhost", "https://LOCALHOST.", "https://a.localhost", "https://printer", "https://printer.local",
		"https://metadata", "https://metadata.google.internal", "https://instance-data", "https://instance-data.ec2.internal",
		"https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local", "https://router.home.arpa",
		"https://127.0.0.1", "https://127.0.0.1.", "https://127.1", "https://2130706433", "https://0x7f000001", "https://0x7f.0.0.1", "https://0X7F.1",
		"https://0177.0.0.1", "https://017700000001", "https://127.0.0.01", "https://1.2.3.4.5", "https://1.2.3.256", "https://a.b.0x", "https://example.123",
		"https://[::1]", "https://[::ffff:127.0.0.1]", "https://[::ffff:7f00:1]", "https://[::127.0.0.1]", "https://[64:ff9b::7f00:1]",
		"https://[2002:7f00:1::]", "https://[fe80::1%25eth0]", "https://[fd00:ec2::254]", "https://169.254.169.254/latest/meta-data",
		"https://１２７.0.0.1", "https://ⓛocalhost", "https://exämple.com", "https://example..com", "https://.example.com", "https://exa mple.com",
		"https://exa%6dple.com", "https://example.com\\@127.0.0.1", "https://example.com%00.evil.com", "https://" + strings.Repeat("a.", 127) + "com",
		"https://example.com/" + strings.Repeat("x", maxURL),
	} {
		_, err := g.check(refused)
		require.Errorf(t, err, refused)
		require.NotContains(t, err.Error(), "password")
	}
	for _, fine := range []string{
		"https://example.com", "https://EXAMPLE.com./hook?token=x", "https://example.com:443/", "https://example.com:8443/", "https://xn--exmple-cua.com",
		"https://1.1.1.1/", "https://[2606:4700::1111]:8443/", "https://a_b.example.com", "https://0x.example.com",
	} {
		_, err := g.check(fine)
		require.NoErrorf(t, err, fine)
	}
}

func TestCheck_TakesWhatTheConfigurationNames(t *testing.T) {
	t.Parallel()
	s := Defaults()
	s.AllowHTTP, s.AllowNetworks, s.AllowHosts = true, []string{"10.20.0.0/16"}, []string{"ERP.local", "metadata"}
	g := guarded(t, s, nil)
	for _, fine := range []string{"http://10.20.1.2:8080", "https://erp.local:9", "http://[::ffff:10.20.0.1]:1", "https://metadata"} {
		_, err := g.check(fine)
		require.NoErrorf(t, err, fine)
	}
	for _, refused := range []string{"http://10.21.1.2", "https://crm.local", "http://example.com:8080", "https://user@erp.local"} {
		_, err := g.check(refused)
		require.Errorf(t, err, refused)
	}
}

func TestValidate_NamesTheKeyThatIsWrong(t *testing.T) {
	t.Parallel()
	require.NoError(t, Defaults().Validate())
	tests := map[string]func(*Settings){
		"allow_networks":   func(s *Settings) { s.AllowNetworks = []string{"10.0.0.1"} },
		"allow_hosts":      func(s *Settings) { s.AllowHosts = []string{"*.example.com"} },
		"ports":            func(s *Settings) { s.Ports = []string{"0443"} },
		"proxy":            func(s *Settings) { s.Proxy = "socks5://user:hunter2@proxy" },
		"connect_timeout":  func(s *Settings) { s.ConnectTimeout = 0 },
		"max_answer":       func(s *Settings) { s.MaxAnswer = 0 },
		"retries":          func(s *Settings) { s.Retries = 11 },
		"retry_pause":      func(s *Settings) { s.RetryPause, s.MaxRetryPause = 2*time.Hour, 3*time.Hour },
		"max_retry_pause":  func(s *Settings) { s.MaxRetryPause = 1 },
		"breaker_failures": func(s *Settings) { s.BreakerFailures = -1 },
	}
	for key, change := range tests {
		s := Defaults()
		change(&s)
		err := s.Validate()
		require.ErrorContains(t, err, key+": ")
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// names answers for names, one answer after the other; the last one stays.
type names struct {
	answers [][]netip.Addr
	asked   atomic.Int64
}

func (n *names) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := int(n.asked.Add(1)) - 1

	return append([]netip.Addr(nil), n.answers[min(i, len(n.answers)-1)]...), nil
}

func TestDial_RefusesANameWithAnyAddressThatIsNotPublic(t *testing.T) {
	t.Parallel()
	public, private := netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("10.0.0.1")
	g := guarded(t, Defaults(), &names{answers: [][]netip.Addr{{public, private}}})
	_, err := g.dial(t.Context(), "tcp", "example.com:443")
	require.ErrorIs(t, err, errBlockedAddress)
}

func TestDo_IsNotMovedByANameThatChangesItsMeaning(t *testing.T) {
	t.Parallel()
	var called atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	require.NoError(t, err)
	s := Defaults()
	s.AllowHTTP, s.Ports = true, []string{at.Port()}
	n := testNetwork(t, s)
	// Whoever owns the name answers with a public address first, and with ours when it is asked again.
	turns := &names{answers: [][]netip.Addr{{netip.MustParseAddr("127.0.0.1")}}}
	n.guard.names = turns
	c, err := n.Client(Spec{Name: "test"})
	require.NoError(t, err)

	require.NoError(t, n.Check("http://rebind.example.com:"+at.Port()), "by its text it is a public name")
	_, err = c.Do(t.Context(), Call{Method: http.MethodGet, URL: "http://rebind.example.com:" + at.Port(), Repeat: RepeatIdempotent()})
	refused(t, err, NotSent, BlockedAddress)
	require.Zero(t, called.Load())
	require.EqualValues(t, 1, turns.asked.Load(), "a name is resolved once for each connection")
}

func TestControl_LooksAtTheAddressOfTheSocket(t *testing.T) {
	t.Parallel()
	g := guarded(t, Defaults(), nil)
	dialer := net.Dialer{Control: g.control}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { shut(listener) })
	_, err = dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	require.ErrorIs(t, err, errBlockedAddress)
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/x?y#z", "https://127.0.0.1", "https://[::ffff:127.0.0.1]:443", "https://0x7f.1", "https://a@b", "https://[fe80::1%25a]",
	} {
		f.Add(seed)
	}
	g := guarded(f, Defaults(), nil)
	f.Fuzz(func(t *testing.T, text string) {
		u, err := g.check(text)
		if err != nil {
			return
		}
		require.Equal(t, "https", u.Scheme)
		require.Nil(t, u.User)
		require.Contains(t, []string{"", "443", "8443"}, u.Port())
		host := plainHost(u.Hostname())
		if ip, err := netip.ParseAddr(host); err == nil {
			require.True(t, newRanges(nil).open(ip))

			return
		}
		require.Contains(t, host, ".")
		// What the system would take for an address must not be left.
		require.NotRegexp(t, `(^|\.)(0x[0-9a-f]*|[0-9]+)$`, host)
		again, err := g.check(u.String())
		require.NoError(t, err, "what was checked is what is called")
		require.Equal(t, u.Host, again.Host)
	})
}

func TestOwn_ReachesThisServiceAndNothingElse(t *testing.T) {
	t.Parallel()
	serve := func() (*httptest.Server, string) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		t.Cleanup(s.Close)

		return s, strings.TrimPrefix(s.URL, "http://")
	}
	own, address := serve()
	other, _ := serve()
	n, err := New(Defaults(), clock.System{})
	require.NoError(t, err)
	t.Cleanup(n.Stop)
	listens := ""
	c, err := n.Client(Spec{Name: "test.own", Own: func() string { return listens }})
	require.NoError(t, err)
	call := func(c *Client, url string) error {
		_, err := c.Do(t.Context(), Call{Method: http.MethodPost, URL: url})

		return err
	}
	require.Equal(t, NotSent, OutcomeOf(call(c, own.URL)), "it does not listen yet")
	listens = address
	require.NoError(t, call(c, own.URL+"/path?query"))
	port := address[strings.LastIndex(address, ":"):]
	for _, url := range []string{
		other.URL, "https://" + address, "http://user@" + address, "http://localhost" + port, "https://example.com", "http://" + address + ".example.com", "file:///etc/passwd",
	} {
		require.Equal(t, NotSent, OutcomeOf(call(c, url)), url)
	}
	usual, err := n.Client(Spec{Name: "test.usual"})
	require.NoError(t, err)
	require.Equal(t, NotSent, OutcomeOf(call(usual, own.URL)), "other clients do not reach it")
}
