// Package docusign is the adapter to DocuSign's eSignature REST API v2.1 (developers.docusign.com/docs/esign-rest-api),
// in the name of a user who has agreed to it, by JWT grant.
package docusign

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Name is how accounts name the provider.
const Name = "docusign"

// The environments.
const (
	demo       = "demo"
	production = "production"
)

// The credentials.
const (
	keyIntegration = "integration_key"
	keyUser        = "user_id"
	keyPrivate     = "private_key"
	keyAccount     = "account_id"
)

// Settings are where DocuSign is, and how it is to tell us what happens.
type Settings struct {
	DemoAuthURL       string   `config:"demo_auth_url" doc:"Address at which tokens of the environment demo are had."`
	ProductionAuthURL string   `config:"production_auth_url" doc:"Address at which tokens of the environment production are had."`
	APIHosts          []string `config:"api_hosts" doc:"Hosts of the API beside those under docusign.net, which alone are called otherwise, whatever DocuSign says."`
	ConsentRedirect   string   `config:"consent_redirect" doc:"Where DocuSign leads a user who has agreed that the service works in his name. It must be a redirect URI of the integration key."`
	ConnectOAuth      bool     `config:"connect_oauth" doc:"Whether DocuSign is asked to send notifications with a bearer token, which it gets from the service: see Connect's OAuth in the account's settings there."`
	Events            []string `config:"events" doc:"Events that DocuSign is asked to tell of each envelope. Empty is all that its pages name."`
}

// Defaults are DocuSign's own.
func Defaults() Settings {
	return Settings{
		DemoAuthURL: "https://account-d.docusign.com", ProductionAuthURL: "https://account.docusign.com",
		ConsentRedirect: "https://www.docusign.com", ConnectOAuth: true,
	}
}

// Validate reports every setting that cannot work. Whether the addresses may be called, is said by New.
func (s Settings) Validate() error {
	var problems []error
	if u, err := url.Parse(s.ConsentRedirect); err != nil || u.Host == "" {
		problems = append(problems, errors.New("docusign.consent_redirect: want an address such as https://www.docusign.com"))
	}
	known := map[string]bool{}
	for _, name := range documentedEvents() {
		known[name] = true
	}
	for _, name := range s.Events {
		if !known[name] {
			problems = append(problems, fmt.Errorf("docusign.events: unknown event %q", name))
		}
	}

	return errors.Join(problems...)
}

// sessionsKept is of how many accounts tokens are kept.
const sessionsKept = 1000

// Provider is DocuSign.
type Provider struct {
	settings  Settings
	clock     clock.Clock
	client    *outbound.Client
	documents *outbound.Client
	auth      map[string]*outbound.API
	hosts     map[string]string
	sessions  *lru.Cache[string, *session]
}

// New returns DocuSign at some addresses, which outbound checks. Documents that are larger than maxDocument are not fetched.
func New(s Settings, maxDocument config.Size, network *outbound.Network, clk clock.Clock) (*Provider, error) {
	p := &Provider{settings: s, clock: clk, auth: map[string]*outbound.API{}, hosts: map[string]string{}}
	var err error
	if p.client, err = network.Client(outbound.Spec{Name: "esign.docusign", MaxAnswer: int64(maxAnswer)}); err != nil {
		return nil, err
	}
	if p.documents, err = network.Client(outbound.Spec{Name: "esign.docusign_documents", MaxAnswer: int64(maxDocument), Timeout: documentTime}); err != nil {
		return nil, err
	}
	for name, address := range map[string]string{demo: s.DemoAuthURL, production: s.ProductionAuthURL} {
		if p.auth[name], err = p.client.API(address); err != nil {
			return nil, fmt.Errorf("%s_auth_url: %w", name, err)
		}
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("%s_auth_url: %w", name, err)
		}
		p.hosts[name] = u.Host
	}
	p.sessions, err = lru.New[string, *session](sessionsKept)

	return p, err
}

const (
	// maxAnswer is more than a page of envelopes with recipients has.
	maxAnswer = 16 * config.MiB
	// documentTime is how long a document may take to come.
	documentTime = 5 * time.Minute
)

// Name implements provider.Provider.
func (*Provider) Name() string { return Name }

// Environments implements provider.Provider.
func (*Provider) Environments() []string { return []string{demo, production} }

var idRule = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// Open implements provider.Provider.
func (p *Provider) Open(o provider.Opening) (provider.Account, error) {
	all := o.Credentials.Reveal()
	for name := range all {
		switch name {
		case keyIntegration, keyUser, keyPrivate, keyAccount:
		default:
			return nil, missingError("DocuSign has no credential of that name; it has integration_key, user_id, private_key and account_id.")
		}
	}
	switch {
	case !idRule.MatchString(all[keyIntegration]):
		return nil, missingError("DocuSign needs integration_key: the UUID of the app.")
	case !idRule.MatchString(all[keyUser]):
		return nil, missingError("DocuSign needs user_id: the UUID of the user in whose name the service works.")
	case all[keyAccount] != "" && !idRule.MatchString(all[keyAccount]):
		return nil, missingError("account_id is the UUID of an account of the user; without one it is the user's default.")
	}
	private, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(strings.TrimSpace(all[keyPrivate])))
	if err != nil || private.N.BitLen() < leastBits {
		return nil, missingError("DocuSign needs private_key: an RSA key of the app as PEM, as its page shows it when it is made (-----BEGIN RSA PRIVATE KEY-----).")
	}
	environment := cmp.Or(o.Environment, demo)
	if p.auth[environment] == nil {
		return nil, missingError("DocuSign has no such environment.")
	}

	return &account{
		Provider: p, at: o, environment: environment, integration: all[keyIntegration], user: all[keyUser], wanted: all[keyAccount],
		private: private, session: p.session(o, environment),
	}, nil
}

// leastBits is the smallest key of RS256 (RFC 7518, 3.3).
const leastBits = 2048

func missingError(what string) error {
	return &provider.Error{Reason: provider.Auth, Taken: provider.No, Detail: what}
}

// ConsentURL implements provider.Consenter.
func (p *Provider) ConsentURL(o provider.Opening) string {
	address := map[string]string{demo: p.settings.DemoAuthURL, production: p.settings.ProductionAuthURL}[cmp.Or(o.Environment, demo)]

	return strings.TrimSuffix(address, "/") + "/oauth/auth?" + url.Values{
		"response_type": {"code"}, "scope": {scope}, "client_id": {o.Credentials.Reveal()[keyIntegration]}, "redirect_uri": {p.settings.ConsentRedirect},
	}.Encode()
}

// account is an account at DocuSign.
type account struct {
	*Provider

	at                provider.Opening
	environment       string
	integration, user string
	wanted            string
	private           *rsa.PrivateKey
	session           *session
}

// Check implements provider.Account: it gets a token, and reads the account.
func (a *account) Check(ctx context.Context) (provider.Found, error) {
	a.session.forget()
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet}, nil); err != nil {
		return provider.Found{}, err
	}
	g, err := a.grant(ctx)

	return provider.Found{ExternalID: g.account, BaseURL: g.base, Name: g.name}, err
}

// call makes a request to a path of the account. One that was refused for its token is made once more, with a new one,
// and at the address that the account has then.
func (a *account) call(ctx context.Context, r outbound.Request, out any) error {
	_, err := a.request(ctx, a.client, r, out)

	return err
}

func (a *account) request(ctx context.Context, client *outbound.Client, r outbound.Request, out any) (outbound.Answer, error) {
	for attempt := 1; ; attempt++ {
		g, err := a.grant(ctx)
		if err != nil {
			return outbound.Answer{}, err
		}
		answer, err := a.askWith(ctx, client, g, r, out)
		if attempt > 1 || !needsNewGrant(err) {
			return answer, err
		}
		a.session.dropGrant(g)
	}
}

func (a *account) askWith(ctx context.Context, client *outbound.Client, g grant, r outbound.Request, out any) (outbound.Answer, error) {
	api, err := client.API(g.base + "/restapi/v2.1/accounts/" + url.PathEscape(g.account))
	if err != nil {
		return outbound.Answer{}, a.failure(err)
	}
	r.Key, r.Auth = a.at.Key, g.bearer()
	r.Repeat = outbound.Repeat{NotSent: true}
	if r.Method == http.MethodGet {
		// Not after 429: who is told to wait is told for how long.
		r.Repeat = outbound.Repeat{NotSent: true, Unknown: true, Statuses: []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}}
	}
	answer, err := api.Call(ctx, r, out)

	return answer, a.failure(err)
}
