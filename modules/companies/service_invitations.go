package companies

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
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

// invite makes an invitation in place of earlier ones for the same address.
func (s *service) invite(ctx context.Context, n newInvitation) (made invitationMade, err error) {
	err = s.withUsersLocked(ctx, func(ctx context.Context) error {
		who := caller(ctx)
		email, err := s.identity.CheckNewUser(ctx, identity.NewUser{Company: who.Company, Name: n.Name, Email: n.Email, Role: n.Role})
		if err == nil {
			err = s.mayGrantRole(ctx, n.Role)
		}
		if err != nil {
			return err
		}
		if err := s.replaceInvitations(ctx, email); err != nil {
			return err
		}
		if err := s.checkUserLimit(ctx); err != nil {
			return err
		}
		now := s.clock.Now()
		made.invitation = invitation{
			ID: database.NewID(), Email: email, Name: n.Name, Role: n.Role,
			CreatedAt: now, ExpiresAt: now.Add(s.settings.InvitationLife), Version: 1,
		}
		if who.User != uuid.Nil {
			made.InvitedBy = &who.User
		}
		if err := s.rows.insertInvitation(ctx, &made.invitation); err != nil {
			return err
		}
		_, made.text, err = s.links.Create(ctx, link.NewLink{
			Purpose: inviting, Subject: link.Subject{Type: invitationItem, ID: made.ID}, ExpiresAt: made.ExpiresAt,
		})
		if err != nil {
			return err
		}

		return s.journal.record(ctx, "user_invited", invitationItem, made.ID,
			diff{}.set("email", nil, email).set("role", nil, n.Role),
			companiesapi.UserInvited{Invitation: made.ID.String(), Email: email, Role: string(n.Role)})
	})

	return made, err
}

// checkUserLimit asks whether the company may have another user: open invitations count as users. Error: billing.limit_reached.
func (s *service) checkUserLimit(ctx context.Context) error {
	users, err := s.countUsers(ctx)
	if err != nil {
		return err
	}
	open, err := s.countOpen(ctx)
	if err != nil {
		return err
	}

	return limit.Check(ctx, s.hooks, limit.Checking{Limit: "users", Used: users + open, Adding: 1})
}

// replaceInvitations ends the invitations that an address has.
func (s *service) replaceInvitations(ctx context.Context, email string) error {
	open, err := s.rows.openInvitations(ctx, email)
	if err != nil {
		return err
	}
	for _, row := range open {
		if err := s.endInvitation(ctx, row.ID, "invitation_replaced"); err != nil {
			return err
		}
	}

	return nil
}

func (s *service) endInvitation(ctx context.Context, id uuid.UUID, action string) error {
	if _, err := s.links.RevokeAll(ctx, inviting, link.Subject{Type: invitationItem, ID: id}); err != nil {
		return err
	}
	if err := s.rows.endInvitation(ctx, id, nil, s.clock.Now()); err != nil {
		return err
	}

	return s.journal.record(ctx, action, invitationItem, id, nil)
}

// revokeInvitation ends an invitation that was not accepted yet; doing it again changes nothing.
func (s *service) revokeInvitation(ctx context.Context, id uuid.UUID) (row invitation, err error) {
	err = s.withUsersLocked(ctx, func(ctx context.Context) error {
		if row, err = s.rows.invitation(ctx, id); err != nil {
			return err
		}
		switch {
		case row.AcceptedAt != nil:
			return errInvitationEnded
		case row.RevokedAt != nil:
			return nil
		}
		if err := s.endInvitation(ctx, id, "invitation_revoked"); err != nil {
			return err
		}
		row, err = s.rows.invitation(ctx, id)

		return err
	})

	return row, err
}

// acceptance is what somebody sends who accepts an invitation.
type acceptance struct{ Link, Name, Password string }

// accept makes the user of an invitation, with a password.
func (s *service) accept(ctx context.Context, a acceptance) (user identity.User, err error) {
	used, err := s.links.Peek(ctx, inviting, a.Link)
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
	hash, err := s.newHash(ctx, "password", a.Password, identity.Account{Email: row.Email}, a.Name)
	if err != nil {
		return user, err
	}
	err = s.withUsersLocked(ctx, func(ctx context.Context) error {
		if _, err := s.links.Use(ctx, inviting, a.Link); err != nil {
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
func (s *service) join(ctx context.Context, row invitation, name, hash string) (identity.User, error) {
	company := caller(ctx).Company
	user, err := s.identity.CreateUser(ctx, identity.NewUser{Company: company, Name: name, Email: row.Email, Role: row.Role})
	if err != nil {
		return user, err
	}
	if err := s.identity.SetPassword(ctx, company, user.ID, hash, uuid.Nil); err != nil {
		return user, err
	}
	if err := s.rows.endInvitation(ctx, row.ID, &user.ID, s.clock.Now()); err != nil {
		return user, err
	}
	err = s.journal.record(asUser(ctx, user.ID), "invitation_accepted", userItem, user.ID,
		diff{}.set("email", nil, user.Email).set("role", nil, user.Role),
		companiesapi.UserJoined{User: user.ID.String(), Invitation: row.ID.String(), Role: string(user.Role)})
	if err != nil {
		return user, err
	}

	return s.identity.User(ctx, company, user.ID)
}

// open returns the invitation of a link, if it can still be accepted: whoever made it must still be
// able to give that role.
func (s *service) open(ctx context.Context, l link.Link) (invitation, error) {
	row, err := s.rows.invitation(ctx, l.Subject.ID)
	if errors.Is(err, errInvitationNotFound) || err == nil && row.status(s.clock.Now()) != invited {
		return row, errInvitationVoid
	}
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

	return row, s.stillMay(ctx, row.InvitedBy, scopes)
}

// stillMay refuses a link whose maker is gone, or may not do any more what it is for. A link that no
// user made is good.
func (s *service) stillMay(ctx context.Context, maker *uuid.UUID, scopes []string) error {
	if maker == nil || *maker == uuid.Nil {
		return nil
	}
	user, err := s.identity.User(ctx, caller(ctx).Company, *maker)
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

// asUser returns a context in which a user of the caller's company is at work, who shows no token.
func asUser(ctx context.Context, user uuid.UUID) context.Context {
	return principal.With(ctx, principal.Principal{Kind: principal.User, Company: caller(ctx).Company, User: user})
}

// countOpen is the number of invitations that can be accepted.
func (s *service) countOpen(ctx context.Context) (int64, error) {
	return s.rows.countOpenInvitations(ctx, s.clock.Now())
}
