package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// emailKey is the unique index on the address.
const emailKey = "identity_users_company_id_email_key"

// User is a person of a company.
type User struct {
	ID      uuid.UUID `json:"uuid"`
	Company uuid.UUID `json:"company_uuid"`
	Name    string    `json:"name"`
	// Email is in lower case, and unique in the company.
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// DeactivatedAt is since when the user's tokens are refused, nil if they are not.
	DeactivatedAt *time.Time `json:"deactivated_at"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// NewUser is what a user is made from.
type NewUser struct {
	// ID is made when it is zero.
	ID      uuid.UUID
	Company uuid.UUID
	Name    string
	Email   string
	Role    Role
}

// CreateUser makes a user. Errors: identity.invalid, identity.email_taken,
// identity.company_not_found.
func (s *Service) CreateUser(ctx context.Context, n NewUser) (User, error) {
	var wrong complaints
	wrong.role(n.Role)
	now := s.clock.Now()
	user := User{
		ID: idOr(n.ID), Company: n.Company, Name: wrong.name(n.Name), Email: wrong.email(n.Email), Role: n.Role,
		CreatedAt: now, UpdatedAt: now,
	}
	if err := wrong.result(); err != nil {
		return User{}, err
	}
	if _, err := s.Company(ctx, n.Company); err != nil {
		return User{}, err
	}
	ctx, err := as(ctx, n.Company)
	if err != nil {
		return User{}, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error { return s.rows.createUser(ctx, user) })
	if database.ConstraintOf(err) == emailKey {
		return User{}, errEmailTaken.WithCause(err)
	}
	if err != nil {
		return User{}, fmt.Errorf("user %s: %w", user.ID, err)
	}

	return user, nil
}

// User returns a user of a company. Errors: identity.user_not_found.
func (s *Service) User(ctx context.Context, company, id uuid.UUID) (User, error) {
	ctx, err := as(ctx, company)
	if err != nil {
		return User{}, errUserNotFound
	}
	user, err := s.rows.user(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return User{}, errUserNotFound
	}
	if err != nil {
		return User{}, fmt.Errorf("user %s: %w", id, err)
	}

	return user, nil
}

// DeactivateUser makes every token of the user refused, by every replica as soon as it is
// committed. Doing it again changes nothing. Errors: identity.user_not_found.
func (s *Service) DeactivateUser(ctx context.Context, company, id uuid.UUID) error {
	return s.setDeactivated(ctx, company, id, new(s.clock.Now()))
}

// ReactivateUser undoes DeactivateUser.
func (s *Service) ReactivateUser(ctx context.Context, company, id uuid.UUID) error {
	return s.setDeactivated(ctx, company, id, nil)
}

func (s *Service) setDeactivated(ctx context.Context, company, id uuid.UUID, at *time.Time) error {
	user, err := s.User(ctx, company, id)
	if err != nil {
		return err
	}
	if (user.DeactivatedAt == nil) == (at == nil) {
		return nil
	}
	ctx, err = as(ctx, company)
	if err != nil {
		return err
	}
	err = s.change(ctx, companyChanged, company, func(ctx context.Context) error {
		return s.rows.deactivate(ctx, id, at, s.clock.Now())
	})
	if err != nil {
		return fmt.Errorf("user %s: %w", id, err)
	}

	return nil
}
