package store

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrNone is returned for a carrier that does not exist.
var ErrNone = errors.New("none")

// Errors of carriers.
var (
	// ErrMerged is the failure of a change of a carrier that was merged into another one.
	ErrMerged = errs.New(errs.Conflict, "carriers.merged", "The carrier was merged into another one. Change that one, or unmerge it.")
	// ErrCarrier is the failure of a carrier that is not valid.
	ErrCarrier = errs.New(errs.Invalid, "carriers.invalid_carrier", "The given data was invalid.")
)
