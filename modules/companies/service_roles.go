package companies

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
)

// roles keeps the roles that a company has made itself.
type roles struct {
	identity *identity.Service
	staff    *staff
	journal  *journal
}

func newRoles(who *identity.Service, st *staff, j *journal) *roles {
	return &roles{identity: who, staff: st, journal: j}
}

// createRole defines a role of the caller's company.
func (s *roles) createRole(ctx context.Context, n identity.OwnRole) (made identity.OwnRole, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		who := caller(ctx)
		if made, err = s.identity.CreateRole(ctx, who.Company, n); err != nil {
			return err
		}
		if err := mayGrant(who, made.Scopes); err != nil {
			return err
		}

		return s.journal.record(ctx, "role_created", roleItem, made.ID, roleDiff(identity.OwnRole{}, made))
	})

	return made, err
}

// updateRole changes the title and the scopes of a role.
func (s *roles) updateRole(
	ctx context.Context, id uuid.UUID, match func(int64) error, change func(*identity.OwnRole),
) (role identity.OwnRole, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		before, err := s.touchRole(ctx, id, match)
		if err != nil {
			return err
		}
		role = before
		change(&role)
		if role, err = s.identity.UpdateRole(ctx, caller(ctx).Company, role); err != nil {
			return err
		}
		if err := mayGrant(caller(ctx), role.Scopes); err != nil {
			return err
		}

		return s.journal.record(ctx, "role_updated", roleItem, id, roleDiff(before, role))
	})

	return role, err
}

// deleteRole removes a role that nobody has.
func (s *roles) deleteRole(ctx context.Context, id uuid.UUID, match func(int64) error) error {
	return s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		before, err := s.touchRole(ctx, id, match)
		if err != nil {
			return err
		}
		if err := s.identity.DeleteRole(ctx, caller(ctx).Company, id); err != nil {
			return err
		}

		return s.journal.record(ctx, "role_deleted", roleItem, id, roleDiff(before, identity.OwnRole{}))
	})
}

// touchRole returns a role that the caller may change.
func (s *roles) touchRole(ctx context.Context, id uuid.UUID, match func(int64) error) (identity.OwnRole, error) {
	role, err := s.identity.OwnRole(ctx, caller(ctx).Company, id)
	if err == nil {
		err = mayGrant(caller(ctx), role.Scopes)
	}
	if err == nil {
		err = match(role.Version)
	}

	return role, err
}

func roleDiff(a, b identity.OwnRole) diff {
	return diff{}.set("name", a.Name, b.Name).set("title", a.Title, b.Title).set("scopes", a.Scopes, b.Scopes)
}
