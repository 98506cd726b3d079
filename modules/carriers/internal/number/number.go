// Package number reads the numbers of carriers, and refuses a text that is none with the errors of the API.
package number

import (
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// USDOT reads a USDOT number. With a field, the error is about it: regulatorapi.ErrInvalidNumber.
func USDOT(field, text string) (fmcsa.USDOT, error) {
	number, err := fmcsa.ParseUSDOT(text)

	return number, refusal(field, err)
}

// Docket reads a docket. With a field, the error is about it: regulatorapi.ErrInvalidNumber.
func Docket(field, text string) (fmcsa.Docket, error) {
	number, err := fmcsa.ParseDocket(text)

	return number, refusal(field, err)
}

func refusal(field string, err error) error {
	return fmcsa.Refusal(err, field, regulatorapi.ErrInvalidNumber)
}

// ErrOne is the error of numbers that are not as many as are needed.
var ErrOne = errs.New(errs.Invalid, "carriers.one_number", "The given data was invalid.")

// OnFields is ErrOne under the name of each field that it is about.
func OnFields(text string, names ...string) error {
	wrong := ErrOne
	for _, name := range names {
		wrong = wrong.WithField(name, text)
	}

	return wrong
}
