package inspecting

import (
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
)

// Ready refuses a bill of lading with vehicles that are not inspected at a stage, or with another vehicle than the load's. Errors: ErrInspectionsMissing,
// ErrVINDiffers.
func Ready(b store.Bol, inspections []store.Inspection, at store.Stage) error {
	wrong := store.ErrInspectionsMissing
	var differs error
	for i, v := range b.Vehicles.V {
		n := slices.IndexFunc(inspections, func(row store.Inspection) bool { return row.Vehicle == v.UUID && row.Stage == at })
		if n < 0 || inspections[n].State != store.Submitted {
			wrong = wrong.WithField("vehicles."+strconv.Itoa(i), "The vehicle is not inspected: "+v.Text()+".")

			continue
		}
		if differs == nil && at == store.AtPickup {
			differs = otherVehicle(inspections[n], b, v.VIN)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return differs
}
