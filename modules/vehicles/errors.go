package vehicles

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errInvalidVIN  = errs.New(errs.Invalid, "vehicles.invalid_vin", "The VIN is invalid.")
	errInvalidType = errs.New(errs.Invalid, "vehicles.invalid_type", "The given data was invalid.")
	errUnknownMake = errs.New(errs.NotFound, "vehicles.make_not_found", "The make is not known. List the makes with GET /vehicles/api/v1/makes.")
	errNoData      = errs.New(errs.Unavailable, "vehicles.data_unavailable", "The vehicle data cannot be read. Check the setting modules.vehicles.data_file.")
)
