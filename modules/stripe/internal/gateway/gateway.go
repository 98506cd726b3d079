// Package gateway is the adapter to Stripe's API (docs.stripe.com/api) and its events.
package gateway

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Name is how accounts name the vendor, Kind how its events are called.
const (
	Name = "stripe"
	Kind = "notification"
)

// version is the version of the API that the adapter was written for.
const version = "2026-10-28.endive"

// dedupesFor is how long Stripe knows an idempotency key.
const dedupesFor = 24 * time.Hour

// script has Stripe's card fields, which send the card to calls. Banks that ask the cardholder do so in frames of hooks.
const (
	script = "https://js.stripe.com/v3/"
	calls  = "https://api.stripe.com"
	hooks  = "https://hooks.stripe.com"
)

// files has what our own page does with the script (docs.stripe.com/js).
//
//go:embed fields.js
var files embed.FS

// Settings are where Stripe is.
type Settings struct {
	BaseURL string `config:"base_url" doc:"Address of Stripe's API, or of a proxy to it."`
}

// Defaults are the settings where nothing is configured.
func Defaults() Settings { return Settings{BaseURL: "https://api.stripe.com"} }

// Stripe is the vendor.
type Stripe struct {
	api   *outbound.API
	clock clock.Clock
	// returnURL is where a cardholder is sent after confirming a payment, "" if the service has no address.
	returnURL string
	mount     string
}

// New returns Stripe at the address that is configured, which outbound checks.
func New(s Settings, w web.Settings, network *outbound.Network, c clock.Clock) (*Stripe, error) {
	client, err := network.Client(outbound.Spec{Name: Name})
	if err != nil {
		return nil, err
	}
	api, err := client.API(s.BaseURL)

	return &Stripe{api: api, clock: c, returnURL: w.BaseURL, mount: page.File(files, "fields.js")}, err
}

// Capabilities implements cardsapi.Vendor.
func (*Stripe) Capabilities() cardsapi.Capabilities {
	return cardsapi.Capabilities{Capture: true, DedupesFor: dedupesFor, Finds: true, Notifications: Name + "." + Kind}
}

// Explain implements cardsapi.Vendor.
func (*Stripe) Explain(code string) string { return explanations[code] }

// Open implements cardsapi.Vendor.
func (s *Stripe) Open(o cardsapi.Opening) (cardsapi.Account, error) {
	if err := checkCredentials(o.Credentials); err != nil {
		return cardsapi.Account{}, err
	}

	return cardsapi.AccountOf(&Account{
		stripe: s, api: s.api, clock: s.clock, key: o.Account, secretKey: secret.Hide(o.Credentials[keySecret]), publishable: o.Credentials[keyPublishable],
		connected: o.Credentials[keyConnected], live: isLive(o.Credentials[keySecret]),
	}), nil
}

// Account is an account at Stripe.
type Account struct {
	stripe                 *Stripe
	api                    *outbound.API
	clock                  clock.Clock
	key                    string
	secretKey              secret.Text
	publishable, connected string
	live                   bool
}

// answer is what is known of an answer beside its body.
type answer struct {
	// asked is when it was asked for: what the answer says is at least as new.
	asked time.Time
	// replayed says that it is the first answer to the idempotency key, whatever has happened since.
	replayed bool
}

// call makes a request. One that changes something is never repeated here: the area cards decides about that.
func (a *Account) call(ctx context.Context, r outbound.Request, out any) (answer, error) {
	r.Key, r.Repeat = a.key, outbound.Repeat{NotSent: true}
	if r.Method == http.MethodGet {
		// Not after 429: Stripe says for how long to wait.
		r.Repeat = outbound.Repeat{NotSent: true, Unknown: true, Statuses: []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}}
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Stripe-Version", version)
	if a.connected != "" {
		r.Header.Set("Stripe-Account", a.connected)
	}
	r.Auth = outbound.Bearer(func(context.Context) (secret.Text, error) { return a.secretKey, nil })
	asked := a.clock.Now()
	got, err := a.api.Call(ctx, r, out)

	return answer{asked: asked, replayed: got.Header.Get("Idempotent-Replayed") == "true"}, failure(err, a.clock.Now())
}

func (a *Account) get(ctx context.Context, path string, query url.Values, out any) (answer, error) {
	return a.call(ctx, outbound.Request{Method: http.MethodGet, Path: path, Query: query}, out)
}

// post makes a request that changes something. A key of "" is for what does the same once and twice: Stripe returns the first answer to a
// key for a day, be it that it failed itself.
func (a *Account) post(ctx context.Context, path, key string, form url.Values, out any) (answer, error) {
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}

	return a.call(ctx, outbound.Request{Method: http.MethodPost, Path: path, Form: form, Header: header}, out)
}

// Health implements cardsapi.VendorConnection: it reads the balance.
func (a *Account) Health(ctx context.Context) error {
	_, err := a.get(ctx, "v1/balance", nil, nil)

	return err
}

// Page implements cardsapi.VendorConnection. The location is the connected account, which Stripe's script wants to know.
func (a *Account) Page() cardsapi.PageConfig {
	return cardsapi.PageConfig{
		Script: script, Application: a.publishable, Location: a.connected, Live: a.live,
		Fields: cardsapi.CardFields{Mount: a.stripe.mount, Frames: []string{hooks}, Connects: []string{calls}},
	}
}

// pathTo is the path of a thing.
func pathTo(kind, id string, more ...string) string {
	return strings.Join(append([]string{"v1", kind, url.PathEscape(id)}, more...), "/")
}

// refusal is a failure by which Stripe refuses, nil for one that leaves open what it did.
func refusal(err error) *cardsapi.VendorError {
	if e, ok := errors.AsType[*cardsapi.VendorError](err); ok && e.NotDone {
		return e
	}

	return nil
}
