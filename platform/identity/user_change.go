package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// UpdateUser stores the name and the role of a user as they are in u, and returns the user as it is
// then. What the role allows changes with the commit, everywhere. Errors: identity.invalid,
// identity.role_unknown, identity.user_not_found, identity.last_owner.
func (s *Service) UpdateUser(ctx context.Context, u User) (User, error) {
	var wrong complaints
	name := wrong.name(u.Name)
	if err := wrong.result(); err != nil {
		return User{}, err
	}
	err := s.changeUser(ctx, u.Company, u.ID, func(ctx context.Context, now User) error {
		if _, err := s.RoleScopes(ctx, u.Company, u.Role); err != nil {
			return err
		}
		if err := s.keepOwner(ctx, now, u.Role == Owner); err != nil {
			return err
		}

		return s.rows.updateUser(ctx, u.ID, s.clock.Now(), map[string]any{"name": name, "role": u.Role})
	})
	if err != nil {
		return User{}, err
	}

	return s.User(ctx, u.Company, u.ID)
}

// DeactivateUser makes every token of the user refused, by every replica as soon as it is
// committed. Doing it again changes nothing. Errors: identity.user_not_found, identity.last_owner.
func (s *Service) DeactivateUser(ctx context.Context, company, id uuid.UUID) error {
	return s.setDeactivated(ctx, company, id, new(s.clock.Now()))
}

// ReactivateUser undoes DeactivateUser.
func (s *Service) ReactivateUser(ctx context.Context, company, id uuid.UUID) error {
	return s.setDeactivated(ctx, company, id, nil)
}

func (s *Service) setDeactivated(ctx context.Context, company, id uuid.UUID, at *time.Time) error {
	return s.changeUser(ctx, company, id, func(ctx context.Context, now User) error {
		if (now.DeactivatedAt == nil) == (at == nil) {
			return nil
		}
		if err := s.keepOwner(ctx, now, at == nil); err != nil {
			return err
		}

		return s.rows.updateUser(ctx, id, s.clock.Now(), map[string]any{"deactivated_at": at})
	})
}

// changeUser makes a change of a user, whom it gives as the user is then: users and roles of the
// company stay unchanged meanwhile.
func (s *Service) changeUser(ctx context.Context, company, id uuid.UUID, do func(context.Context, User) error) error {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return ErrUserNotFound
	}
	err = s.change(ctx, companyChanged, company, func(ctx context.Context) error {
		if err := s.rows.lockCompany(ctx, company); err != nil {
			return err
		}
		now, err := s.rows.user(ctx, id)
		if err != nil {
			return err
		}

		return do(ctx, now)
	})
	if errors.Is(err, database.ErrNotFound) {
		return ErrUserNotFound
	}
	if err != nil {
		return fmt.Errorf("user %s: %w", id, err)
	}

	return nil
}

// keepOwner refuses to take the last active owner from a company; stays says that the user will be
// an active owner as far as this change goes.
func (s *Service) keepOwner(ctx context.Context, user User, stays bool) error {
	if stays || user.Role != Owner || user.DeactivatedAt != nil {
		return nil
	}
	owners, err := s.rows.owners(ctx)
	if err == nil && owners <= 1 {
		return ErrLastOwner
	}

	return err
}
