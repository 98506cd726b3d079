// Package carrying gives loads to the company itself, and records who has their vehicles.
package carrying

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Carrying gives loads to the company itself, and back.
type Carrying struct {
	standings loadsapi.Standings
	coverage  loadsapi.Coverage
	rows      *store.Repository
	items     *item.Registry
	settings  *settings.Settings[store.Preferences]
}

// New returns Carrying.
func New(s loadsapi.Standings, c loadsapi.Coverage, rows *store.Repository, items *item.Registry, kept *settings.Settings[store.Preferences]) *Carrying {
	return &Carrying{s, c, rows, items, kept}
}

// carrierParty is who the company is, of a load that it carries itself.
const carrierParty = "carrier"

// Take gives a load, which is held, to the company itself. A load that is carried stays as it is given.
func (k *Carrying) Take(ctx context.Context, t store.Trip, load uuid.UUID) error {
	of, err := k.standings.Standing(ctx, load.String())
	if err != nil {
		return err
	}
	switch of.State {
	case loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed:
		return nil
	case loadsapi.Ready:
	default:
		return store.ErrLoadNotReady.WithDetail("load_uuid", load).WithDetail("state", of.State)
	}
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return err
	}
	to := loadsapi.Cover{Note: "It is on the trip " + t.Number + ".", Party: carrierParty}
	if terms.Now.Carrier != nil {
		known, err := k.knowsCarrier(ctx, *terms.Now.Carrier)
		if err != nil {
			return err
		}
		if !known { // any more
			return store.ErrOwnCarrierUnknown
		}
		to.Carrier = terms.Now.Carrier.String()
	}

	return k.coverage.Cover(ctx, load.String(), to)
}

// knowsCarrier reports whether the company has a carrier.
func (k *Carrying) knowsCarrier(ctx context.Context, id uuid.UUID) (bool, error) {
	missing, err := k.items.Exists(ctx, item.Ref{Type: "carriers.carrier", UUID: id})
	if errors.Is(err, item.ErrUnknownType) {
		return false, nil
	}

	return len(missing) == 0, err
}

// checkSettings refuses what the limits of the fields let pass.
func (k *Carrying) checkSettings(ctx context.Context, p store.Preferences) error {
	if p.Carrier == nil {
		return nil
	}
	known, err := k.knowsCarrier(ctx, *p.Carrier)
	if err != nil || known {
		return err
	}

	return store.ErrInvalidSettings.WithField("own_carrier_uuid", "`own_carrier_uuid` must be a carrier of the company.")
}

// GiveBack has a load wait again that was carried by a trip.
func (k *Carrying) GiveBack(ctx context.Context, load uuid.UUID, note string) error {
	on, err := k.rows.TripsOf(ctx, load)
	if err != nil || len(on) > 0 {
		return err
	}
	of, err := k.standings.Standing(ctx, load.String())
	if err != nil || of.State != loadsapi.Dispatched {
		return err
	}

	return k.coverage.Uncover(ctx, load.String(), loadsapi.Moved{Note: note, Party: carrierParty})
}

// SettingsRoutes are the operations on the settings.
func SettingsRoutes(r *web.Router, k *Carrying) {
	settings.Routes(r, k.settings, settings.Operations[store.Preferences]{About: "how the company works with trips", Failure: store.ErrInvalidSettings, Check: k.checkSettings})
}
