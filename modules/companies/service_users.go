package companies

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/link"
)

// usersScope is what managing users needs.
const usersScope = "companies:users"

// users changes the users of the caller's company.
type users struct {
	identity *identity.Service
	staff    *staff
	seats    *seats
	links    *link.Service
	journal  *journal.Journal
}

func newUsers(who *identity.Service, st *staff, se *seats, links *link.Service, j *journal.Journal) *users {
	return &users{identity: who, staff: st, seats: se, links: links, journal: j}
}

// changeUser runs do on a user of the caller's company whom the caller may change.
func (s *users) changeUser(ctx context.Context, id uuid.UUID, do func(context.Context, identity.User) error) error {
	return s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		user, err := s.identity.User(ctx, journal.Caller(ctx).Company, id)
		if err == nil {
			err = s.staff.mayTouch(ctx, user)
		}
		if err != nil {
			return err
		}

		return do(ctx, user)
	})
}

// updateUser changes the name and the role of a user.
func (s *users) updateUser(
	ctx context.Context, id uuid.UUID, match func(int64) error, change func(*identity.User),
) (user identity.User, err error) {
	err = s.changeUser(ctx, id, func(ctx context.Context, before identity.User) error {
		if err := match(before.Version); err != nil {
			return err
		}
		user = before
		change(&user)
		if user.Role != before.Role {
			if err := s.staff.mayGrantRole(ctx, user.Role); err != nil {
				return err
			}
		}
		if user, err = s.identity.UpdateUser(ctx, user); err != nil {
			return err
		}
		changes := journal.Diff{}.Set("name", before.Name, user.Name).Set("role", before.Role, user.Role)
		if user.Role == before.Role {
			return s.journal.Record(ctx, "user_updated", userItem, id, changes)
		}

		return s.journal.Record(ctx, "user_role_changed", userItem, id, changes, companiesapi.UserRoleChanged{
			User: id.String(), Before: string(before.Role), After: string(user.Role),
		})
	})

	return user, err
}

// deactivate ends what a user can do: tokens and links are revoked, and do not come back.
func (s *users) deactivate(ctx context.Context, id uuid.UUID) (user identity.User, err error) {
	err = s.changeUser(ctx, id, func(ctx context.Context, before identity.User) error {
		if user = before; before.DeactivatedAt != nil {
			return nil
		}
		if err := s.identity.DeactivateUser(ctx, before.Company, id); err != nil {
			return err
		}
		if _, err := s.identity.RevokeTokensOf(ctx, before.Company, id); err != nil {
			return err
		}
		if _, err := s.links.RevokeAll(ctx, resetting, link.Subject{Type: userItem, ID: id}); err != nil {
			return err
		}

		user, err = s.activityChanged(ctx, before, "user_deactivated", companiesapi.UserDeactivated{User: id.String()})

		return err
	})

	return user, err
}

// reactivate lets a user log in again.
func (s *users) reactivate(ctx context.Context, id uuid.UUID) (user identity.User, err error) {
	err = s.changeUser(ctx, id, func(ctx context.Context, before identity.User) error {
		if user = before; before.DeactivatedAt == nil {
			return nil
		}
		if err := s.seats.check(ctx); err != nil {
			return err
		}
		if err := s.identity.ReactivateUser(ctx, before.Company, id); err != nil {
			return err
		}

		user, err = s.activityChanged(ctx, before, "user_reactivated", companiesapi.UserReactivated{User: id.String()})

		return err
	})

	return user, err
}

// activityChanged records that a user was deactivated or is back, and returns the user.
func (s *users) activityChanged(ctx context.Context, before identity.User, action string, event events.Event) (identity.User, error) {
	user, err := s.identity.User(ctx, before.Company, before.ID)
	if err != nil {
		return user, err
	}
	changes := journal.Diff{}.Set("deactivated_at", before.DeactivatedAt, user.DeactivatedAt)

	return user, s.journal.Record(ctx, action, userItem, user.ID, changes, event)
}

// resetLinks makes links with which users set a password.
type resetLinks struct {
	users   *users
	links   *link.Service
	journal *journal.Journal
	clock   clock.Clock
	life    time.Duration
}

func newResetLinks(s settings, u *users, links *link.Service, j *journal.Journal, clk clock.Clock) *resetLinks {
	return &resetLinks{users: u, links: links, journal: j, clock: clk, life: s.ResetLife}
}

// resetLink makes a link with which the user sets a password, in place of earlier ones.
func (s *resetLinks) resetLink(ctx context.Context, id uuid.UUID) (made link.Link, text string, err error) {
	about := link.Subject{Type: userItem, ID: id}
	err = s.users.changeUser(ctx, id, func(ctx context.Context, user identity.User) error {
		if user.DeactivatedAt != nil {
			return errDeactivated
		}
		if _, err := s.links.RevokeAll(ctx, resetting, about); err != nil {
			return err
		}
		made, text, err = s.links.Create(ctx, link.NewLink{
			Purpose: resetting, Subject: about, ExpiresAt: clock.Stamp(s.clock.Now().Add(s.life)),
		})
		if err != nil {
			return err
		}

		return s.journal.Record(ctx, "reset_link_created", userItem, id, nil)
	})

	return made, text, err
}
