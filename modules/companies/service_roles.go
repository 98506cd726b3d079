package companies

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// roles keeps the roles that a company has made itself.
type roles struct {
	identity *identity.Service
	staff    *staff
	journal  *journal.Journal
}

func newRoles(who *identity.Service, st *staff, j *journal.Journal) *roles {
	return &roles{identity: who, staff: st, journal: j}
}

// createRole defines a role of the caller's company.
func (s *roles) createRole(ctx context.Context, n identity.OwnRole) (made identity.OwnRole, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		who := journal.Caller(ctx)
		if made, err = s.identity.CreateRole(ctx, who.Company, n); err != nil {
			return err
		}
		if err := authority.MayGrant(who, made.Scopes); err != nil {
			return err
		}

		return s.journal.Record(ctx, "role_created", roleItem, made.ID, roleDiff(identity.OwnRole{}, made))
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
		if role, err = s.identity.UpdateRole(ctx, journal.Caller(ctx).Company, role); err != nil {
			return err
		}
		if err := authority.MayGrant(journal.Caller(ctx), role.Scopes); err != nil {
			return err
		}

		return s.journal.Record(ctx, "role_updated", roleItem, id, roleDiff(before, role))
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
		if err := s.identity.DeleteRole(ctx, journal.Caller(ctx).Company, id); err != nil {
			return err
		}

		return s.journal.Record(ctx, "role_deleted", roleItem, id, roleDiff(before, identity.OwnRole{}))
	})
}

// touchRole returns a role that the caller may change.
func (s *roles) touchRole(ctx context.Context, id uuid.UUID, match func(int64) error) (identity.OwnRole, error) {
	role, err := s.identity.OwnRole(ctx, journal.Caller(ctx).Company, id)
	if err == nil {
		err = authority.MayGrant(journal.Caller(ctx), role.Scopes)
	}
	if err == nil {
		err = match(role.Version)
	}

	return role, err
}

func roleDiff(a, b identity.OwnRole) journal.Diff {
	return journal.Diff{}.Set("name", a.Name, b.Name).Set("title", a.Title, b.Title).Set("scopes", a.Scopes, b.Scopes)
}
