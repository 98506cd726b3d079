package incoming

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Endpoints are where providers send notifications.
type Endpoints struct {
	store    *store.Repository
	vendors  *vendors.Service
	clock    clock.Clock
	settings *settings.Settings
}

// NewEndpoints returns Endpoints.
func NewEndpoints(r *store.Repository, v *vendors.Service, c clock.Clock, s *settings.Settings) *Endpoints {
	return &Endpoints{store: r, vendors: v, clock: c, settings: s}
}

// find returns whose endpoint it is, and what verifies what comes there. A disabled account has it still: what was
// sent before comes to an end, and who says STOP is heard.
func (s *Endpoints) find(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	row, err := s.store.EndpointOwner(ctx, id)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	e := inbound.Endpoint{Company: row.CompanyID}
	notifier, ok := s.vendors.ByName[row.Provider].(provider.Notifier)
	if !ok {
		return e, nil // whose provider is gone: refused
	}
	credentials, err := s.vendors.Accounts.Open(principal.AsCompany(ctx, row.CompanyID), row)
	if err != nil {
		return e, err
	}
	e.Scheme = notifier.Scheme(credentials)

	return e, nil
}

// account returns the account of an endpoint, with its credentials. Error: store.ErrAccount.
func (s *Endpoints) account(ctx context.Context, endpoint uuid.UUID) (row store.Account, credentials provider.Credentials, err error) {
	if row, err = s.store.AccountOfEndpoint(ctx, endpoint); err != nil {
		return row, credentials, err
	}
	credentials, err = s.vendors.Accounts.Open(ctx, row)

	return row, credentials, err
}

// mayBecomeKnown reports whether what a notification is about may become known yet.
func (s *Endpoints) mayBecomeKnown(d inbound.Delivery) bool {
	return s.clock.Now().Before(d.ReceivedAt.Add(s.settings.StatusWait))
}
