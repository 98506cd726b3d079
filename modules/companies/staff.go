package companies

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// staff are the users of the caller's company, and what each may do to the others.
type staff struct {
	identity *identity.Service
	db       *database.DB
}

func newStaff(who *identity.Service, db *database.DB) *staff { return &staff{identity: who, db: db} }

// withUsersLocked runs do in a transaction in which nobody else changes users and roles of the caller's
// company.
func (s *staff) withUsersLocked(ctx context.Context, do func(ctx context.Context) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.Hold(ctx, journal.Caller(ctx).Company); err != nil {
			return err
		}

		return do(ctx)
	})
}

// mayGrantRole is mayGrant for what a role allows. A role that is no more allows nothing. Errors:
// companies.grant_exceeds.
func (s *staff) mayGrantRole(ctx context.Context, role identity.Role) error {
	who := journal.Caller(ctx)
	scopes, err := s.identity.RoleScopes(ctx, who.Company, role)
	if err != nil {
		return err
	}

	return authority.MayGrant(who, scopes)
}

// mayTouch refuses to let the caller change a user who may do more than he.
func (s *staff) mayTouch(ctx context.Context, user identity.User) error {
	err := s.mayGrantRole(ctx, user.Role)
	if errors.Is(err, identity.ErrRoleUnknown) {
		return nil
	}

	return err
}

// stillMay refuses a link whose maker is gone, or may not do any more what it is for. A link that no
// user made is good.
func (s *staff) stillMay(ctx context.Context, maker *uuid.UUID, scopes []string) error {
	if maker == nil || *maker == uuid.Nil {
		return nil
	}
	user, err := s.identity.User(ctx, journal.Caller(ctx).Company, *maker)
	if err != nil {
		return err
	}
	has, err := s.identity.RoleScopes(ctx, user.Company, user.Role)
	if errs.KindOf(err) == errs.Internal && err != nil {
		return err
	}
	if user.DeactivatedAt != nil || !identity.Covers(has, append([]string{usersScope}, scopes...)) {
		return errInvitationVoid
	}

	return nil
}

// countUsers is the number of active users.
func (s *staff) countUsers(ctx context.Context) (int64, error) {
	return s.identity.CountActiveUsers(ctx)
}
