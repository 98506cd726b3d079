package carrying

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
)

// Custody records who has the vehicles of loads.
type Custody struct {
	standings loadsapi.Standings
	carriage  loadsapi.Carriage
}

// NewCustody returns Custody.
func NewCustody(s loadsapi.Standings, c loadsapi.Carriage) *Custody { return &Custody{s, c} }

// Leavable refuses to leave a stop of a load that the company no longer carries.
func (k *Custody) Leavable(ctx context.Context, l store.Leg) error {
	of, err := k.standings.Standing(ctx, l.Load.String())
	if err == nil && !slices.Contains([]loadsapi.State{loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}, of.State) {
		err = store.ErrLoadNotReady.WithDetail("load_uuid", l.Load).WithDetail("state", of.State)
	}

	return err
}

// HandOver records on a load what was picked up and delivered.
func (k *Custody) HandOver(ctx context.Context, t store.Trip, load uuid.UUID, at time.Time, on, off []string) error {
	moved := loadsapi.Moved{At: at, Note: "Trip " + t.Number, Party: carrierParty}
	if moved.Vehicles = on; len(on) > 0 {
		if err := k.carriage.PickUp(ctx, load.String(), moved); err != nil {
			return err
		}
	}
	if moved.Vehicles = off; len(off) > 0 {
		return k.carriage.Deliver(ctx, load.String(), moved)
	}

	return nil
}
