package assigning

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Drafter draws up dispatches: with the terms on which a carrier has a load at first.
type Drafter struct {
	settings *settings.Settings[preferences.Preferences]
	carriers carriersapi.Carriers
	loads    loadsapi.Standings
	views    loadsapi.Views
	clock    clock.Clock
}

// NewDrafter returns a Drafter.
func NewDrafter(
	kept *settings.Settings[preferences.Preferences], carriers carriersapi.Carriers, loads loadsapi.Standings, views loadsapi.Views, c clock.Clock,
) *Drafter {
	return &Drafter{kept, carriers, loads, views, c}
}

// Draft completes the dispatch of a load that a carrier has just got.
func (d *Drafter) Draft(ctx context.Context, loadID string, made store.Dispatch, crew store.Crew) (store.Dispatch, error) {
	load, err := d.loads.Standing(ctx, loadID)
	if err != nil {
		return made, err
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return made, err
	}
	seen, err := d.views.Carrier(ctx, loadID)
	if err != nil {
		return made, err
	}
	reach, err := d.carriers.Reach(ctx, load.Carrier, carriersapi.Dispatch)
	if err != nil {
		return made, err
	}
	now := d.clock.Now()
	made.Load, made.Carrier = item.ID(loadID), item.ID(load.Carrier)
	made.CarrierPay, made.Currency, made.Snapshot = money.Amount(load.CarrierPay), money.Currency(load.Currency), rawjson.Object(seen.JSON)
	made.Revision, made.AcceptedRevision = 1, 1
	made.Terms, made.AcceptedAt, made.AcceptedPay = terms.Now.Terms, &now, made.CarrierPay
	made.ContactName, made.ContactPhone, made.ContactEmail = reach.Name, field.Phone(cmp.Or(reach.Call, reach.SMS)), field.Email(reach.Email)
	crew.ApplyTo(&made)
	made.Warnings = store.WarningsOf(load, made.PickupDate)

	return made, nil
}
