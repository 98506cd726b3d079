// Package gateway is the adapter to Square's API (developer.squareup.com/reference/square) and its notifications.
package gateway

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Name is how accounts name the vendor, Kind how its notifications are called.
const (
	Name = "square"
	Kind = "notification"
)

// The credentials.
const (
	keyToken       = "access_token"
	keyLocation    = "location_id"
	keyApplication = "application_id"
	// SignatureKey verifies notifications.
	SignatureKey = "signature_key"

	// Those of an account that was connected with OAuth.
	keyRefresh  = "refresh_token"
	keyMerchant = "merchant_id"
	keyExpires  = "expires_at"
)

// version is the version of the API that the adapter was written for.
const version = "2026-09-16"

// dedupesFor is how long Square is trusted to know an idempotency key. It names no time itself.
const dedupesFor = 24 * time.Hour

// The environments.
const (
	Production = "production"
	Sandbox    = "sandbox"
)

var addresses = map[string]string{Production: "https://connect.squareup.com", Sandbox: "https://connect.squareupsandbox.com"}

var scripts = map[string]string{Production: "https://web.squarecdn.com/v1/square.js", Sandbox: "https://sandbox.web.squarecdn.com/v1/square.js"}

// calls are where Square's card fields send the card. Banks that ask the cardholder do so in frames of Cardinal Commerce.
var calls = map[string]string{Production: "https://pci-connect.squareup.com", Sandbox: "https://pci-connect.squareupsandbox.com"}

// files has the script that shows the fields of the Web Payments SDK (developer.squareup.com/docs/web-payments/take-card-payment).
//
//go:embed fields.js
var files embed.FS

// Settings are where Square is.
type Settings struct {
	Environment string `config:"environment" doc:"production, or sandbox for Square's test environment, in which no money moves."`
	BaseURL     string `config:"base_url" doc:"Address of Square's API, empty for that of the environment."`

	Application Application `config:"application" doc:"The deployment's application at Square, with which companies connect by OAuth."`
}

// Application is the deployment's own at Square, by which merchants connect with OAuth.
type Application struct {
	ID           string        `config:"id" doc:"Id of the deployment's application at Square, with which companies connect by OAuth; empty for none."`
	Secret       config.Secret `config:"secret" doc:"Secret of the application."`
	SignatureKey config.Secret `config:"signature_key" doc:"Signature key of the application's webhook subscription."`
}

// Defaults are the settings where nothing is configured.
func Defaults() Settings { return Settings{Environment: Production} }

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	if addresses[s.Environment] == "" {
		return fmt.Errorf("environment: %q: want production or sandbox", s.Environment)
	}
	if (s.Application.ID == "") != (s.Application.Secret == "") {
		return errors.New("application: want an id and a secret, or neither")
	}

	return nil
}

// Square is the vendor.
type Square struct {
	api         *outbound.API
	base        string
	environment string
	application Application
	mount       string
	clock       clock.Clock
}

// New returns Square at the address that is configured, which outbound checks.
func New(s Settings, network *outbound.Network, c clock.Clock) (*Square, error) {
	client, err := network.Client(outbound.Spec{Name: "square"})
	if err != nil {
		return nil, err
	}
	base := s.BaseURL
	if base == "" {
		base = addresses[s.Environment]
	}
	api, err := client.API(base)

	return &Square{api: api, base: strings.TrimSuffix(base, "/"), environment: s.Environment, application: s.Application, mount: page.File(files, "fields.js"), clock: c}, err
}

// Capabilities implements cardsapi.Vendor.
func (*Square) Capabilities() cardsapi.Capabilities {
	return cardsapi.Capabilities{Capture: true, DedupesFor: dedupesFor, Finds: true, Notifications: Name + "." + Kind}
}

// Explain implements cardsapi.Vendor.
func (*Square) Explain(code string) string { return explanations[code] }

// Open implements cardsapi.Vendor.
func (s *Square) Open(o cardsapi.Opening) (cardsapi.Account, error) {
	opened, err := s.OpenAccount(o)
	if err != nil {
		return cardsapi.Account{}, err
	}

	return cardsapi.AccountOf(opened), nil
}

// OpenAccount is Open for what the port does not have.
func (s *Square) OpenAccount(o cardsapi.Opening) (*Account, error) {
	allowed := []string{keyToken, keyLocation, keyApplication, SignatureKey, keyRefresh, keyMerchant, keyExpires}
	for _, name := range slices.Sorted(maps.Keys(o.Credentials)) {
		if !slices.Contains(allowed, name) {
			return nil, missing("Square has no credential " + cardsapi.Printable(name) + "; allowed are " + strings.Join(allowed, ", ") + ".")
		}
	}
	for _, name := range allowed[:3] {
		if strings.TrimSpace(o.Credentials[name]) == "" {
			return nil, missing("The " + name + " is required.")
		}
	}

	return &Account{
		square: s, api: s.api, clock: s.clock, key: o.Account, token: secret.Hide(o.Credentials[keyToken]), location: o.Credentials[keyLocation], application: o.Credentials[keyApplication],
	}, nil
}

func missing(detail string) error {
	return &cardsapi.VendorError{Reason: cardsapi.Auth, NotDone: true, Detail: detail}
}

// Account is a location of a merchant at Square.
type Account struct {
	square                *Square
	api                   *outbound.API
	clock                 clock.Clock
	key                   string
	token                 secret.Text
	location, application string
}

// call makes a request. One that changes something is never repeated here: the area cards decides about that.
func (a *Account) call(ctx context.Context, r outbound.Request, out any) error {
	r.Key, r.Repeat = a.key, outbound.Repeat{NotSent: true}
	if r.Method == http.MethodGet {
		// Not after 429: Square says for how long to wait.
		r.Repeat = outbound.Repeat{NotSent: true, Unknown: true, Statuses: []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}}
	}
	r.Header = http.Header{"Square-Version": {version}}
	r.Auth = outbound.Bearer(func(context.Context) (secret.Text, error) { return a.token, nil })
	_, err := a.api.Call(ctx, r, out)

	return failure(err, a.clock.Now())
}

func (a *Account) get(ctx context.Context, path string, query url.Values, out any) error {
	return a.call(ctx, outbound.Request{Method: http.MethodGet, Path: path, Query: query}, out)
}

func (a *Account) post(ctx context.Context, path string, body, out any) error {
	return a.call(ctx, outbound.Request{Method: http.MethodPost, Path: path, JSON: body}, out)
}

// Health implements cardsapi.VendorConnection: it reads the location.
func (a *Account) Health(ctx context.Context) error {
	var said struct {
		Location struct {
			Status string `json:"status"`
		} `json:"location"`
	}
	if err := a.get(ctx, "v2/locations/"+url.PathEscape(a.location), nil, &said); err != nil {
		return err
	}
	if said.Location.Status == "INACTIVE" {
		return &cardsapi.VendorError{Reason: cardsapi.NotFound, NotDone: true, Code: "LOCATION_INACTIVE", Detail: "The location is inactive."}
	}

	return nil
}

// Page implements cardsapi.VendorConnection.
func (a *Account) Page() cardsapi.PageConfig {
	return cardsapi.PageConfig{
		Script: scripts[a.square.environment], Application: a.application, Location: a.location, Live: a.square.environment == Production,
		Fields: cardsapi.CardFields{Mount: a.square.mount, Frames: []string{"https://*.cardinalcommerce.com"}, Connects: []string{calls[a.square.environment]}},
	}
}

// is reports whether a refusal has a reason.
func is(err error, reason cardsapi.Reason) bool {
	e, ok := errors.AsType[*cardsapi.VendorError](err)

	return ok && e.Reason == reason
}
