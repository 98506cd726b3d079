package sms

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
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	inbox "github.com/dispatchd/dispatchd/platform/inbound"
	outside "github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// vendors are the providers that there are, and what opens accounts at them.
type vendors struct {
	accounts *store
	byName   map[string]provider.Provider
	// address is our address for notifications of a kind at an endpoint.
	address func(kind string, endpoint uuid.UUID) string
}

// newVendors is the one list of adapters.
func newVendors(s settings, accounts *store, network *outside.Network, in *inbox.Inbox, clk clock.Clock) (*vendors, error) {
	first, err := twilio.New(s.Twilio, network, clk)
	if err != nil {
		return nil, fmt.Errorf("modules.sms.twilio: %w", err)
	}
	other, err := telnyx.New(s.Telnyx, network, clk)
	if err != nil {
		return nil, fmt.Errorf("modules.sms.telnyx: %w", err)
	}
	v := vendorsOf(accounts, sandbox.Provider{}, first, other)
	v.address = in.URL

	return v, nil
}

func vendorsOf(accounts *store, all ...provider.Provider) *vendors {
	v := &vendors{accounts: accounts, byName: map[string]provider.Provider{}, address: func(string, uuid.UUID) string { return "" }}
	for _, p := range all {
		v.byName[p.Name()] = p
	}

	return v
}

// simulated are the providers that answer without anything outside being asked; there is always one.
func (v *vendors) simulated() []string {
	return append([]string{sandbox.Name}, slices.DeleteFunc(v.names(), func(name string) bool { return !v.simulates(name) })...)
}

// callbacks are our addresses for the notifications of an account, as the provider is told them: "" where it sends
// none, or we have no public address.
func (v *vendors) callbacks(row account) (status, message string) {
	notifier, ok := v.byName[row.Provider].(provider.Notifier)
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

// enlist gives an account an endpoint, where its provider sends notifications, and notes whether they can be verified.
func (v *vendors) enlist(row *account, credentials map[string]string) {
	notifier, ok := v.byName[row.Provider].(provider.Notifier)
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

// succeed are new credentials, in which the key of before stays good for notifications as the second one: unless they
// say themselves which is the second, "" for none, or belong to another account at the provider.
func (v *vendors) succeed(name string, old, credentials map[string]string) map[string]string {
	notifier, ok := v.byName[name].(provider.Notifier)
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

func (v *vendors) names() []string { return slices.Sorted(maps.Keys(v.byName)) }

// simulates reports whether a provider answers without anything outside being asked.
func (v *vendors) simulates(name string) bool {
	p, ok := v.byName[name]

	return ok && p.Capabilities().Simulated
}

// errNoVendor says that a row has a provider that this version of the service does not.
var errNoVendor = errors.New("sms: there is no such provider")

// line is an open account, and what its provider can do.
type line struct {
	provider.Account

	can provider.Capabilities
}

// dial opens an account.
func (v *vendors) dial(ctx context.Context, row account) (line, error) {
	p, ok := v.byName[row.Provider]
	if !ok {
		return line{}, fmt.Errorf("%w: %q", errNoVendor, row.Provider)
	}
	credentials, err := v.accounts.Open(ctx, row)
	if err != nil {
		return line{}, err
	}
	o := provider.Opening{Credentials: credentials, Key: row.ID.String()}
	o.StatusURL, o.MessageURL = v.callbacks(row)
	opened, err := p.Open(o)

	return line{Account: opened, can: p.Capabilities()}, err
}

// check refuses a provider that there is not, and credentials that it cannot use.
func (v *vendors) check(name string, credentials map[string]string) error {
	p, ok := v.byName[name]
	if !ok {
		return errInvalid.WithField("provider", "The provider must be one of "+strings.Join(v.names(), ", ")+".")
	}
	_, err := p.Open(provider.Opening{Credentials: secret.Hide(credentials)})
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return errInvalid.WithField("credentials", refusal.Detail)
	}

	return err
}

// told is what the caller is told of a provider's failure.
func told(err error) error { return vendorerror.Told[provider.Reason](err, errRefused, errProvider) }

// reasonOf is why a provider failed, for people and programs.
func reasonOf(err error) (reason provider.Reason, code string) {
	return vendorerror.Of[provider.Reason](err)
}
