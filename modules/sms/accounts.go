package sms

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/web"
)

// accounts decides about provider accounts.
type accounts struct{ *core }

func newAccounts(c *core) *accounts { return &accounts{core: c} }

// create stores an account. The first one of a company is its default.
func (s *accounts) create(ctx context.Context, name, vendor string, credentials map[string]string) (account, error) {
	if err := s.vendors.check(vendor, credentials); err != nil {
		return account{}, err
	}
	row := account{Account: s.accounts.Fresh(name, vendor)}
	s.vendors.enlist(&row, credentials)
	if err := s.accounts.Seal(ctx, &row, credentials); err != nil {
		return row, err
	}

	return row, s.accounts.Create(ctx, &row, nil)
}

// update changes the name, and the credentials if there are some. The key of notifications that is replaced stays good
// as the second one, so that nothing is lost while it is changed at the provider.
func (s *accounts) update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (account, error) {
	return s.accounts.Update(ctx, id, match, name, credentials, func(ctx context.Context, row *account) (map[string]string, error) {
		if err := s.vendors.check(row.Provider, credentials); err != nil {
			return nil, err
		}
		kept := credentials
		if old, err := s.accounts.Open(ctx, *row); err == nil { // what cannot be read any more is replaced all the same
			kept = s.vendors.succeed(row.Provider, old.Reveal(), kept)
		}
		s.vendors.enlist(row, kept)

		return kept, nil
	})
}

// rotate gives an account other addresses for notifications. What comes to the old ones is refused from now on.
func (s *accounts) rotate(ctx context.Context, id uuid.UUID, match web.IfMatch) (account, error) {
	return s.accounts.Change(ctx, id, match, func(_ context.Context, row *account) error {
		if row.EndpointID == nil {
			return errNoCallbacks
		}
		fresh := uuid.New()
		row.LastEndpointID, row.EndpointID = row.EndpointID, &fresh

		return nil
	})
}

// remove deletes an account that has no numbers.
func (s *accounts) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.accounts.Remove(ctx, id, match, s.hasNumbers, nil)
}

// orElse is err, or the failure if there is none.
func orElse(err, failure error) error {
	if err != nil {
		return err
	}

	return failure
}

// test makes a call that costs nothing and says how it went; what was found is kept.
func (s *accounts) test(ctx context.Context, id uuid.UUID) (account, time.Duration, error) {
	row, err := s.accounts.One(ctx, id)
	if err != nil {
		return row, 0, err
	}
	open, err := s.vendors.dial(ctx, row)
	if err != nil {
		return row, 0, err
	}
	begun := s.clock.Now()
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	health := open.Health(calling)
	took := s.clock.Now().Sub(begun)
	row, err = s.noteHealth(ctx, row, health)

	return row, took, err
}

// noteHealth keeps what a call of an account has shown.
func (s *core) noteHealth(ctx context.Context, of account, health error) (account, error) {
	reason, _ := reasonOf(health)

	return s.accounts.Note(ctx, of, string(reason), nil)
}

// isAuth reports whether a provider refused the credentials.
func isAuth(err error) bool {
	reason, _ := reasonOf(err)

	return reason == provider.Auth
}
