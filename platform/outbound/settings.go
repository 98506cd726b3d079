package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of the section "outbound".
type Settings struct {
	AllowNetworks []string `config:"allow_networks" doc:"Private networks that may be called, on any port, such as 10.20.0.0/16 for a vendor's system on your premises."`
	AllowHosts    []string `config:"allow_hosts" doc:"Names of hosts that may be called on any port, whatever their addresses are."`
	AllowHTTP     bool     `config:"allow_http" doc:"Whether http:// addresses may be called too. For development, and for vendors on your premises."`
	Ports         []string `config:"ports" doc:"Ports of public hosts that may be called."`

	Proxy config.Secret `config:"proxy" doc:"HTTP proxy that all calls go through, such as http://proxy.example.com:3128, with a user and a password if it asks for them. It resolves names and must itself refuse private networks. Empty is none; the environment variable HTTP_PROXY is ignored."`

	ConnectTimeout time.Duration `config:"connect_timeout" doc:"Time to resolve a name and to connect."`
	TLSTimeout     time.Duration `config:"tls_timeout" doc:"Time to agree on TLS."`
	HeaderTimeout  time.Duration `config:"header_timeout" doc:"Time from the end of a request to the header of its answer."`
	Timeout        time.Duration `config:"timeout" doc:"Time for one attempt of a call, with all of its answer."`
	MaxAnswer      config.Size   `config:"max_answer" doc:"Maximum size of an answer in bytes. A longer one is an error."`

	Retries       int           `config:"retries" doc:"Maximum retries of a call within a request or a job, where a retry is safe; 0 is none."`
	RetryPause    time.Duration `config:"retry_pause" doc:"Upper bound of the random pause before the first retry; it doubles with each retry."`
	MaxRetryPause time.Duration `config:"max_retry_pause" doc:"Longest pause before a retry. A host that asks for a longer one with Retry-After is not called again in the same request or job."`

	BreakerFailures int           `config:"breaker_failures" doc:"Consecutive failures after which calls to a host or a vendor's account are suspended; 0 is never."`
	BreakerPause    time.Duration `config:"breaker_pause" doc:"How long calls are suspended before one is let through as a trial."`
}

// Defaults returns the settings of a service that calls public hosts alone.
func Defaults() Settings {
	return Settings{
		Ports:          []string{"443", "8443"},
		ConnectTimeout: 5 * time.Second, TLSTimeout: 5 * time.Second, HeaderTimeout: 15 * time.Second,
		Timeout: 20 * time.Second, MaxAnswer: 1 << 20,
		Retries: 2, RetryPause: 250 * time.Millisecond, MaxRetryPause: 5 * time.Second,
		BreakerFailures: 5, BreakerPause: 30 * time.Second,
	}
}

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	positive := func(key string, d time.Duration) error {
		if d <= 0 {
			return fmt.Errorf("%s: want more than 0s", key)
		}

		return nil
	}
	within := func(ok bool, text string) error {
		if !ok {
			return errors.New(text)
		}

		return nil
	}
	_, err := newGuard(s, nil)

	return errors.Join(err,
		positive("connect_timeout", s.ConnectTimeout), positive("tls_timeout", s.TLSTimeout),
		positive("header_timeout", s.HeaderTimeout), positive("timeout", s.Timeout),
		positive("retry_pause", s.RetryPause), positive("breaker_pause", s.BreakerPause),
		within(s.RetryPause <= time.Hour, "retry_pause: want 1h or less"),
		within(s.MaxAnswer > 0, "max_answer: want 1 or more"),
		within(s.Retries >= 0 && s.Retries <= 10, "retries: want 0 to 10"),
		within(s.MaxRetryPause >= s.RetryPause, "max_retry_pause: want no less than retry_pause"),
		within(s.BreakerFailures >= 0 && s.BreakerFailures <= 1000, "breaker_failures: want 0 to 1000"),
	)
}

func parseNetworks(texts []string) ([]netip.Prefix, error) {
	all := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix.Addr().Is4In6() {
			return nil, fmt.Errorf("allow_networks: %q: want a network, such as 10.20.0.0/16", text)
		}
		all = append(all, prefix.Masked())
	}

	return all, nil
}

func parsePorts(texts []string) (map[string]bool, error) {
	ports := map[string]bool{}
	for _, text := range texts {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
			return nil, fmt.Errorf("ports: %q: want a number from 1 to 65535", text)
		}
		ports[text] = true
	}
	if len(ports) == 0 {
		return nil, errors.New("ports: want one or more")
	}

	return ports, nil
}

func parseProxy(s config.Secret) (*url.URL, error) {
	if s == "" || s.Mounted() {
		return nil, nil //nolint:nilnil // no proxy
	}
	proxy, err := url.Parse(s.Reveal())
	if err != nil || proxy.Hostname() == "" || (proxy.Scheme != "http" && proxy.Scheme != "https") || strings.Trim(proxy.Path, "/") != "" {
		return nil, errors.New("proxy: want an address such as http://proxy.example.com:3128") // without the text, which may hold a password
	}

	return proxy, nil
}
