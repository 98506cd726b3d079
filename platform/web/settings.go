package web

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/web/overload"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Settings are the keys of the section "web".
type Settings struct {
	Address          string        `config:"address" doc:"Host and port to listen on. Port 0 takes a free one."`
	BaseURL          string        `config:"base_url" doc:"Public base URL of the service, such as https://api.example.com, given as the server in the OpenAPI document. Empty means the server that the document was read from."`
	ServicesURL      string        `config:"services_url" doc:"Base URL at which vendors send their notifications, such as https://services.example.com, if it is not base_url. It has no path, and must match what vendors were given: their signatures cover it."`
	Contact          string        `config:"contact" doc:"Who answers questions about the API: an e-mail address, or a URL such as https://example.com/help, given as the contact in the OpenAPI document."`
	HSTS             time.Duration `config:"hsts" doc:"How long browsers must use only https for the service (Strict-Transport-Security), if base_url is https. 0 sends no such header."`
	Headers          []string      `config:"headers" doc:"Additional headers of every answer, each as 'Name: value'."`
	Debug            bool          `config:"debug" doc:"Whether the answer for an unknown route shows where in the code it was raised. For development only: it exposes the code's structure."`
	DocumentedBodies bool          `config:"documented_bodies" doc:"Whether writes answer with {} instead of the resource by default, as with 'Prefer: return=minimal'. 'Prefer: return=representation' overrides it. An answer with a secret, such as a token, is always complete."`
	AccessLog        bool          `config:"access_log" doc:"Whether each request is logged."`
	BodyLimit        config.Size   `config:"body_limit" doc:"Largest request body, unless an operation has its own limit."`
	HeaderLimit      config.Size   `config:"header_limit" doc:"Largest request head: the request line and all headers."`
	RequestTimeout   time.Duration `config:"request_timeout" doc:"How long a request may take before it is answered 503. For a notification, the time starts once it has arrived completely."`
	ReadTimeout      time.Duration `config:"read_timeout" doc:"How long a client may take to send a request."`
	WriteTimeout     time.Duration `config:"write_timeout" doc:"How long a client may take to read each 256 KiB of an answer before it is disconnected. Streams have streams.write_timeout instead."`
	IdleTimeout      time.Duration `config:"idle_timeout" doc:"Time after which a connection without requests is closed."`
	DrainDelay       time.Duration `config:"drain_delay" doc:"How long the service keeps serving requests after it was told to stop, while /readyz answers that it is not ready. Set it longer than a load balancer takes to notice; 0 without one."`
	ShutdownGrace    time.Duration `config:"shutdown_grace" doc:"How long requests may take to finish when the service stops, before they are cut off."`
	Operations       []string      `config:"operations" doc:"Ids of the only operations to serve, such as esign_receive_callback; empty serves all of the enabled areas. If set, /, /docs and /openapi.json are not served either. For a host with few callers."`
	TrustedProxies   []string      `config:"trusted_proxies" doc:"Addresses or networks of the proxies in front of the service, whose X-Forwarded-For is trusted."`

	RateLimit overload.RateSettings `config:"rate_limit" doc:"Rate limits of callers."`
	Overload  overload.Settings     `config:"overload" doc:"Limits against overload."`
	Streams   stream.Settings       `config:"streams" doc:"Long answers and bodies: exports, downloads, uploads, live events."`
	CORS      CORSSettings          `config:"cors" doc:"Which pages of other origins may call the service from a browser."`
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
		RateLimit:      overload.DefaultRates,
		Overload:       overload.Defaults(),
		Streams:        stream.Defaults(),
		CORS:           defaultCORS(),
	}
}

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	problems := []error{
		atLeast("body_limit", int64(s.BodyLimit), 1),
		atLeast("header_limit", int64(s.HeaderLimit), 1<<10),
		checkPositive("request_timeout", s.RequestTimeout),
		checkPositive("read_timeout", s.ReadTimeout),
		checkPositive("write_timeout", s.WriteTimeout),
		checkPositive("idle_timeout", s.IdleTimeout),
		checkPositive("shutdown_grace", s.ShutdownGrace),
		s.RateLimit.Check(), s.Overload.Check(), s.Streams.Check(), s.CORS.validate(),
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
	if s.Contact != "" && s.contact("").Email == "" && s.contact("").URL == "" {
		problems = append(problems, fmt.Errorf("contact: %q: want an address such as help@example.com or https://example.com/help", s.Contact))
	}
	for _, proxy := range s.TrustedProxies {
		if _, err := parseNetwork(proxy); err != nil {
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

// contact is who answers questions, under a name.
func (s Settings) contact(name string) *huma.Contact {
	contact := &huma.Contact{Name: name}
	if u, err := url.Parse(s.Contact); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		contact.URL = s.Contact
	} else if address, err := mail.ParseAddress(s.Contact); err == nil && address.Address == s.Contact {
		contact.Email = s.Contact
	}

	return contact
}

func atLeast(key string, value, least int64) error {
	if value < least {
		return fmt.Errorf("%s: want at least %d bytes", key, least)
	}

	return nil
}

func checkPositive(key string, value time.Duration) error {
	if value <= 0 {
		return fmt.Errorf("%s: want a time above zero, such as 30s", key)
	}

	return nil
}
