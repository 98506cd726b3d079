package fmcsa

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Refusal returns what an API says to a text that is not a number, for the error of one of the parsers: invalid with the message and the
// details want and kind. With a field, the message is about it. Other errors are returned unchanged.
func Refusal(err error, field string, invalid *errs.Error) error {
	wrong, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	refusal := invalid.WithMessage("%s", wrong.Error()).WithDetail("want", wrong.Want())
	if wrong.Kind != KindEither {
		refusal = refusal.WithDetail("kind", string(wrong.Kind))
	}
	if field != "" {
		refusal = refusal.WithField(field, refusal.Message)
	}

	return refusal
}
