package accounts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// CallbackKind is the kind of notifications, in the area.
const CallbackKind = "callback"

// Vendors are the providers that there are, and what opens accounts at them.
type Vendors struct {
	Accounts *store.Store
	Keys     *secret.Keys
	ByName   map[string]provider.Provider
	// timeout bounds a call.
	timeout time.Duration
	// address is our address for notifications of a kind at an endpoint.
	Address func(kind string, endpoint uuid.UUID) string
}

// NewVendors returns the providers of the deployment.
func NewVendors(accounts *store.Store, keys *secret.Keys, in *inbound.Inbox, s settings.Settings, all []provider.Provider) *Vendors {
	v := VendorsWithoutAddress(accounts, keys, s.CallTimeout, all...)
	v.Address = in.URL

	return v
}

// VendorsWithoutAddress has no address for notifications.
func VendorsWithoutAddress(accounts *store.Store, keys *secret.Keys, timeout time.Duration, all ...provider.Provider) *Vendors {
	v := &Vendors{
		Accounts: accounts, Keys: keys, ByName: map[string]provider.Provider{}, timeout: timeout,
		Address: func(string, uuid.UUID) string { return "" },
	}
	for _, p := range all {
		v.ByName[p.Name()] = p
	}

	return v
}

func (v *Vendors) names() []string { return slices.Sorted(maps.Keys(v.ByName)) }

// CallbackURL is our address for the notifications of an account, "" if we have no public address.
func (v *Vendors) CallbackURL(row store.Account) string {
	address := v.Address(esignapi.Area+"."+CallbackKind, row.EndpointID)
	if strings.HasPrefix(address, "/") {
		return ""
	}

	return address
}

// errNoVendor says that a row has a provider that this version of the service does not.
var errNoVendor = errors.New("esign: unknown provider")

// opening is what an account is opened with.
func (v *Vendors) opening(ctx context.Context, row store.Account) (provider.Provider, provider.Opening, error) {
	p, ok := v.ByName[row.Provider]
	if !ok {
		return nil, provider.Opening{}, fmt.Errorf("%w: %q", errNoVendor, row.Provider)
	}
	credentials, err := v.Accounts.Open(ctx, row)
	if err != nil {
		return nil, provider.Opening{}, err
	}

	return p, provider.Opening{
		Credentials: credentials, Key: row.ID.String(), Environment: row.Environment,
		ExternalID: row.ExternalID, BaseURL: row.BaseURL, CallbackURL: v.CallbackURL(row),
	}, nil
}

// Open opens an account.
func (v *Vendors) Open(ctx context.Context, row store.Account) (provider.Account, error) {
	p, o, err := v.opening(ctx, row)
	if err != nil {
		return nil, err
	}

	return p.Open(o)
}

// CallContext bounds a call of a provider.
func (v *Vendors) CallContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, v.timeout)
}

// Timeout is how long a provider may take to answer.
func (v *Vendors) Timeout() time.Duration { return v.timeout }

// NoteHealth keeps what a call of an account has shown.
func (v *Vendors) NoteHealth(ctx context.Context, of store.Account, found provider.Found, health error) (store.Account, error) {
	reason, _ := ReasonOf(health)

	return v.Accounts.NoteProblem(ctx, of, string(reason), func(row *store.Account) {
		if found.ExternalID != "" {
			row.ExternalID, row.BaseURL = found.ExternalID, found.BaseURL
		}
	})
}

// NoteAuthFailure keeps that an account's credentials do not work.
func (v *Vendors) NoteAuthFailure(ctx context.Context, of store.Account, err error) error {
	reason, _ := ReasonOf(err)
	if reason != provider.Auth && reason != provider.ConsentRequired {
		return nil
	}
	_, err = v.NoteHealth(ctx, of, provider.Found{}, err)

	return err
}

// ConsentURL is where a user agrees that the service works in his name, "" where that is not asked for.
func (v *Vendors) ConsentURL(ctx context.Context, row store.Account) string {
	p, o, err := v.opening(ctx, row)
	if err != nil {
		return ""
	}
	asks, ok := p.(provider.Consenter)
	if !ok {
		return ""
	}

	return asks.ConsentURL(o)
}

// check refuses a provider or an environment that there is not, and credentials that cannot be used. It returns the
// environment.
func (v *Vendors) check(name, environment string, credentials map[string]string) (string, error) {
	p, ok := v.ByName[name]
	if !ok {
		return "", store.ErrInvalid.WithField("provider", fmt.Sprintf("The provider must be one of: %s.", strings.Join(v.names(), ", ")))
	}
	there := p.Environments()
	if environment == "" {
		environment = there[0]
	}
	if !slices.Contains(there, environment) {
		return "", store.ErrInvalid.WithField("environment", fmt.Sprintf("The environment of %s must be one of: %s.", name, strings.Join(there, ", ")))
	}
	_, err := p.Open(provider.Opening{Credentials: secret.Hide(credentials), Environment: environment})
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return "", store.ErrInvalid.WithField("credentials", refusal.Detail)
	}

	return environment, err
}

// CallerError is what the caller is told of a provider's failure.
func CallerError(err error) error {
	return vendorerror.ForCaller[provider.Reason](err, store.ErrRefused, store.ErrProvider)
}

// ReasonOf is why a provider failed, for people and programs.
func ReasonOf(err error) (reason provider.Reason, code string) {
	return vendorerror.Of[provider.Reason](err)
}
