// Package telnyx is the adapter to Telnyx's API v2 (developers.telnyx.com) and its webhooks.
package telnyx

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Name is how accounts name the provider, and Kind what its notifications are called, of which there is one.
const (
	Name = "telnyx"
	Kind = "telnyx"
)

// The credentials.
const (
	keyAPI     = "api_key"
	keyPublic  = "public_key"
	keySecond  = "secondary_public_key"
	keyProfile = "messaging_profile_id"
)

// Settings are the address of the API.
type Settings struct {
	BaseURL string `config:"base_url" doc:"Address of Telnyx's API."`
}

// Defaults are the address that everybody has.
func Defaults() Settings { return Settings{BaseURL: "https://api.telnyx.com/v2"} }

// Provider is Telnyx.
type Provider struct {
	api   *outbound.API
	files vendorhttp.Files
	clock clock.Clock
}

// New returns Telnyx at an address, which outbound checks.
func New(s Settings, network *outbound.Network, clk clock.Clock) (*Provider, error) {
	client, err := network.Client(outbound.Spec{Name: "sms.telnyx"})
	if err != nil {
		return nil, err
	}
	p := &Provider{clock: clk}
	if p.files, err = vendorhttp.NewFiles(network, "sms.telnyx_media"); err != nil {
		return nil, err
	}
	p.api, err = client.API(s.BaseURL)

	return p, err
}

// Name implements provider.Provider.
func (*Provider) Name() string { return Name }

// Capabilities implements provider.Provider. Telnyx knows no repeats, and its messages cannot be looked for.
func (*Provider) Capabilities() provider.Capabilities {
	return provider.Capabilities{MaxBody: 1530, MaxMedia: 10, HandlesStop: true} // ten segments
}

// Kinds implements provider.Notifier.
func (*Provider) Kinds() (status, message string) { return Kind, Kind }

// KeyNames implements provider.Notifier.
func (*Provider) KeyNames() (first, second string) { return keyPublic, keySecond }

// Scheme implements provider.Notifier.
func (*Provider) Scheme(c provider.Credentials) verify.Scheme {
	keys := provider.Keys(c, keyPublic, keySecond)
	for i := range keys {
		keys[i].Secret = publicKey(string(keys[i].Secret))
	}

	return verify.Telnyx(0, keys...)
}

// publicKey reads a key as the portal shows it, in base64; nil if it is none.
func publicKey(text string) []byte {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil
	}

	return key
}

// Open implements provider.Provider.
func (p *Provider) Open(o provider.Opening) (provider.Account, error) {
	all := o.Credentials.Reveal()
	for name := range all {
		switch name {
		case keyAPI, keyPublic, keySecond, keyProfile:
		default:
			return nil, refusal(provider.Auth, "Telnyx has no such credential; allowed are api_key, public_key, secondary_public_key, messaging_profile_id.")
		}
	}
	if all[keyAPI] == "" {
		return nil, refusal(provider.Auth, "Telnyx needs api_key.")
	}
	for _, name := range []string{keyPublic, keySecond} {
		if all[name] != "" && publicKey(all[name]) == nil {
			return nil, refusal(provider.Auth, name+" must be 32 bytes in base64, as shown in the portal.")
		}
	}

	return account{Provider: p, key: secret.Hide(all[keyAPI]), profile: all[keyProfile], at: o}, nil
}

func refusal(why provider.Reason, what string) error {
	return &provider.Error{Reason: why, Taken: provider.No, Detail: what}
}

// account is an account at Telnyx.
type account struct {
	*Provider

	key     secret.Text
	profile string
	at      provider.Opening
}

// call makes a request. Those that are not POST do the same once and twice.
func (a account) call(ctx context.Context, method, path string, query url.Values, body, out any) error {
	r := outbound.Request{
		Method: method, Path: path, Query: query, JSON: body, Key: a.at.Key, Repeat: outbound.Repeat{NotSent: true},
		Auth: outbound.Bearer(func(context.Context) (secret.Text, error) { return a.key, nil }),
	}
	if method != http.MethodPost {
		r.Repeat = outbound.RepeatIdempotent()
	}
	_, err := a.api.Call(ctx, r, out)

	return vendorhttp.Dialect{Read: readError, Means: meaningOf}.Error(err, a.clock.Now())
}

// Health implements provider.Account.
func (a account) Health(ctx context.Context) error {
	if a.profile == "" {
		return a.call(ctx, http.MethodGet, "phone_numbers", url.Values{"page[size]": {"1"}}, nil, nil)
	}
	err := a.call(ctx, http.MethodGet, a.profilePath(), nil, nil, nil)
	if vendorhttp.IsNotFound(err) {
		return refusal(provider.InvalidSender, "There is no such messaging profile.")
	}

	return err
}

func (a account) profilePath() string { return "messaging_profiles/" + url.PathEscape(a.profile) }
