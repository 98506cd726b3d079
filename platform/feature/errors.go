package feature

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errInvalid  = errs.New(errs.Invalid, "feature.invalid", "The given data was invalid.")
	errNeededBy = errs.New(errs.Conflict, "feature.needed_by", "Other areas need the areas to switch off.")
	errNeeds    = errs.New(errs.Conflict, "feature.needs", "The areas to switch on need other areas.")
	errNotFound = errs.New(errs.NotFound, "feature.not_found", "There is no such company.")
)

// Refusals lists what Plan and Apply refuse, for an operation's documentation.
var Refusals = []*errs.Error{errInvalid, errNeededBy, errNeeds}
