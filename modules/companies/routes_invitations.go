package companies

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/passwords"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// invitationHandlers answer the operations on invitations.
type invitationHandlers struct {
	rows     *repository
	inviter  *inviter
	acceptor *acceptor
	clock    clock.Clock
}

func newInvitationHandlers(rows *repository, i *inviter, a *acceptor, clk clock.Clock) *invitationHandlers {
	return &invitationHandlers{rows: rows, inviter: i, acceptor: a, clock: clk}
}

func (s *invitationHandlers) show(i invitation) invitationBody {
	return showInvitation(i, s.clock.Now())
}

func invitationRoutes(r *web.Router, s *invitationHandlers) {
	users := web.Scope("users")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invitations", ID: "create_invitation", Access: users, Secret: true,
		Summary:     "Invite a user to the company",
		Description: "Give the link to the invited person: it is only in this answer. It replaces an earlier invitation of the same address. You cannot invite to a role with permissions that you do not have.",
		Errors:      []*errs.Error{identity.ErrInvalid, identity.ErrEmailTaken, identity.ErrRoleUnknown, authority.ErrExceeds, limit.ErrReached},
	}, s.postInvitation)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/invitations", ID: "list_invitations", Access: users,
		Summary: "List the company's invitations", Description: invitationList().Describe(), Errors: list.Errors,
	}, list.Serve(invitationList(), s.rows.invitations, s.show))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invitations/{uuid}/revoke", ID: "revoke_invitation", Access: users,
		Summary: "Revoke an invitation", Errors: []*errs.Error{errInvitationNotFound, errInvitationEnded},
	}, s.postRevokeInvitation)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invitations/accept", ID: "accept_invitation", Access: web.Public,
		Summary:     "Accept an invitation with a password",
		Description: "An invitation can be accepted as long as its creator may grant the role.",
		Errors:      append(link.Refusals, errInvitationVoid, passwords.ErrWeak, identity.ErrInvalid, identity.ErrEmailTaken),
	}, s.postAccept)
}

// invitationBody is an invitation as answers show it.
type invitationBody struct {
	UUID          uuid.UUID     `json:"uuid"`
	Email         string        `json:"email"`
	Name          string        `json:"name"`
	Role          identity.Role `json:"role"`
	Status        string        `json:"status" enum:"open,accepted,revoked,expired"`
	InvitedByUUID *uuid.UUID    `json:"invited_by_uuid" doc:"The user who created it; null if a service did."`
	UserUUID      *uuid.UUID    `json:"user_uuid" doc:"The user who accepted it."`
	CreatedAt     time.Time     `json:"created_at"`
	ExpiresAt     time.Time     `json:"expires_at"`
	AcceptedAt    *time.Time    `json:"accepted_at"`
	RevokedAt     *time.Time    `json:"revoked_at"`
	Version       int64         `json:"version" doc:"Increases with every change; also the ETag."`
	Link          string        `json:"link,omitempty" doc:"The link; only in the answer that creates it, and never shown again."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (invitationBody) SchemaName() string { return "Invitation" }

func showInvitation(i invitation, now time.Time) invitationBody {
	return invitationBody{
		UUID: i.ID, Email: i.Email, Name: i.Name, Role: i.Role, Status: i.status(now), InvitedByUUID: i.InvitedBy,
		UserUUID: i.UserID, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt, AcceptedAt: i.AcceptedAt,
		RevokedAt: i.RevokedAt, Version: i.Version,
	}
}

// showMade shows an invitation that was just made, with its link.
func showMade(made invitationMade) invitationBody {
	body := showInvitation(made.invitation, made.CreatedAt)
	body.Link = made.text

	return body
}

func invitationPath(id uuid.UUID) string { return base + "/invitations?filter[uuid]=" + id.String() }

type postInvitationInput struct {
	Body struct {
		Email string        `json:"email" example:"anna@example.com"`
		Name  string        `json:"name"`
		Role  identity.Role `json:"role" doc:"Name of the role." example:"dispatcher"`
	}
}

func (s *invitationHandlers) postInvitation(ctx context.Context, in *postInvitationInput) (*web.Resource[invitationBody], error) {
	made, err := s.inviter.invite(ctx, newInvitation(in.Body))
	if err != nil {
		return nil, err
	}

	return web.NewResource(showMade(made), made.Version, invitationPath(made.ID)), nil
}

type invitationInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func (s *invitationHandlers) postRevokeInvitation(ctx context.Context, in *invitationInput) (*web.Resource[invitationBody], error) {
	row, err := s.inviter.revokeInvitation(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return web.NewResource(s.show(row), row.Version, invitationPath(row.ID)), nil
}

type postAcceptInput struct {
	Body struct {
		Link     string `json:"link" maxLength:"200" doc:"The invitation's link."`
		Name     string `json:"name,omitempty" doc:"Name of the user; by default the one in the invitation."`
		Password string `json:"password" maxLength:"1024" doc:"12 to 128 characters."`
	}
}

// joinedBody is what somebody is told who has accepted an invitation, or reset a password: what to
// log in with.
type joinedBody struct {
	CompanyUUID uuid.UUID `json:"company_uuid"`
	UserUUID    uuid.UUID `json:"user_uuid"`
	Email       string    `json:"email"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (joinedBody) SchemaName() string { return "Account" }

type joinedOutput struct{ Body joinedBody }

func answerJoined(u identity.User) *joinedOutput {
	return &joinedOutput{Body: joinedBody{CompanyUUID: u.Company, UserUUID: u.ID, Email: u.Email}}
}

func (s *invitationHandlers) postAccept(ctx context.Context, in *postAcceptInput) (*joinedOutput, error) {
	user, err := s.acceptor.accept(ctx, acceptance(in.Body))
	if err != nil {
		return nil, err
	}

	return answerJoined(user), nil
}
