package principal

import "github.com/dispatchd/dispatchd/platform/errs"

// ErrScopeMissing is the failure of who lacks a scope, wherever it is asked for; details.scope names it.
var ErrScopeMissing = errs.New(errs.Forbidden, "web.scope_missing", "The token lacks the required scope.")

// Lacks is ErrScopeMissing of a scope, such as "sms:read".
func Lacks(scope string) *errs.Error {
	return ErrScopeMissing.WithMessage("The token lacks the required scope %s.", scope).WithDetail("scope", scope)
}
