// Package regulatorapi is the contract of the area regulator: what the regulator of US carriers (FMCSA) publishes about a carrier.
package regulatorapi

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Area is the id of the area.
const Area = "regulator"

// Registry answers what is known of carriers. It never waits for the regulator. The area provides it with port.Provides; a company
// that does not use the area has none.
type Registry interface {
	// Find returns all that is known of a USDOT number, and has it refreshed in the background if it is old. Error: ErrNotInRegistry.
	Find(ctx context.Context, usdot int64) (Facts, error)
	// FindDocket is Find for the carrier that has a docket, such as MC-123456. Facts of the USDOT number 0 say that the sets that have
	// dockets were not imported.
	FindDocket(ctx context.Context, docket string) (Facts, error)
	// Status returns how well the data are.
	Status(ctx context.Context) (Health, error)
	// Sandbox reports whether the carriers are invented.
	Sandbox() bool
}

var (
	// ErrNotInRegistry is the failure of a number that the regulator has not given out: the sets that would have it were read whole.
	ErrNotInRegistry = errs.New(errs.NotFound, "carriers.not_in_registry", "The regulator has no carrier with this number.")
	// ErrInvalidNumber has the details kind (usdot or docket, absent where either would do) and want.
	ErrInvalidNumber = errs.New(errs.Invalid, "carriers.invalid_number", "The number is not one of the regulator's.")
)
