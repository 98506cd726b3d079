package bills

import (
	"cmp"
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Drafts decides which bills of lading a load should have, and what they say.
type Drafts struct {
	views    loadsapi.Views
	carriers carriersapi.Carriers
	settings *settings.Settings[store.Preferences]
}

// NewDrafts returns Drafts.
func NewDrafts(v loadsapi.Views, all carriersapi.Carriers, s *settings.Settings[store.Preferences]) *Drafts {
	return &Drafts{v, all, s}
}

// plan are the bills of lading that a load should have.
type plan struct {
	bills []store.Bol
	// issue says whether complete ones are issued at once.
	issue bool
}

// carried reports whether a carrier has a load, or has carried it.
func carried(of loadsapi.Standing) bool {
	return slices.Contains([]loadsapi.State{loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}, of.State)
}

// of plans the bills of lading of a load. Without a carrier there are none.
func (k *Drafts) of(ctx context.Context, of loadsapi.Standing) (p plan, err error) {
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return p, err
	}
	p.issue = terms.Now.Issue
	if !carried(of) || of.Carrier == "" {
		return p, nil
	}
	l, err := k.load(ctx, of.Load)
	if err != nil {
		return p, err
	}
	who, err := k.carriers.Find(ctx, of.Carrier)
	if err != nil {
		return p, err
	}
	c := who[of.Carrier]
	common := store.Bol{Load: item.ID(of.Load), CarrierID: item.ID(of.Carrier), Terms: terms.Now.Terms}
	common.Carrier.V = store.Carrier{Name: cmp.Or(c.Name, c.DBA), USDOT: c.USDOT, Docket: c.Docket}
	p.bills = l.bills(common)

	return p, nil
}

// load is a load as its carrier sees it.
func (k *Drafts) load(ctx context.Context, id string) (load, error) {
	seen, err := k.views.Carrier(ctx, id)

	return load(seen.Load), err
}

// putBack reports whether the vehicles of a bill of lading wait at their pickup although it was signed: the carrier did not take them after all.
func (k *Drafts) putBack(ctx context.Context, b store.Bol) (bool, error) {
	if b.State != store.PickupSigned {
		return false, nil
	}
	l, err := k.load(ctx, b.Load.String())

	return l.waits(b), err
}

// load is what bills of lading take from a load: what its carrier sees. A vehicle without stops of its own goes from the first stop to the last one.
type load loadsapi.CarrierView

// bills are those of a load: one for the vehicles between the same two stops, each with what all have in common.
func (l load) bills(common store.Bol) (all []store.Bol) {
	for _, v := range l.Vehicles {
		if n := len(l.Stops); n > 0 {
			v.Pickup, v.Delivery = cmp.Or(v.Pickup, l.Stops[0].UUID), cmp.Or(v.Delivery, l.Stops[n-1].UUID)
		}
		from, to := item.ID(v.Pickup), item.ID(v.Delivery)
		i := slices.IndexFunc(all, func(b store.Bol) bool { return b.PickupStop == from && b.DeliveryStop == to })
		if i < 0 {
			i = len(all)
			made := common
			made.Inspection, made.PickupStop, made.DeliveryStop = cmp.Or(l.Inspection, store.Standard), from, to
			made.Consignor.V, made.Consignee.V = l.party(v.Pickup), l.party(v.Delivery)
			all = append(all, made)
		}
		all[i].Vehicles.V = append(all[i].Vehicles.V, store.Vehicle{
			UUID: item.ID(v.UUID), VIN: v.VIN, Year: v.Year, Make: v.Make, Model: v.Model, Color: v.Color, Plate: v.Plate, Lot: v.Lot,
			Operable: v.Operable == nil || *v.Operable,
		})
	}

	return all
}

// party is who releases or receives vehicles at a stop: the venue with its first contact.
func (l load) party(at string) store.Party {
	p := store.Party{Address: []string{}, Phones: []string{}}
	for _, s := range l.Stops {
		if s.UUID != at {
			continue
		}
		p.Name, p.City, p.State, p.Postal, p.Zone = s.Venue.Name, s.Venue.City, s.Venue.State, s.Venue.PostalCode, s.Venue.TimeZone
		for _, line := range []string{s.Venue.Line1, s.Venue.Line2} {
			if line != "" {
				p.Address = append(p.Address, line)
			}
		}
		for _, one := range s.Contacts {
			if p.Contact == "" {
				p.Contact, p.Phones = one.Name, append(p.Phones, one.Phones...)
			}
		}
		p.Name = cmp.Or(p.Name, p.Contact)
	}

	return p
}

// waits reports whether all vehicles of a bill of lading that the load still has wait at the pickup of the bill, and there is one.
func (l load) waits(b store.Bol) (one bool) {
	for _, v := range l.Vehicles {
		if _, err := b.Vehicle(item.ID(v.UUID)); err != nil {
			continue
		}
		if v.Custody != loadsapi.VehicleWaiting || len(l.Stops) > 0 && cmp.Or(v.Pickup, l.Stops[0].UUID) != b.PickupStop.String() {
			return false
		}
		one = true
	}

	return one
}
