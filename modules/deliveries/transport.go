package deliveries

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// transports reads loads as deliveries follow them.
type transports struct {
	standings loadsapi.Standings
	views     loadsapi.Views
}

func newTransports(s loadsapi.Standings, v loadsapi.Views) *transports { return &transports{s, v} }

// hold holds a load until the transaction ends. Error: loads.load_not_found.
func (t *transports) hold(ctx context.Context, load uuid.UUID) (loadsapi.Standing, error) {
	return t.standings.Held(ctx, load.String())
}

// read returns a load. Error: loads.load_not_found.
func (t *transports) read(ctx context.Context, load uuid.UUID) (transport, error) {
	seen, err := t.views.Carrier(ctx, load.String())
	l := transport(seen.Load)
	for i := range l.Vehicles {
		if n := len(l.Stops); n > 0 { // by default the last stop
			l.Vehicles[i].Delivery = cmp.Or(l.Vehicles[i].Delivery, l.Stops[n-1].UUID)
		}
	}

	return l, err
}

// transport is what deliveries follow of a load: what its carrier sees, with the stop of delivery of each vehicle.
type transport loadsapi.CarrierView

// moving reports whether a carrier has the load.
func (l transport) moving() bool {
	return l.State == loadsapi.Dispatched || l.State == loadsapi.PickedUp
}

// at are the vehicles that are delivered at a stop.
func (l transport) at(stop string) (all []string) {
	for _, v := range l.Vehicles {
		if v.Delivery == stop {
			all = append(all, v.UUID)
		}
	}

	return all
}

// aboard reports whether one of the vehicles of a stop is on the truck.
func (l transport) aboard(stop string) bool {
	for _, v := range l.Vehicles {
		if v.Delivery == stop && v.Custody == loadsapi.VehicleOnBoard {
			return true
		}
	}

	return false
}

// pickedUpAfter reports whether a vehicle of a stop was picked up after a time.
func (l transport) pickedUpAfter(stop string, at time.Time) bool {
	for _, v := range l.Vehicles {
		if v.Delivery == stop && v.PickedUpAt != nil && v.PickedUpAt.After(at) {
			return true
		}
	}

	return false
}

// doneAt is when the last of the vehicles of a stop was delivered, nil if one is still to come.
func (l transport) doneAt(stop string) (at *time.Time) {
	for _, v := range l.Vehicles {
		switch {
		case v.Delivery != stop:
		case v.DroppedAt == nil:
			return nil
		case at == nil || v.DroppedAt.After(*at):
			at = v.DroppedAt
		}
	}

	return at
}
