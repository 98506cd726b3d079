package link

import "github.com/dispatchd/dispatchd/platform/errs"

// Who holds a link learns what became of it: its text cannot be guessed. What became of the company is nobody's business.
var (
	errUnknown = errs.New(errs.NotFound, "link.unknown", "This link is not valid. Check that it is complete.")
	errExpired = errs.New(errs.NotFound, "link.expired", "This link has expired. Ask for a new one.")
	errUsedUp  = errs.New(errs.NotFound, "link.used_up", "This link has been used already. Ask for a new one.")
	errRevoked = errs.New(errs.NotFound, "link.revoked", "This link was revoked or replaced. Use the newest one, or ask for it.")
	// errUnavailable is for the link of a company that is suspended, does not use the area or has switched off the portal. It works again afterwards.
	errUnavailable = errs.New(errs.NotFound, "link.unavailable", "This link does not work at the moment. Try again later.")

	// ErrTooOften is for a link that a program tries again and again.
	ErrTooOften = errs.New(errs.TooMany, "link.too_often", "Too many requests by this link.")
	// ErrNotFound is for a link that the company does not have, ErrInvalid for wishes that cannot be met.
	ErrNotFound = errs.New(errs.NotFound, "link.not_found", "There is no such link.")
	ErrInvalid  = errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
	// ErrPortalOff is for a link of a portal that the company has switched off. Its details name the portal.
	ErrPortalOff = errs.New(errs.Conflict, "link.portal_off", "The company has switched off the portal of this link.")
)

// Refusals are the failures of Peek, Use and Enter, for the documentation of an operation.
var Refusals = []*errs.Error{errUnknown, errExpired, errUsedUp, errRevoked, errUnavailable, ErrTooOften}
