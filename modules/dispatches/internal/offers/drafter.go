package offers

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
)

// mostOffers is the highest number of carriers that a load is offered to at a time.
const mostOffers = 50

// Drafter draws up what carriers are offered.
type Drafter struct {
	offers   *resource.Resource[store.Offer]
	loads    loadsapi.Standings
	views    *Views
	settings *settings.Settings[preferences.Preferences]
	links    *share.Service
}

// NewDrafter returns a Drafter.
func NewDrafter(
	offers *resource.Resource[store.Offer], loads loadsapi.Standings, v *Views, kept *settings.Settings[preferences.Preferences], links *share.Service,
) *Drafter {
	return &Drafter{offers, loads, v, kept, links}
}

// check refuses a request that cannot be met, whatever its load.
func (d *Drafter) check(ctx context.Context, in *createOffersInput) error {
	b := in.Body
	if b.Amount != "" {
		if err := d.offers.MaySet(ctx, "amount"); err != nil {
			return err
		}
	}
	if who, _ := principal.From(ctx); b.Override != "" && !who.Allows(dispatchesapi.Area+":override") {
		return principal.Lacks(dispatchesapi.Area + ":override")
	}
	switch n := len(b.Carriers) + len(b.New); {
	case n == 0:
		return store.ErrInvalidOffer.WithField("carrier_uuids", "A carrier is required, here or in new_carriers.")
	case n > mostOffers:
		return store.ErrInvalidOffer.WithField("new_carriers", "A load is offered to at most 50 carriers at a time.")
	case n > 1 && b.Mode != "broadcast" && b.Mode != "sequential":
		return store.ErrInvalidOffer.WithField("mode", "For more than one carrier, the mode must be broadcast or sequential.")
	case b.Mode == "sequential" && b.Channels == nil:
		return store.ErrInvalidOffer.WithField("channels", "A sequence writes to one carrier after the other by itself: it needs a channel, sms or email. "+
			"With [], you pass on each link yourself.")
	}

	return d.links.CanSend(ctx, b.Channels)
}

// draft returns what each carrier is offered, and the load, which it holds. It refuses a load that cannot be offered so. It is called in a transaction.
func (d *Drafter) draft(ctx context.Context, in *createOffersInput) (o store.Offer, load loadsapi.Standing, err error) {
	if load, err = d.loads.ForCarrier(ctx, in.Body.Load.String()); err != nil {
		return o, load, err
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return o, load, err
	}
	o = in.offer(load, terms.Now)
	if wrong := o.CheckTerms(store.ErrInvalidOffer); len(wrong.Fields) > 0 {
		return o, load, wrong
	}
	today, err := d.offers.Today(ctx)
	if err != nil {
		return o, load, err
	}
	allowed, err := store.AllowedDaysOf(load, today)
	if err != nil {
		return o, load, err
	}
	if wrong := allowed.Check(o.Days(), store.Dates{}, false); len(wrong.Fields) > 0 {
		return o, load, wrong
	}
	if err := d.views.CheckAmount(ctx, o, o.Amount); err != nil {
		return o, load, err
	}
	if load.Carried {
		return o, load, store.ErrInvalidOffer.WithField("load_uuid", "The company carries this load itself.")
	}

	return o, load, nil
}

// offer is what each carrier is offered.
func (in *createOffersInput) offer(load loadsapi.Standing, terms preferences.Preferences) store.Offer {
	b, batch := in.Body, database.NewID()
	o := store.Offer{
		Load: b.Load, Mode: b.Mode, Batch: &batch, Amount: b.Amount, Currency: money.Currency(load.Currency), PickupDate: b.Pickup, DeliveryDate: b.Delivery,
		Minutes: b.Minutes, Message: b.Message,
	}
	o.Channels.V = b.Channels
	if o.Amount == "" {
		o.Amount = money.Amount(load.CarrierPay)
	}
	if o.Mode == "" {
		o.Mode = "direct"
	}
	if o.Minutes == 0 && o.Mode == "sequential" {
		o.Minutes = terms.NextMinutes
	} else if o.Minutes == 0 {
		o.Minutes = terms.OfferMinutes
	}

	return o
}
