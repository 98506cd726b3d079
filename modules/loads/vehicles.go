package loads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

var errDuplicateVIN = errs.New(errs.Conflict, "loads.vin_taken", "A vehicle is on another open load.")

// find returns a vehicle of the load. Error: loads.part_not_found.
func (l *load) find(id uuid.UUID) (*vehicle, error) {
	i := slices.IndexFunc(l.Vehicles.V, func(v vehicle) bool { return v.UUID == id })
	if i < 0 {
		return nil, loadsapi.ErrPart
	}

	return &l.Vehicles.V[i], nil
}

// checkVehicles brings the vehicles into their normal form.
func (l *load) checkVehicles(wrong *errs.Error) *errs.Error {
	seen := map[string]int{}
	for i := range l.Vehicles.V {
		v, at := &l.Vehicles.V[i], "vehicles."+strconv.Itoa(i)
		v.VIN = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(v.VIN))
		v.Make, v.Model, v.Custody = strings.TrimSpace(v.Make), strings.TrimSpace(v.Model), cmp.Or(v.Custody, waiting)
		if v.VIN == "" && v.Make == "" && v.Model == "" {
			wrong = wrong.WithField(at+".vin", "A vin, or a make and a model, is required.")
		}
		if v.Type != "" && !v.Type.Known() {
			wrong = wrong.WithField(at+".type", "The type is none of those of GET /vehicles/api/v1/types.")
		}
		if first, twice := seen[v.VIN]; v.VIN != "" && twice {
			wrong = wrong.WithField(at+".vin", "The vehicle at vehicles."+strconv.Itoa(first)+" has the same VIN.")
		}
		seen[v.VIN] = i
		if len(v.Conditions) > 0 {
			no := false
			v.Operable = &no
		}
		wrong = l.checkEnds(at, v.Pickup, v.Delivery, wrong)
		wrong = v.CheckPrice(at, l.Currency, wrong)
	}
	for i, c := range l.Commodities.V {
		at := "commodities." + strconv.Itoa(i)
		wrong = l.checkEnds(at, c.Pickup, c.Delivery, wrong)
		if _, ok := l.units(c.Declared); !ok {
			wrong = wrong.WithField(at+".declared_value", plan.AmountRule("declared_value", l.Currency))
		}
	}

	return wrong
}

// checkEnds refuses a way that does not lead from a stop to a later one.
func (l *load) checkEnds(at string, from, to uuid.UUID, wrong *errs.Error) *errs.Error {
	begin, end := 0, len(l.Stops.V)-1
	if from != uuid.Nil {
		if begin = l.place(from); begin < 0 {
			wrong = wrong.WithField(at+".pickup_stop_uuid", "The load has no such stop.")
		}
	}
	if to != uuid.Nil {
		if end = l.place(to); end < 0 {
			wrong = wrong.WithField(at+".delivery_stop_uuid", "The load has no such stop.")
		}
	}
	if begin >= 0 && end >= 0 && begin >= end && (from != uuid.Nil || to != uuid.Nil) {
		wrong = wrong.WithField(at+".delivery_stop_uuid", "The delivery must come after the pickup in the order of the stops.")
	}

	return wrong
}
