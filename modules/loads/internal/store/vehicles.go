package store

import (
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrDuplicateVIN is for a VIN that another open load has, where the settings refuse that.
var ErrDuplicateVIN = errs.New(errs.Conflict, "loads.vin_taken", "A vehicle is on another open load. Remove it there, or correct the VIN.")

// FindVehicle returns a vehicle of the load. Error: loads.part_not_found.
func (l *Load) FindVehicle(id uuid.UUID) (*Vehicle, error) {
	i := slices.IndexFunc(l.Vehicles.V, func(v Vehicle) bool { return v.UUID == id })
	if i < 0 {
		return nil, loadsapi.ErrPart
	}

	return &l.Vehicles.V[i], nil
}

// CheckVehicles brings the vehicles and commodities into their normal form.
func (l *Load) CheckVehicles(wrong *errs.Error) *errs.Error {
	if len(l.Vehicles.V) > cargo.Most {
		wrong = wrong.WithField("vehicles", "A load has at most 50 vehicles.")
	}
	seen := map[string]int{}
	for i := range l.Vehicles.V {
		v, at := &l.Vehicles.V[i], "vehicles."+strconv.Itoa(i)
		wrong = v.Check(at, l.Currency, wrong)
		if first, twice := seen[v.VIN]; v.VIN != "" && twice {
			wrong = wrong.WithField(at+".vin", "The vehicle at vehicles."+strconv.Itoa(first)+" has the same VIN.")
		}
		seen[v.VIN] = i
		wrong = route.CheckEnds(l.Stops.V, at, v.Pickup, v.Delivery, wrong)
	}
	for i, c := range l.Commodities.V {
		at := "commodities." + strconv.Itoa(i)
		wrong = route.CheckEnds(l.Stops.V, at, c.Pickup, c.Delivery, wrong)
		wrong = c.Check(at, l.Currency, wrong)
	}

	return wrong
}
