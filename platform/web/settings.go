package web

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of the section "web".
type Settings struct {
	Address          string        `config:"address" doc:"Host and port to listen on. Port 0 takes a free one."`
	BaseURL          string        `config:"base_url" doc:"Address under which clients reach the service, such as https://api.example.com. It is the server that the OpenAPI document names; empty means the one that the document was read from."`
	ServicesURL      string        `config:"services_url" doc:"Address under which vendors reach the service with their notifications, such as https://services.example.com, if it is not base_url. Their signatures cover it: it is the one that they are told, without a path."`
	HSTS             time.Duration `config:"hsts" doc:"Time for which browsers are told to reach the service by https alone, if base_url is https. 0 tells them nothing."`
	Headers          []string      `config:"headers" doc:"Further headers of every answer, each as 'Name: value'."`
	Debug            bool          `config:"debug" doc:"Whether the answer for an unknown route tells where in the code it was made. For development: it tells a stranger about the code."`
	DocumentedBodies bool          `config:"documented_bodies" doc:"Whether a write that answers with the resource answers with {} instead, as 'Prefer: return=minimal' asks for. 'Prefer: return=representation' overrides it. An answer that has a secret, such as a token, is always whole."`
	AccessLog        bool          `config:"access_log" doc:"Whether each request is logged."`
	BodyLimit        config.Size   `config:"body_limit" doc:"Largest body of a request, but where an operation has a limit of its own."`
	HeaderLimit      config.Size   `config:"header_limit" doc:"Largest head of a request: its first line and all its headers."`
	RequestTimeout   time.Duration `config:"request_timeout" doc:"Time that a request may take. After it, the answer is 503. That of a notification begins when all of it has arrived."`
	ReadTimeout      time.Duration `config:"read_timeout" doc:"Time that a client may take to send a request."`
	WriteTimeout     time.Duration `config:"write_timeout" doc:"Time in which a client must take each 256 KiB of an answer. One that does not is cut off. Streams have a time of their own, streams.write_timeout."`
	IdleTimeout      time.Duration `config:"idle_timeout" doc:"Time after which a connection without requests is closed."`
	DrainDelay       time.Duration `config:"drain_delay" doc:"Time for which a service that is to stop still serves requests while /readyz says that it is not ready, so that a load balancer sends them elsewhere first. Longer than the balancer takes to notice; 0 without one."`
	ShutdownGrace    time.Duration `config:"shutdown_grace" doc:"Time that requests get to finish when the service stops. What is left then is cut off."`
	Operations       []string      `config:"operations" doc:"Ids of the only operations that are served, such as esign_receive_callback; none is all of the enabled areas. The service then says nothing of itself at /, /docs and /openapi.json either. For a host that is there for few callers."`
	TrustedProxies   []string      `config:"trusted_proxies" doc:"Addresses or networks of the proxies in front of the service, whose X-Forwarded-For is believed."`

	RateLimit RateLimitSettings `config:"rate_limit" doc:"How often somebody may call."`
	Overload  OverloadSettings  `config:"overload" doc:"When there is too much to do."`
	Streams   StreamSettings    `config:"streams" doc:"Answers and bodies that take their time: exports, downloads, uploads, live events."`
	CORS      CORSSettings      `config:"cors" doc:"Which pages of other origins may call the service from a browser."`
}

// Defaults returns the settings of a service that is reached from its own machine.
func Defaults() Settings {
	return Settings{
		Address:        "127.0.0.1:8080",
		AccessLog:      true,
		BodyLimit:      config.MiB,
		HeaderLimit:    16 * config.KiB,
		RequestTimeout: 30 * time.Second,
		ReadTimeout:    15 * time.Second,
		WriteTimeout:   30 * time.Second,
		IdleTimeout:    2 * time.Minute,
		ShutdownGrace:  15 * time.Second,
		HSTS:           365 * 24 * time.Hour,
		RateLimit:      defaultRateLimit(),
		Overload:       defaultOverload(),
		Streams:        defaultStreams(),
		CORS:           defaultCORS(),
	}
}

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	problems := []error{
		atLeast("body_limit", int64(s.BodyLimit), 1),
		atLeast("header_limit", int64(s.HeaderLimit), 1<<10),
		positive("request_timeout", s.RequestTimeout),
		positive("read_timeout", s.ReadTimeout),
		positive("write_timeout", s.WriteTimeout),
		positive("idle_timeout", s.IdleTimeout),
		positive("shutdown_grace", s.ShutdownGrace),
		s.RateLimit.validate(), s.Overload.validate(), s.Streams.validate(), s.CORS.validate(),
	}
	if s.DrainDelay < 0 {
		problems = append(problems, errors.New("drain_delay: want 0 or more, such as 10s"))
	}
	if _, _, err := net.SplitHostPort(s.Address); err != nil {
		problems = append(problems, fmt.Errorf("address: %q: want host:port, such as 127.0.0.1:8080", s.Address))
	}
	if u, err := url.Parse(s.BaseURL); s.BaseURL != "" && (err != nil || u.Host == "" || u.RawQuery != "") {
		problems = append(problems, fmt.Errorf("base_url: %q: want an address such as https://api.example.com", s.BaseURL))
	}
	if u, err := url.Parse(s.ServicesURL); s.ServicesURL != "" && (err != nil || u.Host == "" || u.RawQuery != "") {
		problems = append(problems, fmt.Errorf("services_url: %q: want an address such as https://services.example.com", s.ServicesURL))
	}
	for _, proxy := range s.TrustedProxies {
		if _, err := network(proxy); err != nil {
			problems = append(problems, fmt.Errorf("trusted_proxies: %q: want an address or a network such as 10.0.0.0/8", proxy))
		}
	}
	for _, line := range s.Headers {
		if _, _, err := splitHeader(line); err != nil {
			problems = append(problems, err)
		}
	}
	if s.HSTS < 0 {
		problems = append(problems, errors.New("hsts: want a time, such as 8760h, or 0"))
	}

	return errors.Join(problems...)
}

func atLeast(key string, value, least int64) error {
	if value < least {
		return fmt.Errorf("%s: want at least %d bytes", key, least)
	}

	return nil
}

func positive(key string, value time.Duration) error {
	if value <= 0 {
		return fmt.Errorf("%s: want a time above zero, such as 30s", key)
	}

	return nil
}
