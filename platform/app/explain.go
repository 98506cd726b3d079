package app

import (
	"errors"
	"fmt"
	"strings"
)

// explainBuild cuts the way that Fx took to a constructor whose arguments nobody makes, and says what is
// usually missing. Any other error it returns as it is.
func explainBuild(err error) error {
	const missing = "missing dependencies for function"
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if strings.HasPrefix(inner.Error(), missing) {
			return fmt.Errorf("%w: is what makes it in fx.Provide of the area's manifest?", inner)
		}
	}

	return err
}
