package cargo

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrLoaded is for a vehicle that cannot be taken off a load any more.
var ErrLoaded = errs.New(errs.Conflict, "loads.vehicles_loaded", "A vehicle of the load was picked up already.")

// KeepCustody has vehicles be where they were, and new ones wait: only their own operations move them. Error: ErrLoaded.
func KeepCustody(before, now []Vehicle) error {
	known := make(map[uuid.UUID]Vehicle, len(before))
	for _, v := range before {
		known[v.UUID] = v
	}
	for i := range now {
		v := &now[i]
		old := known[v.UUID]
		v.Custody, v.PickedUpAt, v.DroppedAt, v.RemovedFor = old.Custody, old.PickedUpAt, old.DroppedAt, old.RemovedFor
		delete(known, v.UUID)
	}
	for _, gone := range known {
		if gone.Custody == OnBoard || gone.Custody == Dropped {
			return ErrLoaded.WithMessage("The %s was picked up already, and cannot be taken off the load.", gone.Name())
		}
	}

	return nil
}
