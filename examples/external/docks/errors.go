package docks

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errNotFound = errs.New(errs.NotFound, "docks.door_not_found", "There is no such door.")
	errInvalid  = errs.New(errs.Invalid, "docks.invalid_door", "The given data was invalid.")
)
