package sms

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The healths of accounts.
const (
	healthUnchecked = "unchecked"
	healthConnected = "connected"
	healthFailing   = "failing"
)

// accounts decides about provider accounts.
type accounts struct{ *core }

func newAccounts(c *core) *accounts { return &accounts{core: c} }

// create stores an account. The first one of a company is its default.
func (s *accounts) create(ctx context.Context, name, vendor string, credentials map[string]string) (account, error) {
	if err := s.vendors.check(vendor, credentials); err != nil {
		return account{}, err
	}
	now := s.clock.Now()
	who, _ := principal.From(ctx)
	row := account{
		ID: database.NewID(), Name: strings.TrimSpace(name), Provider: vendor, Health: healthUnchecked,
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	var err error
	s.vendors.enlist(&row, credentials)
	if row.Credentials, err = s.vendors.seal(ctx, who.Company, row.ID, credentials); err != nil {
		return row, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		// Two first accounts at a time: the row of the company's settings decides.
		if _, err := s.heldPreferences(ctx, now); err != nil {
			return err
		}
		_, err := s.defaultAccount(ctx)
		if row.IsDefault = errors.Is(err, errNoAccount); err != nil && !row.IsDefault {
			return err
		}

		return database.Taken(s.insert(ctx, &row), errTaken)
	})

	return row, err
}

// change holds an account, lets do change it, and stores it.
func (s *accounts) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, *account) error) (row account, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldAccount(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveAccount(ctx, &row)
	})

	return row, err
}

// update changes the name, and the credentials if there are some. The key of notifications that is replaced stays good
// as the second one, so that nothing is lost while it is changed at the provider.
func (s *accounts) update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (account, error) {
	return s.change(ctx, id, match, func(ctx context.Context, row *account) (err error) {
		if name != nil {
			row.Name = strings.TrimSpace(*name)
		}
		if credentials == nil {
			return nil
		}
		if err := s.vendors.check(row.Provider, credentials); err != nil {
			return err
		}
		if old, err := s.vendors.unseal(ctx, *row); err == nil { // what cannot be read any more is replaced all the same
			credentials = s.vendors.succeed(row.Provider, old.Reveal(), credentials)
		}
		row.Health, row.Problem, row.CheckedAt = healthUnchecked, "", nil
		s.vendors.enlist(row, credentials)
		row.Credentials, err = s.vendors.seal(ctx, row.CompanyID, row.ID, credentials)

		return err
	})
}

// disable stops an account, or lets it go on. What is queued for it meanwhile fails.
func (s *accounts) disable(ctx context.Context, id uuid.UUID, match web.IfMatch, disabled bool) (account, error) {
	return s.change(ctx, id, match, func(_ context.Context, row *account) error {
		now := s.clock.Now()
		if row.DisabledAt = nil; disabled {
			row.DisabledAt = &now
		}

		return nil
	})
}

// rotate gives an account other addresses for notifications. What comes to the old ones is refused from now on.
func (s *accounts) rotate(ctx context.Context, id uuid.UUID, match web.IfMatch) (account, error) {
	return s.change(ctx, id, match, func(_ context.Context, row *account) error {
		if row.EndpointID == nil {
			return errNoCallbacks
		}
		fresh := uuid.New()
		row.LastEndpointID, row.EndpointID = row.EndpointID, &fresh

		return nil
	})
}

// prefer makes an account the one that is used where none is said.
func (s *accounts) prefer(ctx context.Context, id uuid.UUID, match web.IfMatch) (account, error) {
	return s.change(ctx, id, match, func(ctx context.Context, row *account) error {
		row.IsDefault = true

		return s.clearDefaultAccount(ctx)
	})
}

// remove deletes an account that has no numbers.
func (s *accounts) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldAccount(ctx, id)
		if err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if used, err := s.hasNumbers(ctx, id); err != nil || used {
			return orElse(err, errAccountUsed)
		}

		return s.deleteAccount(ctx, id)
	})
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
	row, err := s.account(ctx, id)
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
	row, err = s.noteHealth(ctx, id, health)

	return row, took, err
}

// noteHealth keeps what a call of an account has shown. Credentials that are set meanwhile are not checked by it;
// the next call tells.
func (s *core) noteHealth(ctx context.Context, id uuid.UUID, health error) (row account, err error) {
	reason, _ := reasonOf(health)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldAccount(ctx, id); err != nil {
			return err
		}
		now := s.clock.Now()
		row.Health, row.Problem, row.CheckedAt = healthConnected, "", &now
		if health != nil {
			row.Health, row.Problem = healthFailing, string(reason)
		}

		return s.saveAccount(ctx, &row)
	})

	return row, err
}

// ready returns an account that may be used: the given one, or the default.
func (s *core) ready(ctx context.Context, id uuid.UUID) (account, error) {
	read := s.defaultAccount
	if id != uuid.Nil {
		read = func(ctx context.Context) (account, error) { return s.account(ctx, id) }
	}
	row, err := read(ctx)
	if err == nil && row.DisabledAt != nil {
		err = errDisabled
	}

	return row, err
}

// isAuth reports whether a provider refused the credentials.
func isAuth(err error) bool {
	reason, _ := reasonOf(err)

	return reason == provider.Auth
}
