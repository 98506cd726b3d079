package identity

import "github.com/dispatchd/dispatchd/platform/errs"

// Refusals of a token. Each has its code, so that a program can tell an expired token from a wrong
// one; none tells whether a company or a user exists.
var (
	errTokenMissing     = errs.New(errs.Unauthenticated, "identity.token_missing", "An access token is needed: send the header Authorization: Bearer <token>.")
	errTokenMalformed   = errs.New(errs.Unauthenticated, "identity.token_malformed", "The access token is malformed. Check that it is complete.")
	errTokenUnknown     = errs.New(errs.Unauthenticated, "identity.token_unknown", "The access token is unknown.")
	errTokenExpired     = errs.New(errs.Unauthenticated, "identity.token_expired", "The access token has expired.")
	errTokenRevoked     = errs.New(errs.Unauthenticated, "identity.token_revoked", "The access token has been revoked.")
	errUserDeactivated  = errs.New(errs.Unauthenticated, "identity.user_deactivated", "The user of the access token has been deactivated.")
	errCompanySuspended = errs.New(errs.Unauthenticated, "identity.company_suspended", "The company of the access token has been suspended.")
)

// Refusals of what is asked of this package.
var (
	ErrInvalid         = errs.New(errs.Invalid, "identity.invalid", "The given data was invalid.")
	ErrEmailTaken      = errs.New(errs.Invalid, "identity.email_taken", "The given data was invalid.").WithField("email", "The email has already been taken.")
	errCompanyTaken    = errs.New(errs.Conflict, "identity.company_exists", "A company with this id already exists.")
	ErrCompanyNotFound = errs.New(errs.NotFound, "identity.company_not_found", "There is no such company.")
	ErrUserNotFound    = errs.New(errs.NotFound, "identity.user_not_found", "There is no such user.")
	ErrLastOwner       = errs.New(errs.Conflict, "identity.last_owner", "This is the last active owner of the company. Make another user an owner first.")
	ErrRoleUnknown     = errs.New(errs.Invalid, "identity.role_unknown", "The given data was invalid.").
				WithField("role", "The role must be one of: "+roleNames()+", or a role of the company.")
	ErrRoleNotFound  = errs.New(errs.NotFound, "identity.role_not_found", "There is no such role.")
	ErrRoleTaken     = errs.New(errs.Invalid, "identity.role_taken", "The given data was invalid.").WithField("name", "A role with this name already exists.")
	ErrRoleInUse     = errs.New(errs.Conflict, "identity.role_in_use", "Users still have this role. Give them another role first.")
	ErrTooManyRoles  = errs.New(errs.Conflict, "identity.too_many_roles", "The company has the maximum number of roles. Delete one first.")
	ErrTokenNotFound = errs.New(errs.NotFound, "identity.token_not_found", "There is no such token.")
)
