package companies

import (
	"github.com/dispatchd/dispatchd/modules/companies/internal/authority"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

var (
	errInvitationNotFound = errs.New(errs.NotFound, "companies.invitation_not_found", "There is no such invitation.")
	errInvitationEnded    = errs.New(errs.Conflict, "companies.invitation_ended", "The invitation has already been accepted.")
	errInvitationVoid     = errs.New(errs.NotFound, "companies.link_void", "This link is no longer valid. Ask for a new one.")
	errDeactivated        = errs.New(errs.Conflict, "companies.user_deactivated", "The user is deactivated. Activate the user first.")

	errOldPassword   = errs.New(errs.Invalid, "companies.wrong_password", "The given data was invalid.").WithField("old_password", "The old password is wrong.")
	errCredentials   = errs.New(errs.Unauthenticated, "companies.wrong_credentials", "The e-mail address or the password is wrong.")
	errLocked        = errs.New(errs.TooMany, "companies.locked", "Too many failed attempts.")
	errCompanyNeeded = errs.New(errs.Conflict, "companies.company_needed", "You belong to several companies. Send company_uuid to choose one.")
)

// userErrors are the refusals of what is done with a user.
func userErrors(more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{identity.ErrUserNotFound, authority.ErrExceeds}, more...)
}
