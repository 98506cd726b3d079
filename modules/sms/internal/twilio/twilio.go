// Package twilio is the adapter to Twilio's Messages API of 2010-04-01 (twilio.com/docs/messaging/api) and its
// notifications.
package twilio

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Name is how accounts name the provider.
const Name = "twilio"

// The kinds of notifications.
const (
	KindStatus  = "twilio_status"
	KindMessage = "twilio_message"
)

// The credentials.
const (
	keySID       = "account_sid"
	keyToken     = "auth_token"
	keySecond    = "secondary_auth_token"
	keyAPIKey    = "api_key_sid" //nolint:gosec // the name of a credential
	keyAPISecret = "api_key_secret"
	keyService   = "messaging_service_sid"
)

// Settings are the addresses of the API, such as those of a region.
type Settings struct {
	BaseURL      string `config:"base_url" doc:"Address of Twilio's API, such as that of a region."`
	MessagingURL string `config:"messaging_url" doc:"Address of Twilio's API of messaging services."`
}

// Defaults are those of the United States.
func Defaults() Settings {
	return Settings{BaseURL: "https://api.twilio.com/2010-04-01", MessagingURL: "https://messaging.twilio.com/v1"}
}

// Provider is Twilio.
type Provider struct {
	api, messaging *outbound.API
	files          vendorhttp.Files
	base           string
	clock          clock.Clock
}

// New returns Twilio at some addresses, which outbound checks.
func New(s Settings, network *outbound.Network, clk clock.Clock) (*Provider, error) {
	client, err := network.Client(outbound.Spec{Name: "sms.twilio"})
	if err != nil {
		return nil, err
	}
	p := &Provider{clock: clk, base: strings.TrimSuffix(s.BaseURL, "/")}
	if p.files, err = vendorhttp.NewFiles(network, "sms.twilio_media"); err != nil {
		return nil, err
	}
	if p.api, err = client.API(s.BaseURL); err != nil {
		return nil, err
	}
	p.messaging, err = client.API(s.MessagingURL)

	return p, err
}

// Name implements provider.Provider.
func (*Provider) Name() string { return Name }

// Capabilities implements provider.Provider. Twilio knows no repeats of a message, and answers STOP by itself.
func (*Provider) Capabilities() provider.Capabilities {
	return provider.Capabilities{MaxBody: 1600, MaxMedia: 10, Finds: true, HandlesStop: true}
}

// Kinds implements provider.Notifier.
func (*Provider) Kinds() (status, message string) { return KindStatus, KindMessage }

// KeyNames implements provider.Notifier.
func (*Provider) KeyNames() (first, second string) { return keyToken, keySecond }

// Scheme implements provider.Notifier.
func (*Provider) Scheme(c provider.Credentials) verify.Scheme {
	return verify.Twilio(provider.Keys(c, keyToken, keySecond)...)
}

var (
	accountRule = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)
	keyRule     = regexp.MustCompile(`^SK[0-9a-fA-F]{32}$`)
	serviceRule = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)
)

// Open implements provider.Provider.
func (p *Provider) Open(o provider.Opening) (provider.Account, error) {
	all := o.Credentials.Reveal()
	for name := range all {
		switch name {
		case keySID, keyToken, keySecond, keyAPIKey, keyAPISecret, keyService:
		default:
			return nil, missingError("Twilio has no such credential; allowed are account_sid, auth_token, secondary_auth_token, api_key_sid, api_key_secret, messaging_service_sid.")
		}
	}
	switch {
	case !accountRule.MatchString(all[keySID]):
		return nil, missingError("`account_sid` is required: AC and 32 hexadecimal digits.")
	case (all[keyAPIKey] == "") != (all[keyAPISecret] == ""):
		return nil, missingError("Send api_key_sid and api_key_secret together.")
	case all[keyAPIKey] == "" && all[keyToken] == "":
		return nil, missingError("`auth_token` is required, or `api_key_sid` and `api_key_secret`.")
	case all[keyAPIKey] != "" && !keyRule.MatchString(all[keyAPIKey]):
		return nil, missingError("`api_key_sid` must be SK and 32 hexadecimal digits.")
	case all[keyService] != "" && !serviceRule.MatchString(all[keyService]):
		return nil, missingError("`messaging_service_sid` must be MG and 32 hexadecimal digits.")
	}
	a := account{Provider: p, sid: all[keySID], user: all[keySID], secret: secret.Hide(all[keyToken]), service: all[keyService], at: o}
	if all[keyAPIKey] != "" {
		a.user, a.secret = all[keyAPIKey], secret.Hide(all[keyAPISecret])
	}

	return a, nil
}

func missingError(what string) error {
	return &provider.Error{Reason: provider.Auth, Taken: provider.No, Detail: what}
}

// account is an account at Twilio.
type account struct {
	*Provider

	sid, service string
	user         string
	secret       secret.Text
	at           provider.Opening
}

// call makes a request to a path of the account. Those that are not POST do the same once and twice.
func (a account) call(ctx context.Context, method, path string, query, form url.Values, out any) error {
	return a.request(ctx, a.api, outbound.Request{
		Method: method, Path: "Accounts/" + url.PathEscape(a.sid) + "/" + path, Query: query, Form: form,
	}, out)
}

func (a account) request(ctx context.Context, api *outbound.API, r outbound.Request, out any) error {
	r.Key = a.at.Key
	r.Auth = a.auth()
	r.Repeat = outbound.Repeat{NotSent: true}
	if r.Method != http.MethodPost {
		r.Repeat = outbound.RepeatIdempotent()
	}
	_, err := api.Call(ctx, r, out)

	return dialect.Error(err, a.clock.Now())
}

func (a account) auth() outbound.Authorize {
	return outbound.Basic(func(context.Context) (string, secret.Text, error) { return a.user, a.secret, nil })
}

// Health implements provider.Account: it lists a number, which API keys of all kinds may, and reads the messaging
// service.
func (a account) Health(ctx context.Context) error {
	if err := a.call(ctx, http.MethodGet, "IncomingPhoneNumbers.json", url.Values{"PageSize": {"1"}}, nil, nil); err != nil || a.service == "" {
		return err
	}
	err := a.request(ctx, a.messaging, outbound.Request{Method: http.MethodGet, Path: "Services/" + url.PathEscape(a.service)}, nil)
	if vendorhttp.IsNotFound(err) {
		return &provider.Error{Reason: provider.InvalidSender, Taken: provider.No, Code: "20404", Detail: "There is no such messaging service."}
	}

	return err
}

var dialect = vendorhttp.Dialect{Read: readError, Means: meaningOf}
