package companies

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/link"
)

// invitationBook keeps invitations, and the links by which they are accepted.
type invitationBook struct {
	rows    *repository
	links   *link.Service
	journal *journal.Journal
	clock   clock.Clock
	life    time.Duration
}

func newInvitationBook(s settings, rows *repository, links *link.Service, j *journal.Journal, clk clock.Clock) *invitationBook {
	return &invitationBook{rows: rows, links: links, journal: j, clock: clk, life: s.InvitationLife}
}

// find returns an invitation. Error: errInvitationNotFound.
func (b *invitationBook) find(ctx context.Context, id uuid.UUID) (invitation, error) {
	return b.rows.invitation(ctx, id)
}

// add stores an invitation by the caller, and makes its link.
func (b *invitationBook) add(ctx context.Context, row invitation) (made invitationMade, err error) {
	now := b.clock.Now()
	row.ID, row.CreatedAt, row.ExpiresAt, row.Version = database.NewID(), now, now.Add(b.life), 1
	if user := journal.Caller(ctx).User; user != uuid.Nil {
		row.InvitedBy = &user
	}
	if err := b.rows.insertInvitation(ctx, &row); err != nil {
		return made, err
	}
	made.invitation = row
	_, made.text, err = b.links.Create(ctx, link.NewLink{
		Purpose: inviting, Subject: link.Subject{Type: invitationItem, ID: row.ID}, ExpiresAt: row.ExpiresAt,
	})
	if err != nil {
		return made, err
	}

	return made, b.journal.Record(ctx, "user_invited", invitationItem, row.ID,
		journal.Diff{}.Set("email", nil, row.Email).Set("role", nil, row.Role),
		companiesapi.UserInvited{Invitation: row.ID.String(), Email: row.Email, Role: string(row.Role)})
}

// replace ends the invitations that an address has.
func (b *invitationBook) replace(ctx context.Context, email string) error {
	open, err := b.rows.openInvitations(ctx, email)
	if err != nil {
		return err
	}
	for _, row := range open {
		if err := b.end(ctx, row.ID, "invitation_replaced"); err != nil {
			return err
		}
	}

	return nil
}

// end ends an invitation, for a reason that the audit trail names.
func (b *invitationBook) end(ctx context.Context, id uuid.UUID, action string) error {
	if _, err := b.links.RevokeAll(ctx, inviting, link.Subject{Type: invitationItem, ID: id}); err != nil {
		return err
	}
	if err := b.rows.endInvitation(ctx, id, nil, b.clock.Now()); err != nil {
		return err
	}

	return b.journal.Record(ctx, action, invitationItem, id, nil)
}

// shown returns the invitation of a link, and the link. Errors: link.Refusals.
func (b *invitationBook) shown(ctx context.Context, text string) (link.Link, error) {
	return b.links.Peek(ctx, inviting, text)
}

// use uses the link of an invitation up.
func (b *invitationBook) use(ctx context.Context, text string) error {
	_, err := b.links.Use(ctx, inviting, text)

	return err
}

// pending returns an invitation that can be accepted now. Error: errInvitationVoid.
func (b *invitationBook) pending(ctx context.Context, id uuid.UUID) (invitation, error) {
	row, err := b.rows.invitation(ctx, id)
	if errors.Is(err, errInvitationNotFound) || err == nil && row.status(b.clock.Now()) != invited {
		return row, errInvitationVoid
	}

	return row, err
}

// accepted stores whose user an invitation has become, and records it as that user.
func (b *invitationBook) accepted(ctx context.Context, row invitation, user identity.User) error {
	if err := b.rows.endInvitation(ctx, row.ID, &user.ID, b.clock.Now()); err != nil {
		return err
	}

	return b.journal.Record(asUser(ctx, user.ID), "invitation_accepted", userItem, user.ID,
		journal.Diff{}.Set("email", nil, user.Email).Set("role", nil, user.Role),
		companiesapi.UserJoined{User: user.ID.String(), Invitation: row.ID.String(), Role: string(user.Role)})
}

// countOpen is the number of invitations that can be accepted.
func (b *invitationBook) countOpen(ctx context.Context) (int64, error) {
	return b.rows.countOpenInvitations(ctx, b.clock.Now())
}
