package store

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// AskedOf is the VIN of a vehicle as it is decoded: a short one is one from before 1981, or a part of one, by its year.
func AskedOf(v Vehicle) vehiclesapi.Asked {
	const full = 17
	asked := vehiclesapi.Asked{VIN: v.VIN}
	if v.Year != nil && len(v.VIN) < full {
		asked.Year = int(*v.Year)
	}

	return asked
}

// VinsOf are the VINs of the vehicles that are on a load, in their order, each once.
func VinsOf(l *Load) (vins []string) {
	if l == nil || l.DeletedAt != nil || l.State == loadsapi.Draft || !slices.Contains(OpenStates, l.State) {
		return nil
	}
	for _, v := range l.Vehicles.V {
		if v.VIN != "" && v.Open() && !slices.Contains(vins, v.VIN) {
			vins = append(vins, v.VIN)
		}
	}

	return vins
}
