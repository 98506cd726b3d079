package history

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errInvalid  = errs.New(errs.Invalid, "history.invalid", "The given data was invalid.")
	errNoItem   = errs.New(errs.NotFound, "history.item_not_found", "There is no such item.")
	errNotFound = errs.New(errs.NotFound, "history.entry_not_found", "There is no such entry.")
	errNotYours = errs.New(errs.Forbidden, "history.not_yours",
		"The entry was written by another user. Changing it requires the scope history:manage.")
)

// entryErrors are the failures of everything that is done to an entry.
func entryErrors(more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{errNotFound}, more...)
}
