package companies

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ownPassword changes the password of the calling user.
type ownPassword struct {
	identity    *identity.Service
	credentials *credentials
	journal     *journal.Journal
	db          *database.DB
}

func newOwnPassword(who *identity.Service, c *credentials, j *journal.Journal, db *database.DB) *ownPassword {
	return &ownPassword{identity: who, credentials: c, journal: j, db: db}
}

// changePassword gives the calling user a new password. The user's other tokens are revoked.
func (s *ownPassword) changePassword(ctx context.Context, old, password string) error {
	who := journal.Caller(ctx)
	if who.User == uuid.Nil {
		return authority.ErrUserNeeded
	}
	user, err := s.identity.User(ctx, who.Company, who.User)
	if err != nil {
		return err
	}
	account := identity.Account{Email: user.Email, Company: who.Company}
	if err := s.checkOld(ctx, old); err != nil {
		return err
	}
	hash, err := s.credentials.newHash(ctx, "new_password", password, account, user.Name)
	if err != nil {
		return err
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.SetPassword(ctx, who.Company, who.User, hash, who.Token); err != nil {
			return err
		}

		return s.journal.Record(ctx, "password_changed", userItem, who.User, nil)
	})
}

// checkOld refuses a password that is not the calling user's.
func (s *ownPassword) checkOld(ctx context.Context, old string) error {
	who := journal.Caller(ctx)
	attempt, err := s.identity.CountPassword(ctx, who.User)
	if err != nil {
		return err
	}
	if err := refuseLocked(attempt); err != nil {
		return err
	}
	hash, err := s.identity.PasswordHash(ctx, who.Company, who.User)
	if err != nil {
		return err
	}
	var logins []identity.Login
	if hash != "" {
		logins = []identity.Login{{Company: who.Company, User: who.User, Hash: hash}}
	}
	right, err := s.credentials.rightOf(ctx, logins, old)
	if err != nil {
		return err
	}

	if len(right) == 1 {
		return s.identity.ForgetAttempt(ctx, attempt)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		return s.credentials.noteFailure(ctx, "password_change_failed", who.User, attempt)
	})
	if err != nil {
		return err
	}

	return errOldPassword
}

// passwordResets gives users new passwords by links.
type passwordResets struct {
	identity    *identity.Service
	credentials *credentials
	staff       *staff
	links       *link.Service
	journal     *journal.Journal
}

func newPasswordResets(who *identity.Service, c *credentials, st *staff, links *link.Service, j *journal.Journal) *passwordResets {
	return &passwordResets{identity: who, credentials: c, staff: st, links: links, journal: j}
}

// resetPassword gives the user of a reset link a new password. All tokens of the user are revoked,
// and the account is not locked any more to who is at the address.
func (s *passwordResets) resetPassword(ctx context.Context, text, password, address string) (user identity.User, err error) {
	used, err := s.links.Peek(ctx, resetting, text)
	if err != nil {
		return user, err
	}
	ctx = principal.With(ctx, principal.ForCompany(used.Company))
	if user, err = s.resettable(ctx, used); err != nil {
		return user, err
	}
	hash, err := s.credentials.newHash(ctx, "password", password, identity.Account{Email: user.Email}, user.Name)
	if err != nil {
		return user, err
	}
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		if _, err := s.links.Use(ctx, resetting, text); err != nil {
			return err
		}
		if user, err = s.resettable(ctx, used); err != nil {
			return err
		}
		if err := s.identity.SetPassword(ctx, used.Company, user.ID, hash, uuid.Nil); err != nil {
			return err
		}
		if err := s.letIn(ctx, user, address); err != nil {
			return err
		}

		return s.journal.Record(asUser(ctx, user.ID), "password_reset", userItem, user.ID, nil)
	})

	return user, err
}

// resettable returns the user of a reset link that is good: its maker may still do more than the
// user may.
func (s *passwordResets) resettable(ctx context.Context, l link.Link) (identity.User, error) {
	user, err := s.identity.User(ctx, l.Company, l.Subject.ID)
	if errors.Is(err, identity.ErrUserNotFound) || err == nil && user.DeactivatedAt != nil {
		return user, errInvitationVoid
	}
	if err != nil {
		return user, err
	}
	scopes, err := s.identity.RoleScopes(ctx, l.Company, user.Role)
	if err != nil && !errors.Is(err, identity.ErrRoleUnknown) {
		return user, err
	}

	return user, s.staff.stillMay(ctx, &l.CreatedBy, scopes)
}

// letIn trusts the network from which a user has shown a reset link. Its lock is ended only if the user is
// the one account of the e-mail address: else somebody could go on guessing the password of another company.
func (s *passwordResets) letIn(ctx context.Context, user identity.User, address string) error {
	logins, err := s.identity.Logins(ctx, identity.Account{Email: user.Email})
	if err != nil {
		return err
	}

	return s.identity.LetIn(ctx, identity.Account{Email: user.Email, Company: user.Company}, address, len(logins) <= 1)
}
