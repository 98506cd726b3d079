package billsoflading

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	base     = "/bills_of_lading/api/v1"
	broker   = "broker"
	carrier  = "carrier"
	standard = "standard"
)

// others are the areas that the book works with.
type others struct {
	onLoads

	carriers carriersapi.Carriers
	brands   companiesapi.Brands
	files    attachmentsapi.Files
	uploads  attachmentsapi.Uploads
	holds    attachmentsapi.Holds
	previews attachmentsapi.Previews
}

// onLoads is what the book knows and says of loads.
type onLoads struct {
	standings   loadsapi.Standings
	carriage    loadsapi.Carriage
	collections loadsapi.Collections
	views       loadsapi.Views
}

func newOnLoads(s loadsapi.Standings, g loadsapi.Carriage, c loadsapi.Collections, v loadsapi.Views) onLoads {
	return onLoads{s, g, c, v}
}

func newOthers(
	l onLoads, all carriersapi.Carriers, b companiesapi.Brands, f attachmentsapi.Files, u attachmentsapi.Uploads, h attachmentsapi.Holds, p attachmentsapi.Previews,
) others {
	return others{l, all, b, f, u, h, p}
}

// shelves are the resources of the area.
type shelves struct {
	bols        *resource.Resource[bol]
	inspections *resource.Resource[inspection]
	damages     *resource.Resource[damaged]
	photos      *resource.Resource[photo]
	signatures  *resource.Resource[signature]
}

func newShelves(
	b *resource.Resource[bol], i *resource.Resource[inspection], d *resource.Resource[damaged], p *resource.Resource[photo], s *resource.Resource[signature],
) shelves {
	return shelves{b, i, d, p, s}
}

// book keeps the bills of lading of loads.
type book struct {
	others
	shelves

	rows     *repository
	links    *link.Service
	given    *share.Service
	bus      *events.Bus
	queue    *jobs.Queue
	hooks    *hook.Bus
	settings *settings.Settings[preferences]
	codes    damage.Codes
	db       *database.DB
	clock    clock.Clock
}

func newBook(
	o others, s shelves, rows *repository, links *link.Service, given *share.Service, bus *events.Bus, queue *jobs.Queue, hooks *hook.Bus, kept *settings.Store, db *database.DB, c clock.Clock,
) (*book, error) {
	codes, err := damage.Load()

	return &book{o, s, rows, links, given, bus, queue, hooks, settings.Of(kept, billsofladingapi.Area, defaults), codes, db, c}, err
}

func (k *book) now() time.Time { return k.clock.Now() }

var errVoid = errs.New(errs.Conflict, "bills_of_lading.void", "The bill of lading was voided. Use the one that replaces it.")

// follow has the bills of lading of a load be those of its vehicles, stops and carrier as they are now. What was signed stays. It is called for
// each event of the load, in any order and perhaps twice.
func (k *book) follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := k.db.InTx(ctx, func(ctx context.Context) error {
		of, err := k.standings.Held(ctx, load)
		if err != nil {
			return err
		}

		return k.reconcile(ctx, of)
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// reconcile makes, changes and voids the bills of lading of a load, which is held.
func (k *book) reconcile(ctx context.Context, of loadsapi.Standing) error {
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return err
	}
	wanted, err := k.wanted(ctx, of, terms.Now.Terms)
	if err != nil {
		return err
	}
	there, err := k.rows.live(ctx, item.ID(of.Load))
	if err != nil {
		return err
	}
	for _, b := range there {
		back, err := k.putBack(ctx, b)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(wanted, func(w bol) bool { return w.PickupStop == b.PickupStop && w.DeliveryStop == b.DeliveryStop })
		switch {
		case i >= 0 && (b.of(of) || b.signed()) && !back:
			if err := k.adapt(ctx, b, wanted[i], terms.Now.Issue); err != nil {
				return err
			}
			wanted = slices.Delete(wanted, i, i+1)
		case !b.signed() || back:
			if err := k.dismiss(ctx, b, of); err != nil {
				return err
			}
			if _, err := k.void(ctx, b.ID, web.IfMatch{}, "The load has changed."); err != nil {
				return err
			}
		}
	}
	for _, w := range wanted {
		made, err := k.bols.Create(ctx, w)
		if err != nil {
			return err
		}
		if terms.Now.Issue && made.lacks() == nil {
			if _, err := k.issue(ctx, made.ID, web.IfMatch{}); err != nil {
				return err
			}
		}
	}

	return nil
}

// onHandedOver ends the bills of lading of vehicles that another carrier carries on. What was signed of them stays.
func (k *book) onHandedOver(ctx context.Context, e loadsapi.HandedOver) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := k.db.InTx(ctx, func(ctx context.Context) error {
		of, err := k.standings.Held(ctx, e.Load)
		if err != nil {
			return err
		}
		there, err := k.rows.live(ctx, item.ID(e.Load))
		if err != nil {
			return err
		}
		for _, b := range there {
			if b.State != pickupSigned || !slices.ContainsFunc(b.Vehicles.V, func(v cargo) bool { return slices.Contains(e.Vehicles, v.UUID.String()) }) || b.PickupStop.String() == e.Stop {
				continue
			}
			if err := k.dismiss(ctx, b, of); err != nil {
				return err
			}
			if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verbTransfer, func(ctx context.Context, b *bol) error {
				return k.bols.Step(ctx, b, state.Move{Verb: string(verbTransfer), Reason: "Another carrier carries the vehicles on."})
			}); err != nil {
				return err
			}
		}

		return nil
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// dismiss ends the links of the drivers of a carrier that no longer has the load.
func (k *book) dismiss(ctx context.Context, b bol, of loadsapi.Standing) error {
	if of.Carrier == b.CarrierID.String() {
		return nil
	}
	_, err := k.links.RevokeAll(ctx, driving, link.Subject{Type: loadsapi.Load, ID: b.Load})

	return err
}

// of reports whether a bill of lading is of whoever has its load now, and not of the same carrier when it had it before.
func (b bol) of(s loadsapi.Standing) bool {
	return s.Carrier == b.CarrierID.String() && !b.CreatedAt.Before(s.Since)
}

// putBack reports whether the vehicles of a bill of lading wait where they were signed for at the pickup: the carrier did not take them after all.
func (k *book) putBack(ctx context.Context, b bol) (bool, error) {
	if b.State != pickupSigned {
		return false, nil
	}
	l, err := k.look(ctx, b.Load.String())
	waits := false
	for _, v := range l.Vehicles {
		if _, err := b.vehicle(item.ID(v.UUID)); err != nil {
			continue
		}
		if v.Custody != loadsapi.VehicleWaiting || len(l.Stops) > 0 && cmp.Or(v.Pickup, l.Stops[0].UUID) != b.PickupStop.String() {
			return false, err
		}
		waits = true
	}

	return waits, err
}

// signed reports whether somebody has signed at the pickup, so that nothing changes any more.
func (b bol) signed() bool { return b.State != draft && b.State != issued }

// adapt has a bill of lading that was not signed say what the load says now. If it has all it needs then, it is issued where the company wants that.
func (k *book) adapt(ctx context.Context, b, now bol, issue bool) error {
	if b.signed() {
		return nil
	}
	if err := k.rescan(ctx, now, b.ID); err != nil || b.same(now) {
		return err
	}
	if some, err := k.rows.signaturesOf(ctx, b.ID); err != nil || len(some) > 0 {
		return err // one side has signed already
	}
	b, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, resource.Update, func(_ context.Context, b *bol) error {
		b.Inspection, b.Carrier, b.Consignor, b.Consignee, b.Vehicles = now.Inspection, now.Carrier, now.Consignor, now.Consignee, now.Vehicles

		return nil
	})
	if err == nil && issue && b.State == draft && b.lacks() == nil {
		_, err = k.issue(ctx, b.ID, web.IfMatch{})
	}

	return err
}

// rescan has the VINs that were found match those that the load has by now.
func (k *book) rescan(ctx context.Context, now bol, id uuid.UUID) error {
	all, err := k.rows.inspectionsOf(ctx, id)
	if err != nil {
		return err
	}
	for _, row := range all {
		v, err := now.vehicle(row.Vehicle)
		if err != nil || row.Stage != atPickup || row.VINCheck != vinDiffers || normalVIN(v.VIN) != row.VIN {
			continue
		}
		if _, err := k.inspections.Change(ctx, row.ID, web.IfMatch{}, verbRecord, func(_ context.Context, row *inspection) error {
			row.scan(v, "")

			return nil
		}); err != nil {
			return err
		}
	}

	return nil
}

// same reports whether two bills of lading say the same of a load.
func (b bol) same(other bol) bool {
	return b.Inspection == other.Inspection && b.Carrier.V == other.Carrier.V && reflect.DeepEqual(b.Consignor.V, other.Consignor.V) &&
		reflect.DeepEqual(b.Consignee.V, other.Consignee.V) && reflect.DeepEqual(b.Vehicles.V, other.Vehicles.V)
}

// seen is what a bill of lading takes from a load: what its carrier sees.
type seen loadsapi.CarrierView

// carried reports whether somebody has a load, or has carried it.
func carried(of loadsapi.Standing) bool {
	return slices.Contains([]loadsapi.State{loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}, of.State)
}

// look returns a load as its carrier sees it.
func (k *book) look(ctx context.Context, load string) (seen, error) {
	shown, err := k.views.Carrier(ctx, load)

	return seen(shown.Load), err
}

// wanted are the bills of lading that a load should have: one for the vehicles of a carrier between the same two stops. Without a carrier, none.
func (k *book) wanted(ctx context.Context, of loadsapi.Standing, terms string) ([]bol, error) {
	if !carried(of) || of.Carrier == "" {
		return nil, nil
	}
	l, err := k.look(ctx, of.Load)
	if err != nil {
		return nil, err
	}
	who, err := k.carriers.Find(ctx, of.Carrier)
	if err != nil {
		return nil, err
	}
	c := who[of.Carrier]
	var all []bol
	for _, v := range l.Vehicles {
		if n := len(l.Stops); n > 0 { // by default the first and the last stop
			v.Pickup, v.Delivery = cmp.Or(v.Pickup, l.Stops[0].UUID), cmp.Or(v.Delivery, l.Stops[n-1].UUID)
		}
		from, to := item.ID(v.Pickup), item.ID(v.Delivery)
		i := slices.IndexFunc(all, func(b bol) bool { return b.PickupStop == from && b.DeliveryStop == to })
		if i < 0 {
			i = len(all)
			made := bol{
				Load: item.ID(of.Load), Inspection: cmp.Or(l.Inspection, standard), PickupStop: from, DeliveryStop: to, CarrierID: item.ID(of.Carrier), Terms: terms,
			}
			made.Carrier.V = hauler{cmp.Or(c.Name, c.DBA), c.USDOT, c.Docket}
			made.Consignor.V, made.Consignee.V = l.party(v.Pickup), l.party(v.Delivery)
			all = append(all, made)
		}
		all[i].Vehicles.V = append(all[i].Vehicles.V, cargo{
			UUID: item.ID(v.UUID), VIN: v.VIN, Year: v.Year, Make: v.Make, Model: v.Model, Color: v.Color, Plate: v.Plate, Lot: v.Lot, Operable: v.Operable == nil || *v.Operable,
		})
	}

	return all, nil
}

// party is who is at a stop.
func (l seen) party(stop string) party {
	p := party{Address: []string{}, Phones: []string{}}
	for _, s := range l.Stops {
		if s.UUID != stop {
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

// issue has a bill of lading be ready to be signed. Error: bills_of_lading.missing_fields.
func (k *book) issue(ctx context.Context, id uuid.UUID, match web.IfMatch) (bol, error) {
	return k.bols.Change(ctx, id, match, verbIssue, func(ctx context.Context, b *bol) error {
		if wrong := b.lacks(); wrong != nil {
			return wrong
		}
		now := k.now()
		b.IssuedAt = &now

		return k.bols.Step(ctx, b, state.Move{Verb: string(verbIssue)})
	})
}

// void ends a bill of lading before it is signed at the delivery.
func (k *book) void(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (b bol, err error) {
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		b, err = k.bols.Change(ctx, id, match, verbVoid, func(ctx context.Context, b *bol) error {
			if b.State == deliverySigned || b.State == closed {
				return errSigned
			}
			b.VoidReason = why

			return k.bols.Step(ctx, b, state.Move{Verb: string(verbVoid), Reason: why})
		})
		if err != nil {
			return err
		}
		_, err = k.links.RevokeAll(ctx, signing, link.Subject{Type: billsofladingapi.BOL, ID: id})

		return err
	})

	return b, err
}

// replace voids a bill of lading, and makes another one of the same vehicles as the load has them now.
func (k *book) replace(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (b bol, err error) {
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		if b, err = k.bols.Find(ctx, id); err != nil {
			return err
		}
		of, err := k.standings.Held(ctx, b.Load.String())
		if err != nil {
			return err
		}
		if b, err = k.void(ctx, id, match, why); err != nil {
			return err
		}
		if err := k.reconcile(ctx, of); err != nil {
			return err
		}
		all, err := k.rows.live(ctx, b.Load)
		if err != nil {
			return err
		}
		for _, made := range all {
			if made.PickupStop != b.PickupStop || made.DeliveryStop != b.DeliveryStop {
				continue
			}
			if _, err := k.bols.Change(ctx, made.ID, web.IfMatch{}, resource.Update, func(_ context.Context, made *bol) error {
				made.Replaces, made.Dispatch = &b.ID, b.Dispatch

				return nil
			}); err != nil {
				return err
			}
		}

		return nil
	})

	return b, err
}

// amend adds to what was signed.
func (k *book) amend(ctx context.Context, id uuid.UUID, match web.IfMatch, text, why string) (bol, error) {
	return k.bols.Change(ctx, id, match, verbAmend, func(ctx context.Context, b *bol) error {
		if b.State == voided {
			return errVoid
		}
		b.Amendments.V = append(slices.Clone(b.Amendments.V), amendment{k.now(), principal.UserOf(ctx), strings.TrimSpace(text), strings.TrimSpace(why)})

		return nil
	})
}

// onRecording adds the bills of lading that are issued to the record of a transaction.
func (k *book) onRecording(ctx context.Context, r *loadsapi.Recording) error {
	all, err := k.rows.issued(ctx, item.ID(r.Load))
	for _, b := range all {
		bill := loadsapi.Bill{Number: b.Number, Carrier: b.CarrierID.String(), Files: map[string]string{}, Delivered: b.State == deliverySigned || b.State == closed || b.State == transferred}
		for at, file := range map[stage]*uuid.UUID{atPickup: b.PickupFile, atDelivery: b.DeliveryFile} {
			if file != nil {
				bill.Files[string(at)] = file.String()
			}
		}
		r.Bills = append(r.Bills, bill)
	}

	return err
}

// onLinkingDriver makes a link by which the driver of a carrier inspects and signs, as long as there is something to sign.
func (k *book) onLinkingDriver(ctx context.Context, asked *dispatchesapi.LinkingDriver) error {
	given, err := k.giveDriver(ctx, item.ID(asked.Load))
	if errors.Is(err, errNobody) {
		return nil
	}
	if err != nil {
		return err
	}
	made, err := k.given.Give(ctx, given, share.Create{})
	asked.URL = made.URL

	return err
}

// The events that bills of lading follow.
func (k *book) onCovered(ctx context.Context, e loadsapi.Covered) error { return k.follow(ctx, e.Load) }

func (k *book) onUncovered(ctx context.Context, e loadsapi.Uncovered) error {
	return k.follow(ctx, e.Load)
}

func (k *book) onUpdated(ctx context.Context, e loadsapi.Updated) error { return k.follow(ctx, e.Load) }

func (k *book) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return k.follow(ctx, e.Load)
}

// onAccepted has the bills of lading of a load name its dispatch.
func (k *book) onAccepted(ctx context.Context, e dispatchesapi.Accepted) error {
	if err := k.follow(ctx, e.Load); err != nil {
		return err
	}
	all, err := k.rows.live(ctx, item.ID(e.Load))
	if err != nil {
		return err
	}
	id := item.ID(e.Dispatch)
	for _, b := range all {
		if b.Dispatch != nil || b.CarrierID.String() != e.Carrier {
			continue
		}
		if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verbName, func(_ context.Context, b *bol) error {
			b.Dispatch = &id

			return nil
		}); err != nil {
			return err
		}
	}

	return nil
}
