package numbering

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errInvalidTemplate = errs.New(errs.Invalid, "numbering.invalid_template", "The given data was invalid.")
	errRepeats         = errs.New(errs.Conflict, "numbering.template_repeats",
		"With this template, numbers that were already used could repeat. Add a part that makes them unique.")
	errBackwards = errs.New(errs.Conflict, "numbering.only_forward", "A series can only be moved forward.")
	errExhausted = errs.New(errs.Conflict, "numbering.exhausted", "The series has run out of numbers. Change its template.")

	errOutside   = errors.New("numbering: taking a number needs a transaction: use InTx")
	errNoCompany = errors.New("numbering: numbers belong to a company, and the principal has none")
)

// Errors are the failures of SetTemplate and SetNext, for the documentation of an operation.
var Errors = []*errs.Error{errInvalidTemplate, errRepeats, errBackwards, errExhausted}
