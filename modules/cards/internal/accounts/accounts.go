package accounts

import (
	"context"
	"crypto/rand"
	"maps"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Sandbox is how accounts name the vendor of this area, and SandboxKey the credential by which it signs.
const (
	Sandbox    = "sandbox"
	SandboxKey = "signature_key"
)

// Service decides about accounts.
type Service struct {
	rows    *store.Accounts
	store   *store.Repository
	vendors *Vendors
	forgets Forgets
	checks  *Checks
}

// Forgets deletes what the sandbox has of an account.
type Forgets interface {
	ForgetAccount(ctx context.Context, account uuid.UUID) error
}

// New returns a Service.
func New(a *store.Accounts, r *store.Repository, v *Vendors, forgets Forgets, c *Checks) *Service {
	return &Service{rows: a, store: r, vendors: v, forgets: forgets, checks: c}
}

// Create stores an account. The first one of a company is its default.
func (s *Service) Create(ctx context.Context, name, vendor string, credentials map[string]string) (store.Account, error) {
	credentials = signed(vendor, nil, credentials)
	if err := s.vendors.check(ctx, vendor, credentials); err != nil {
		return store.Account{}, err
	}
	row := store.Account{Account: s.rows.NewAccount(name, vendor), EndpointID: uuid.New()}
	if err := s.rows.Seal(ctx, &row, credentials); err != nil {
		return row, err
	}

	return row, s.rows.Create(ctx, &row, nil)
}

// signed are credentials with a key by which the sandbox signs its notifications: the former one, if there is one.
func signed(vendor string, former, credentials map[string]string) map[string]string {
	if vendor != Sandbox || credentials[SandboxKey] != "" {
		return credentials
	}
	made := maps.Clone(credentials)
	if made == nil {
		made = map[string]string{}
	}
	if made[SandboxKey] = former[SandboxKey]; made[SandboxKey] == "" {
		made[SandboxKey] = rand.Text()
	}

	return made
}

// Update changes the name, and the credentials if there are some.
func (s *Service) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (store.Account, error) {
	return s.rows.Update(ctx, id, match, name, credentials, func(ctx context.Context, row *store.Account) (map[string]string, error) {
		var former map[string]string
		if opened, err := s.rows.Open(ctx, *row); err == nil { // what can no longer be read is replaced all the same
			former = opened.Reveal()
		}
		kept := signed(row.Provider, former, credentials)

		return kept, s.vendors.check(ctx, row.Provider, kept)
	})
}

// Remove deletes an account that has no cards and payments.
func (s *Service) Remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.rows.Remove(ctx, id, match, s.store.IsAccountUsed, func(ctx context.Context, id uuid.UUID) error {
		if err := s.forgets.ForgetAccount(ctx, id); err != nil {
			return err
		}

		return s.store.DeleteOfAccount(ctx, id)
	})
}

// Page returns what a page needs to show the card fields of an account, and whether the account can be opened.
func (s *Service) Page(ctx context.Context, row store.Account) (cardsapi.PageConfig, bool) {
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return cardsapi.PageConfig{}, false
	}

	return open.Page(), true
}

// ByEndpoint implements cardsapi.VendorAccounts.
func (s *Service) ByEndpoint(ctx context.Context, vendor, endpoint string) (cardsapi.VendorAccount, error) {
	id, err := uuid.Parse(endpoint)
	if err != nil {
		return cardsapi.VendorAccount{}, store.ErrAccount
	}
	row, err := s.store.EndpointOwner(ctx, id)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}
	if row.Provider != vendor {
		return cardsapi.VendorAccount{}, store.ErrAccount
	}

	return s.shown(principal.AsCompany(ctx, row.CompanyID), row)
}

// Connected implements cardsapi.VendorAccounts.
func (s *Service) Connected(ctx context.Context, vendor string) ([]cardsapi.VendorAccount, error) {
	rows, err := s.store.AccountsAt(ctx, vendor)
	all := make([]cardsapi.VendorAccount, 0, len(rows))
	for _, row := range rows {
		one, err := s.shown(ctx, row)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}

	return all, err
}

// Connect implements cardsapi.VendorAccounts.
func (s *Service) Connect(ctx context.Context, vendor, id, name string, credentials map[string]string) (cardsapi.VendorAccount, error) {
	if id == "" {
		row, err := s.Create(ctx, name, vendor, credentials)
		if err != nil {
			return cardsapi.VendorAccount{}, err
		}

		return s.shown(ctx, row)
	}
	known, err := s.at(ctx, vendor, id)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}
	changed := &name
	if name == "" {
		changed = nil
	}
	row, err := s.Update(ctx, known.ID, web.IfMatch{}, changed, credentials)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}

	return s.shown(ctx, row)
}

// shown is an account as the area of its vendor sees it.
func (s *Service) shown(ctx context.Context, row store.Account) (cardsapi.VendorAccount, error) {
	credentials, err := s.rows.Open(ctx, row)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}
	a := cardsapi.VendorAccount{
		Company: row.CompanyID.String(), UUID: row.ID.String(), Name: row.Name, Endpoint: row.EndpointID.String(), Credentials: credentials.Reveal(),
		Health: row.Health, Problem: row.Problem, CheckedAt: row.CheckedAt, Disabled: row.DisabledAt != nil,
	}
	if open, err := s.vendors.Open(ctx, row); err == nil {
		a.Page, a.NotifyURL = open.Page(), s.vendors.NotifyURL(open.Can.Notifications, row.EndpointID)
	}

	return a, nil
}

// Check implements cardsapi.VendorAccounts.
func (s *Service) Check(ctx context.Context, vendor, id string) (cardsapi.VendorAccount, error) {
	known, err := s.at(ctx, vendor, id)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}
	row, _, err := s.checks.Test(ctx, known.ID)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}

	return s.shown(ctx, row)
}

// at returns an account of the caller's company at a vendor.
func (s *Service) at(ctx context.Context, vendor, id string) (store.Account, error) {
	known, err := uuid.Parse(id)
	if err != nil {
		return store.Account{}, store.ErrAccount
	}
	row, err := s.rows.One(ctx, known)
	if err == nil && row.Provider != vendor {
		err = store.ErrAccount
	}

	return row, err
}
