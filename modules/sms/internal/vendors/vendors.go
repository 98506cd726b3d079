// Package vendors opens accounts at the providers that there are.
package vendors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// Service are the providers that there are, and what opens accounts at them.
type Service struct {
	Accounts *store.Accounts
	ByName   map[string]provider.Provider
	// address is our address for notifications of a kind at an endpoint.
	address func(kind string, endpoint uuid.UUID) string
}

// New is the one list of adapters.
func New(s settings.Settings, accounts *store.Accounts, network *outbound.Network, in *inbound.Inbox, clk clock.Clock) (*Service, error) {
	first, err := twilio.New(s.Twilio, network, clk)
	if err != nil {
		return nil, fmt.Errorf("modules.sms.twilio: %w", err)
	}
	other, err := telnyx.New(s.Telnyx, network, clk)
	if err != nil {
		return nil, fmt.Errorf("modules.sms.telnyx: %w", err)
	}
	v := Of(accounts, sandbox.Provider{}, first, other)
	v.address = in.URL

	return v, nil
}

// Of returns a service of some providers, which has no address for notifications.
func Of(accounts *store.Accounts, all ...provider.Provider) *Service {
	v := &Service{Accounts: accounts, ByName: map[string]provider.Provider{}, address: func(string, uuid.UUID) string { return "" }}
	for _, p := range all {
		v.ByName[p.Name()] = p
	}

	return v
}

// Simulated are the providers that answer without anything outside being asked; there is always one.
func (v *Service) Simulated() []string {
	return append([]string{sandbox.Name}, slices.DeleteFunc(v.names(), func(name string) bool { return !v.Simulates(name) })...)
}

// Callbacks are our addresses for the notifications of an account, as the provider is told them: "" where it sends
// none, or we have no public address.
func (v *Service) Callbacks(row store.Account) (status, message string) {
	notifier, ok := v.ByName[row.Provider].(provider.Notifier)
	if !ok || row.EndpointID == nil {
		return "", ""
	}
	first, second := notifier.Kinds()
	public := func(kind string) string {
		address := v.address(smsapi.Area+"."+kind, *row.EndpointID)
		if strings.HasPrefix(address, "/") {
			return ""
		}

		return address
	}

	return public(first), public(second)
}

// AssignEndpoint gives an account an endpoint, where its provider sends notifications, and notes whether they can be verified.
func (v *Service) AssignEndpoint(row *store.Account, credentials map[string]string) {
	notifier, ok := v.ByName[row.Provider].(provider.Notifier)
	if !ok {
		return
	}
	if row.EndpointID == nil {
		id := uuid.New()
		row.EndpointID = &id
	}
	first, second := notifier.KeyNames()
	row.Verifies = credentials[first] != "" || credentials[second] != ""
}

// KeepOldKey are new credentials, in which the key of before stays good for notifications as the second one: unless they
// say themselves which is the second, "" for none, or belong to another account at the provider.
func (v *Service) KeepOldKey(name string, old, credentials map[string]string) map[string]string {
	notifier, ok := v.ByName[name].(provider.Notifier)
	if !ok {
		return credentials
	}
	first, second := notifier.KeyNames()
	_, said := credentials[second]
	if said || old[first] == "" || old[first] == credentials[first] || old[accountName] != credentials[accountName] {
		return credentials
	}
	kept := maps.Clone(credentials)
	kept[second] = old[first]

	return kept
}

// accountName is the credential that names the account at the provider, where there is one.
const accountName = "account_sid"

func (v *Service) names() []string { return slices.Sorted(maps.Keys(v.ByName)) }

// Simulates reports whether a provider answers without anything outside being asked.
func (v *Service) Simulates(name string) bool {
	p, ok := v.ByName[name]

	return ok && p.Capabilities().Simulated
}

// ErrNoVendor says that a row has a provider that this version of the service does not.
var ErrNoVendor = errors.New("sms: unknown provider")

// Line is an open account, and what its provider can do.
type Line struct {
	provider.Account

	Can provider.Capabilities
}

// Open opens an account.
func (v *Service) Open(ctx context.Context, row store.Account) (Line, error) {
	p, ok := v.ByName[row.Provider]
	if !ok {
		return Line{}, fmt.Errorf("%w: %q", ErrNoVendor, row.Provider)
	}
	credentials, err := v.Accounts.Open(ctx, row)
	if err != nil {
		return Line{}, err
	}
	o := provider.Opening{Credentials: credentials, Key: row.ID.String()}
	o.StatusURL, o.MessageURL = v.Callbacks(row)
	opened, err := p.Open(o)

	return Line{Account: opened, Can: p.Capabilities()}, err
}

// Check refuses a provider that there is not, and credentials that it cannot use.
func (v *Service) Check(name string, credentials map[string]string) error {
	p, ok := v.ByName[name]
	if !ok {
		return store.ErrInvalid.WithField("provider", "The provider must be one of "+strings.Join(v.names(), ", ")+".")
	}
	_, err := p.Open(provider.Opening{Credentials: secret.Hide(credentials)})
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return store.ErrInvalid.WithField("credentials", refusal.Detail)
	}

	return err
}

// Explain returns what a code means that one of the providers has given, and "" where its reason says as much. No two of them use the
// same code.
func (v *Service) Explain(code string) string {
	for _, p := range v.ByName {
		if text := p.Explain(code); code != "" && text != "" {
			return text
		}
	}

	return ""
}

// CallerError is what the caller is told of a provider's failure.
func CallerError(err error) error {
	return vendorerror.ForCaller[provider.Reason](err, store.ErrRefused, store.ErrProvider)
}

// ReasonOf is why a provider failed, for people and programs.
func ReasonOf(err error) (reason provider.Reason, code string) {
	return vendorerror.Of[provider.Reason](err)
}

// NoteHealth keeps what a call of an account has shown.
func (v *Service) NoteHealth(ctx context.Context, of store.Account, health error) (store.Account, error) {
	reason, _ := ReasonOf(health)

	return v.Accounts.NoteProblem(ctx, of, string(reason), nil)
}

// IsAuth reports whether a provider refused the credentials.
func IsAuth(err error) bool {
	reason, _ := ReasonOf(err)

	return reason == provider.Auth
}
