package companies

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/modules/companies/internal/passwords"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// passwordHandlers answer the operations on passwords.
type passwordHandlers struct {
	own    *ownPassword
	resets *passwordResets
}

func newPasswordHandlers(own *ownPassword, r *passwordResets) *passwordHandlers {
	return &passwordHandlers{own: own, resets: r}
}

func passwordRoutes(r *web.Router, s *passwordHandlers) {
	// A PUT, not a POST: the answer to an Idempotency-Key is kept in the transaction of the write, and
	// with that a failed attempt would be forgotten.
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/password", ID: "change_password", Access: web.SignedIn,
		Summary:     "Change the password of the calling user",
		Description: "All other tokens of the user are revoked.",
		Errors:      []*errs.Error{authority.ErrUserNeeded, errOldPassword, passwords.ErrWeak, errLocked},
	}, s.putPassword)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/password/reset", ID: "reset_password", Access: web.Public,
		Summary:     "Set a password with a reset link",
		Description: "All tokens of the user are revoked, and the account is unlocked for the caller's network.",
		Errors:      append(link.Refusals, errInvitationVoid, passwords.ErrWeak),
	}, s.postReset)
}

type putPasswordInput struct {
	Body struct {
		OldPassword string `json:"old_password" maxLength:"1024"`
		NewPassword string `json:"new_password" maxLength:"1024" doc:"12 to 128 characters."`
	}
}

func (s *passwordHandlers) putPassword(ctx context.Context, in *putPasswordInput) (*struct{}, error) {
	return nil, s.own.changePassword(ctx, in.Body.OldPassword, in.Body.NewPassword)
}

type postResetInput struct {
	Body struct {
		Link     string `json:"link" maxLength:"200" doc:"The reset link."`
		Password string `json:"password" maxLength:"1024" doc:"12 to 128 characters."`
	}
}

func (s *passwordHandlers) postReset(ctx context.Context, in *postResetInput) (*joinedOutput, error) {
	user, err := s.resets.resetPassword(ctx, in.Body.Link, in.Body.Password, web.ClientIP(ctx))
	if err != nil {
		return nil, err
	}

	return answerJoined(user), nil
}
