// Package accounts has what companies do with their accounts at providers, and the checks of their credentials.
package accounts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Service decides about provider accounts.
type Service struct {
	accounts *store.Accounts
	vendors  *vendors.Service
	store    *store.Repository
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

// NewService returns a Service.
func NewService(v *vendors.Service, r *store.Repository, q *jobs.Queue, c clock.Clock, s *settings.Settings) *Service {
	return &Service{accounts: v.Accounts, vendors: v, store: r, queue: q, clock: c, settings: s}
}

// Create stores an account. The first one of a company is its default.
func (s *Service) Create(ctx context.Context, name, vendor string, credentials map[string]string) (store.Account, error) {
	if err := s.vendors.Check(vendor, credentials); err != nil {
		return store.Account{}, err
	}
	row := store.Account{Account: s.accounts.NewAccount(name, vendor)}
	s.vendors.AssignEndpoint(&row, credentials)
	if err := s.accounts.Seal(ctx, &row, credentials); err != nil {
		return row, err
	}

	return row, s.accounts.Create(ctx, &row, nil)
}

// update changes the name, and the credentials if there are some. The key of notifications that is replaced stays good
// as the second one, so that nothing is lost while it is changed at the provider.
func (s *Service) update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (store.Account, error) {
	return s.accounts.Update(ctx, id, match, name, credentials, func(ctx context.Context, row *store.Account) (map[string]string, error) {
		if err := s.vendors.Check(row.Provider, credentials); err != nil {
			return nil, err
		}
		kept := credentials
		if old, err := s.accounts.Open(ctx, *row); err == nil { // what can no longer be read is replaced all the same
			kept = s.vendors.KeepOldKey(row.Provider, old.Reveal(), kept)
		}
		s.vendors.AssignEndpoint(row, kept)

		return kept, nil
	})
}

// rotate gives an account other addresses for notifications. What comes to the old ones is refused from now on.
func (s *Service) rotate(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Account, error) {
	return s.accounts.Change(ctx, id, match, func(_ context.Context, row *store.Account) error {
		if row.EndpointID == nil {
			return store.ErrNoCallbacks
		}
		fresh := uuid.New()
		row.LastEndpointID, row.EndpointID = row.EndpointID, &fresh

		return nil
	})
}

// remove deletes an account that has no numbers.
func (s *Service) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.accounts.Remove(ctx, id, match, s.store.HasNumbers, nil)
}

// test makes a call that costs nothing and says how it went; what was found is kept.
func (s *Service) test(ctx context.Context, id uuid.UUID) (store.Account, time.Duration, error) {
	row, err := s.accounts.One(ctx, id)
	if err != nil {
		return row, 0, err
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return row, 0, err
	}
	begun := s.clock.Now()
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	health := open.Health(calling)
	took := s.clock.Now().Sub(begun)
	row, err = s.vendors.NoteHealth(ctx, row, health)

	return row, took, err
}
