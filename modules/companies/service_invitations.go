package companies

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// newInvitation is whom to invite.
type newInvitation struct {
	Email, Name string
	Role        identity.Role
}

// invitationMade is an invitation with the text of its link, which nobody can find out later.
type invitationMade struct {
	invitation

	text string
}

// acceptance is what somebody sends who accepts an invitation.
type acceptance struct{ Link, Name, Password string }

// asUser returns a context in which a user of the caller's company is at work, who shows no token.
func asUser(ctx context.Context, user uuid.UUID) context.Context {
	return principal.With(ctx, principal.Principal{Kind: principal.User, Company: journal.Caller(ctx).Company, User: user})
}

// inviter invites people to be users of the caller's company.
type inviter struct {
	identity *identity.Service
	staff    *staff
	seats    *seats
	book     *invitationBook
}

func newInviter(who *identity.Service, st *staff, se *seats, b *invitationBook) *inviter {
	return &inviter{identity: who, staff: st, seats: se, book: b}
}

// invite makes an invitation in place of earlier ones for the same address.
func (s *inviter) invite(ctx context.Context, n newInvitation) (made invitationMade, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		who := journal.Caller(ctx)
		email, err := s.identity.CheckNewUser(ctx, identity.NewUser{Company: who.Company, Name: n.Name, Email: n.Email, Role: n.Role})
		if err == nil {
			err = s.staff.mayGrantRole(ctx, n.Role)
		}
		if err != nil {
			return err
		}
		if err := s.book.replace(ctx, email); err != nil {
			return err
		}
		if err := s.seats.check(ctx); err != nil {
			return err
		}
		made, err = s.book.add(ctx, invitation{Email: email, Name: n.Name, Role: n.Role})

		return err
	})

	return made, err
}

// revokeInvitation ends an invitation that was not accepted yet; doing it again changes nothing.
func (s *inviter) revokeInvitation(ctx context.Context, id uuid.UUID) (row invitation, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		if row, err = s.book.find(ctx, id); err != nil {
			return err
		}
		switch {
		case row.AcceptedAt != nil:
			return errInvitationEnded
		case row.RevokedAt != nil:
			return nil
		}
		if err := s.book.end(ctx, id, "invitation_revoked"); err != nil {
			return err
		}
		row, err = s.book.find(ctx, id)

		return err
	})

	return row, err
}

// seats says whether the company may have another user.
type seats struct {
	staff *staff
	book  *invitationBook
	hooks *hook.Bus
}

func newSeats(st *staff, b *invitationBook, hooks *hook.Bus) *seats {
	return &seats{staff: st, book: b, hooks: hooks}
}

// check asks whether the company may have another user: open invitations count as users. Error: billing.limit_reached.
func (s *seats) check(ctx context.Context) error {
	users, err := s.staff.countUsers(ctx)
	if err != nil {
		return err
	}
	open, err := s.book.countOpen(ctx)
	if err != nil {
		return err
	}

	return limit.Check(ctx, s.hooks, limit.Checking{Limit: "users", Used: users + open, Adding: 1})
}

// acceptor makes users of invitations.
type acceptor struct {
	identity    *identity.Service
	staff       *staff
	credentials *credentials
	book        *invitationBook
}

func newAcceptor(who *identity.Service, st *staff, c *credentials, b *invitationBook) *acceptor {
	return &acceptor{identity: who, staff: st, credentials: c, book: b}
}

// accept makes the user of an invitation, with a password.
func (s *acceptor) accept(ctx context.Context, a acceptance) (user identity.User, err error) {
	used, err := s.book.shown(ctx, a.Link)
	if err != nil {
		return user, err
	}
	ctx = principal.With(ctx, principal.ForCompany(used.Company))
	row, err := s.open(ctx, used)
	if err != nil {
		return user, err
	}
	if a.Name == "" {
		a.Name = row.Name
	}
	hash, err := s.credentials.newHash(ctx, "password", a.Password, identity.Account{Email: row.Email}, a.Name)
	if err != nil {
		return user, err
	}
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		if err := s.book.use(ctx, a.Link); err != nil {
			return err
		}
		if row, err = s.open(ctx, used); err != nil {
			return err
		}
		user, err = s.join(ctx, row, a.Name, hash)

		return err
	})

	return user, err
}

// join makes the user of an invitation.
func (s *acceptor) join(ctx context.Context, row invitation, name, hash string) (identity.User, error) {
	company := journal.Caller(ctx).Company
	user, err := s.identity.CreateUser(ctx, identity.NewUser{Company: company, Name: name, Email: row.Email, Role: row.Role})
	if err != nil {
		return user, err
	}
	if err := s.identity.SetPassword(ctx, company, user.ID, hash, uuid.Nil); err != nil {
		return user, err
	}
	if err := s.book.accepted(ctx, row, user); err != nil {
		return user, err
	}

	return s.identity.User(ctx, company, user.ID)
}

// open returns the invitation of a link, if it can still be accepted: whoever made it must still be
// able to give that role.
func (s *acceptor) open(ctx context.Context, l link.Link) (invitation, error) {
	row, err := s.book.pending(ctx, l.Subject.ID)
	if err != nil {
		return row, err
	}
	scopes, err := s.identity.RoleScopes(ctx, l.Company, row.Role)
	if errors.Is(err, identity.ErrRoleUnknown) {
		return row, errInvitationVoid
	}
	if err != nil {
		return row, err
	}

	return row, s.staff.stillMay(ctx, row.InvitedBy, scopes)
}
