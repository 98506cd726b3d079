package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Login is a user who may log in, if the password is right.
type Login struct {
	Company     uuid.UUID
	CompanyName string
	User        uuid.UUID
	// Hash is the hash of the password.
	Hash string
}

// Logins returns who may log in to an account: users with a password who are not deactivated, of
// companies that are not suspended. It asks nobody who is calling.
func (s *Service) Logins(ctx context.Context, a Account) ([]Login, error) {
	rows, err := s.rows.accounts(ctx, normalEmail(a.Email), a.Company)
	if err != nil {
		return nil, fmt.Errorf("accounts of an address: %w", err)
	}
	all := make([]Login, len(rows))
	for i, r := range rows {
		all[i] = Login{Company: r.CompanyID, CompanyName: r.CompanyName, User: r.ID, Hash: r.PasswordHash}
	}

	return all, nil
}

// LoggedIn records that a user has logged in with the password of that hash, and reports whether
// that is still so: false if the user has another password by now, or is deactivated.
func (s *Service) LoggedIn(ctx context.Context, company, user uuid.UUID, hash string) (ok bool, err error) {
	ctx, err = actingFor(ctx, company)
	if err != nil {
		return false, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		ok, err = s.rows.loggedIn(ctx, user, hash, s.clock.Now())

		return err
	})

	return ok, err
}

// PasswordHash returns the hash of a user's password, "" if there is none. Errors:
// identity.user_not_found.
func (s *Service) PasswordHash(ctx context.Context, company, user uuid.UUID) (string, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return "", ErrUserNotFound
	}
	row, err := s.rows.userRow(ctx, user)
	if errors.Is(err, database.ErrNotFound) {
		return "", ErrUserNotFound
	}

	return row.PasswordHash, err
}

// SetPassword stores the hash of a user's password. Every token of the user is revoked, but one,
// which may be uuid.Nil. Errors: identity.user_not_found.
func (s *Service) SetPassword(ctx context.Context, company, user uuid.UUID, hash string, except uuid.UUID) error {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return ErrUserNotFound
	}
	err = s.change(ctx, companyChanged, company, func(ctx context.Context) error {
		// The password comes first: who logs in with the old one waits here, and is refused then.
		err := s.rows.updateUser(ctx, user, s.clock.Now(), map[string]any{"password_hash": hash})
		if err == nil {
			_, err = s.rows.revokeOf(ctx, user, except, s.clock.Now())
		}

		return err
	})
	if errors.Is(err, database.ErrNotFound) {
		return ErrUserNotFound
	}
	if err != nil {
		return fmt.Errorf("user %s: %w", user, err)
	}

	return nil
}
