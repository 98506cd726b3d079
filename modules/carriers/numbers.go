package carriers

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// errInvalidNumber has the details kind (usdot or docket, absent where either would do) and want.
var errInvalidNumber = errs.New(errs.Invalid, "carriers.invalid_number", "The number is not one of the regulator's.")

func parseUSDOT(text string) (fmcsa.USDOT, error) { return refusing(fmcsa.ParseUSDOT(text)) }

func parseDocket(text string) (fmcsa.Docket, error) { return refusing(fmcsa.ParseDocket(text)) }

// parseNumber reads a number of either kind; digits alone are a USDOT number.
func parseNumber(text string) (fmcsa.Number, error) {
	number, err := fmcsa.ParseNumber(text)
	if errors.Is(err, fmcsa.ErrAmbiguous) {
		number.Kind = fmcsa.KindUSDOT
		number.USDOT, err = fmcsa.ParseUSDOT(text)
	}

	return refusing(number, err)
}

// refusing turns an error of the parser into a failure of the area.
func refusing[N any](number N, err error) (N, error) {
	wrong, ok := errors.AsType[*fmcsa.Error](err)
	if !ok {
		return number, err
	}
	failure := errInvalidNumber.WithMessage("%s", wrong.Error()).WithDetail("want", wrong.Want())
	if wrong.Kind != fmcsa.KindEither {
		failure = failure.WithDetail("kind", string(wrong.Kind))
	}

	return number, failure
}
