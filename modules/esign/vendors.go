package esign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	inbox "github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// callbackKind is the kind of notifications, in the area.
const callbackKind = "callback"

// vendors are the providers that there are, and what opens accounts at them.
type vendors struct {
	accounts *store
	keys     *secret.Keys
	byName   map[string]provider.Provider
	// address is our address for notifications of a kind at an endpoint.
	address func(kind string, endpoint uuid.UUID) string
	// signers are keys as they verify.
	signers *expirable.LRU[signersOf, []verify.Key]
}

func newVendors(accounts *store, keys *secret.Keys, in *inbox.Inbox, all []provider.Provider) *vendors {
	v := vendorsOf(accounts, keys, all...)
	v.address = in.URL

	return v
}

func vendorsOf(accounts *store, keys *secret.Keys, all ...provider.Provider) *vendors {
	v := &vendors{
		accounts: accounts, keys: keys, byName: map[string]provider.Provider{}, address: func(string, uuid.UUID) string { return "" },
		signers: expirable.NewLRU[signersOf, []verify.Key](signersKept, nil, 0),
	}
	for _, p := range all {
		v.byName[p.Name()] = p
	}

	return v
}

func (v *vendors) names() []string { return slices.Sorted(maps.Keys(v.byName)) }

// callback is our address for the notifications of an account, "" if we have no public address.
func (v *vendors) callback(row account) string {
	address := v.address(esignapi.Area+"."+callbackKind, row.EndpointID)
	if strings.HasPrefix(address, "/") {
		return ""
	}

	return address
}

// errNoVendor says that a row has a provider that this version of the service does not.
var errNoVendor = errors.New("esign: there is no such provider")

// opening is what an account is opened with.
func (v *vendors) opening(ctx context.Context, row account) (provider.Provider, provider.Opening, error) {
	p, ok := v.byName[row.Provider]
	if !ok {
		return nil, provider.Opening{}, fmt.Errorf("%w: %q", errNoVendor, row.Provider)
	}
	credentials, err := v.accounts.Open(ctx, row)
	if err != nil {
		return nil, provider.Opening{}, err
	}

	return p, provider.Opening{
		Credentials: credentials, Key: row.ID.String(), Environment: row.Environment,
		ExternalID: row.ExternalID, BaseURL: row.BaseURL, CallbackURL: v.callback(row),
	}, nil
}

// dial opens an account.
func (v *vendors) dial(ctx context.Context, row account) (provider.Account, error) {
	p, o, err := v.opening(ctx, row)
	if err != nil {
		return nil, err
	}

	return p.Open(o)
}

// consent is where a user agrees that the service works in his name, "" where that is not asked for.
func (v *vendors) consent(ctx context.Context, row account) string {
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
func (v *vendors) check(name, environment string, credentials map[string]string) (string, error) {
	p, ok := v.byName[name]
	if !ok {
		return "", errInvalid.WithField("provider", fmt.Sprintf("The provider must be one of: %s.", strings.Join(v.names(), ", ")))
	}
	there := p.Environments()
	if environment == "" {
		environment = there[0]
	}
	if !slices.Contains(there, environment) {
		return "", errInvalid.WithField("environment", fmt.Sprintf("The environment of %s must be one of: %s.", name, strings.Join(there, ", ")))
	}
	_, err := p.Open(provider.Opening{Credentials: secret.Hide(credentials), Environment: environment})
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return "", errInvalid.WithField("credentials", refusal.Detail)
	}

	return environment, err
}

// failure is what the caller is told of a provider's failure.
func failure(err error) error { return vendorerror.Told[provider.Reason](err, errRefused, errProvider) }

// reasonOf is why a provider failed, for people and programs.
func reasonOf(err error) (reason provider.Reason, code string) {
	return vendorerror.Of[provider.Reason](err)
}
