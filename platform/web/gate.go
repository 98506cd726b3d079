package web

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// UseGate refuses, from then on, callers of a company that does not use the area of the operation.
// Public operations know no caller: those that act for a company ask the gate themselves. It is
// called before Start.
func (a *API) UseGate(g Gate) { a.gate = g }

var errAreaOff = errs.New(errs.Forbidden, "web.area_off", "The company does not use the area that this belongs to.")

// gated refuses who is of a company that does not use the operation's area.
func (e *endpoint) gated(ctx context.Context, who principal.Principal) error {
	if e.api.gate == nil || who.Company == uuid.Nil {
		return nil
	}
	used, err := e.api.gate.Allows(ctx, who.Company, e.info.Area)
	if err != nil || used {
		return err
	}

	return errAreaOff.WithMessage("The company does not use the area %s.", e.info.Area).WithDetail("area", e.info.Area)
}
