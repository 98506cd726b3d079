package feature

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errInvalid  = errs.New(errs.Invalid, "feature.invalid", "The given data was invalid.")
	errNeededBy = errs.New(errs.Conflict, "feature.needed_by", "Other areas need what would be switched off.")
	errNeeds    = errs.New(errs.Conflict, "feature.needs", "What would be switched on needs other areas.")
	errNotFound = errs.New(errs.NotFound, "feature.not_found", "There is no such company.")
)

// Refusals lists what Plan and Apply refuse, for an operation's documentation.
func Refusals() []*errs.Error { return []*errs.Error{errInvalid, errNeededBy, errNeeds} }
