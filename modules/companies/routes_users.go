package companies

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func resetLinkRoutes(r *web.Router, s *resetLinks) {
	manage := web.Scope("users")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/users/{uuid}/reset_link", ID: "create_reset_link", Access: manage, Secret: true,
		Summary:     "Create a link to set the user's password",
		Description: "Give the link to the user: it is only in this answer. It replaces earlier links, works once, and unlocks the account.",
		Errors:      userErrors(errDeactivated),
	}, s.postResetLink)
}

func userRoutes(r *web.Router, s *users) {
	manage := web.Scope("users")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/users", ID: "list_users", Access: web.Read,
		Summary: "List the company's users", Description: userList().Describe(), Errors: list.Errors,
	}, list.Serve(userList(), s.identity.PageUsers, showUser))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/users/{uuid}", ID: "read_user", Access: web.Read,
		Summary: "Read a user", Errors: []*errs.Error{identity.ErrUserNotFound},
	}, s.getUser)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/users/{uuid}", ID: "update_user", Access: manage,
		Summary:     "Change the name or the role of a user",
		Description: "You cannot grant a role with permissions that you do not have, or change a user who has more than you. The last active owner cannot lose that role.",
		Errors:      userErrors(identity.ErrInvalid, identity.ErrRoleUnknown, identity.ErrLastOwner),
	}, s.patchUser)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/users/{uuid}/deactivate", ID: "deactivate_user", Access: manage,
		Summary:     "Deactivate a user",
		Description: "The user's tokens and links are revoked for good, even if the user is reactivated.",
		Errors:      userErrors(identity.ErrLastOwner),
	}, s.postDeactivate)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/users/{uuid}/reactivate", ID: "reactivate_user", Access: manage,
		Summary: "Let a deactivated user log in again", Errors: userErrors(limit.ErrReached),
	}, s.postReactivate)
}

// userBody is a user as answers show it.
type userBody struct {
	UUID          uuid.UUID     `json:"uuid"`
	Name          string        `json:"name"`
	Email         string        `json:"email" doc:"In lower case, and unique in the company."`
	Role          identity.Role `json:"role" doc:"Name of the role."`
	HasPassword   bool          `json:"has_password" doc:"Whether the user can log in with a password, or only use tokens."`
	LastLoginAt   *time.Time    `json:"last_login_at"`
	DeactivatedAt *time.Time    `json:"deactivated_at" doc:"When the user was deactivated; null if active."`
	Version       int64         `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt     time.Time     `json:"created_at"`
	UpdatedAt     time.Time     `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (userBody) SchemaName() string { return "User" }

func showUser(u identity.User) userBody {
	return userBody{
		UUID: u.ID, Name: u.Name, Email: u.Email, Role: u.Role, HasPassword: u.HasPassword, LastLoginAt: u.LastLoginAt,
		DeactivatedAt: u.DeactivatedAt, Version: u.Version, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
}

func answerUser(u identity.User) *web.Resource[userBody] {
	return web.NewResource(showUser(u), u.Version, base+"/users/"+u.ID.String())
}

func userList() list.Schema { return list.ShownAs[userBody](identity.UserSchema) }

type userInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func (s *users) getUser(ctx context.Context, in *userInput) (*web.Resource[userBody], error) {
	user, err := s.identity.User(ctx, journal.Caller(ctx).Company, in.UUID)
	if err != nil {
		return nil, err
	}

	return answerUser(user), nil
}

type patchUserInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body struct {
		Name web.Sent[string]        `json:"name,omitzero"`
		Role web.Sent[identity.Role] `json:"role,omitzero" doc:"Name of the role."`
	}
}

func (s *users) patchUser(ctx context.Context, in *patchUserInput) (*web.Resource[userBody], error) {
	user, err := s.updateUser(ctx, in.UUID, in.Check, func(u *identity.User) {
		u.Name, u.Role = in.Body.Name.ValueOr(u.Name), in.Body.Role.ValueOr(u.Role)
	})
	if err != nil {
		return nil, err
	}

	return answerUser(user), nil
}

func (s *users) postDeactivate(ctx context.Context, in *userInput) (*web.Resource[userBody], error) {
	user, err := s.deactivate(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return answerUser(user), nil
}

func (s *users) postReactivate(ctx context.Context, in *userInput) (*web.Resource[userBody], error) {
	user, err := s.reactivate(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return answerUser(user), nil
}

type resetLinkOutput struct{ Body resetLinkBody }

// resetLinkBody is a reset link.
type resetLinkBody struct {
	Link      string    `json:"link" doc:"The link; it is never shown again."`
	ExpiresAt time.Time `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (resetLinkBody) SchemaName() string { return "ResetLink" }

func (s *resetLinks) postResetLink(ctx context.Context, in *userInput) (*resetLinkOutput, error) {
	made, text, err := s.resetLink(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &resetLinkOutput{Body: resetLinkBody{Link: text, ExpiresAt: made.ExpiresAt}}, nil
}
