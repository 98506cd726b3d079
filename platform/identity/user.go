package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
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
	// HasPassword says that the user can log in, and not only use tokens.
	HasPassword bool `json:"has_password"`
	// LastLoginAt is nil if the user has never logged in.
	LastLoginAt *time.Time `json:"last_login_at"`
	// DeactivatedAt is since when the user's tokens are refused, nil if they are not.
	DeactivatedAt *time.Time `json:"deactivated_at"`
	// Version grows with every change.
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
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

// CreateUser makes a user. Errors: identity.invalid, identity.role_unknown,
// identity.email_taken, identity.company_not_found.
func (s *Service) CreateUser(ctx context.Context, n NewUser) (User, error) {
	var wrong complaints
	now := s.clock.Now()
	user := User{
		ID: idOr(n.ID), Company: n.Company, Name: wrong.name(n.Name), Email: wrong.email(n.Email), Role: n.Role,
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := wrong.result(); err != nil {
		return User{}, err
	}
	ctx, err := actingFor(ctx, n.Company)
	if err != nil {
		return User{}, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.Hold(ctx, n.Company); err != nil {
			return err
		}
		if _, err := s.RoleScopes(ctx, n.Company, n.Role); err != nil {
			return err
		}

		return s.rows.createUser(ctx, user)
	})
	if database.ConstraintOf(err) == emailKey {
		return User{}, ErrEmailTaken.WithCause(err)
	}
	if err != nil {
		return User{}, fmt.Errorf("user %s: %w", user.ID, err)
	}

	return user, nil
}

// User returns a user of a company. Errors: identity.user_not_found.
func (s *Service) User(ctx context.Context, company, id uuid.UUID) (User, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return User{}, ErrUserNotFound
	}
	user, err := s.rows.user(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return User{}, ErrUserNotFound
	}
	if err != nil {
		return User{}, fmt.Errorf("user %s: %w", id, err)
	}

	return user, nil
}

// PageUsers lists the users of the caller's company. The query is parsed with UserSchema.
func (s *Service) PageUsers(ctx context.Context, q list.Query) (list.Page[User], error) {
	page, err := s.rows.pageUsers(ctx, q)

	return list.Convert(page, userRow.user), err
}

// NamedUser is what colleagues see of a user everywhere.
type NamedUser struct {
	Name string
	// Active is false for one who was deactivated.
	Active bool
}

// UserNames returns the names of those of some users that the caller's company has, by id.
func (s *Service) UserNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]NamedUser, error) {
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // nobody has a name
	}

	return s.rows.userNames(ctx, ids)
}

// CheckNewUser returns the address of a user as it would be stored, or why the user could not be
// made. Errors: identity.invalid, identity.email_taken.
func (s *Service) CheckNewUser(ctx context.Context, n NewUser) (email string, err error) {
	var wrong complaints
	wrong.name(n.Name)
	email = wrong.email(n.Email)
	if err := wrong.result(); err != nil {
		return "", err
	}
	ctx, err = actingFor(ctx, n.Company)
	if err != nil {
		return "", err
	}
	taken, err := s.rows.emailTaken(ctx, email)
	if err == nil && taken {
		err = ErrEmailTaken
	}

	return email, err
}

// CountActiveUsers counts the users of the caller's company who are not deactivated.
func (s *Service) CountActiveUsers(ctx context.Context) (int64, error) {
	return s.rows.activeUsers(ctx)
}
