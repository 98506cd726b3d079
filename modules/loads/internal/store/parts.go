package store

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// parts calls do for the id of each part of a load, and where it is.
func (l *Load) parts(do func(id *uuid.UUID, at string)) {
	for i := range l.Stops.V {
		do(&l.Stops.V[i].UUID, "stops."+strconv.Itoa(i))
	}
	for i := range l.Vehicles.V {
		do(&l.Vehicles.V[i].UUID, "vehicles."+strconv.Itoa(i))
	}
	for i := range l.Commodities.V {
		do(&l.Commodities.V[i].UUID, "commodities."+strconv.Itoa(i))
	}
	for i := range l.Charges.V {
		do(&l.Charges.V[i].UUID, "charges."+strconv.Itoa(i))
	}
}

// NameParts gives ids to the parts of a load that have none, and refuses two parts with one id.
func NameParts(l *Load, wrong *errs.Error) *errs.Error {
	seen := map[uuid.UUID]bool{}
	l.parts(func(id *uuid.UUID, at string) {
		if *id == uuid.Nil {
			*id = database.NewID()
		}
		if seen[*id] {
			wrong = wrong.WithField(at+".uuid", "Another part of the load has this uuid. Leave it out for a new one.")
		}
		seen[*id] = true
	})

	return wrong
}
