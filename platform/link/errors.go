package link

import "github.com/dispatchd/dispatchd/platform/errs"

// message is what everybody is told who has a link that is of no use, whatever the reason.
const message = "This link is not valid, or not any more."

var (
	errUnknown = errs.New(errs.NotFound, "link.unknown", message)
	errExpired = errs.New(errs.NotFound, "link.expired", message)
	errUsedUp  = errs.New(errs.NotFound, "link.used_up", message)
	errRevoked = errs.New(errs.NotFound, "link.revoked", message)
	// errSuspended is for the link of a company that is suspended, and works again with it.
	errSuspended = errs.New(errs.NotFound, "link.suspended", message)

	errNotFound = errs.New(errs.NotFound, "link.not_found", "There is no such link.")
	errInvalid  = errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
)

// Refusals are the failures of Look and Use, for the documentation of an operation.
func Refusals() []*errs.Error {
	return []*errs.Error{errUnknown, errExpired, errUsedUp, errRevoked, errSuspended}
}
