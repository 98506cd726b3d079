package carriers

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

var (
	// errInvalidNumber has the details kind (usdot or docket, absent where either would do) and want.
	errInvalidNumber = errs.New(errs.Invalid, "carriers.invalid_number", "The number is not one of the regulator's.")
	// errAmbiguousNumber is the failure of digits alone, which are a USDOT number of one carrier and the docket of another.
	errAmbiguousNumber = errs.New(errs.Invalid, "carriers.ambiguous_number",
		"The number may be a USDOT number or a docket. Write USDOT 1234567 or MC-123456.")
)

func parseUSDOT(text string) (fmcsa.USDOT, error) { return refusing(fmcsa.ParseUSDOT(text)) }

func parseDocket(text string) (fmcsa.Docket, error) { return refusing(fmcsa.ParseDocket(text)) }

func parseNumber(text string) (fmcsa.Number, error) { return refusing(fmcsa.ParseNumber(text)) }

// refusing turns an error of the parser into a failure of the area.
func refusing[N any](number N, err error) (N, error) {
	if errors.Is(err, fmcsa.ErrAmbiguous) {
		return number, errAmbiguousNumber.WithDetail("want", (&fmcsa.Error{Kind: fmcsa.KindEither}).Want())
	}
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
