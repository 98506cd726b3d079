package routeengine

import (
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errUnknownPlace = routeengineapi.ErrUnknownPlace
	errNoRoad       = routeengineapi.ErrNoRoad
	errNoPlace      = errs.New(errs.NotFound, "route_engine.place_not_found", "There is no such place.")
	errInvalidZIP   = errs.New(errs.Invalid, "route_engine.invalid_zip", "The given data was invalid.")
)
