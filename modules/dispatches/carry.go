package dispatches

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// decide has the terms of a dispatch have a revision, and its days be such as can be agreed.
func (d *desk) decide(ctx context.Context, all []*resource.Change[store.Dispatch]) error {
	for _, c := range all {
		if c.Before == nil {
			c.After.Overdue = store.NotOverdue
		}
		if c.Verb == resource.Delete || c.Before == nil {
			continue
		}
		if err := d.checkDays(ctx, c); err != nil {
			return err
		}
		if c.Verb == store.VerbSettle {
			if err := newRevisions(d).settle(ctx, c.After); err != nil {
				return err
			}
		}
		was, now := c.Before, c.After
		if was.PickupDate != now.PickupDate || was.DeliveryDate != now.DeliveryDate || was.CarrierPay != now.CarrierPay || !bytes.Equal(was.Snapshot, now.Snapshot) {
			now.Revision = was.Revision + 1
		}
		if c.Verb != store.VerbOverdue && now.CatchesUp(*was) {
			now.Overdue = store.NotOverdue
		}
	}

	return nil
}

// holding returns a dispatch, and holds its load first, as those do who follow the load: so nobody waits for each other.
func (d *desk) holding(ctx context.Context, id uuid.UUID) (store.Dispatch, error) {
	row, err := d.dispatches.Find(ctx, id)
	if err != nil {
		return row, err
	}
	of, err := d.standings.Held(ctx, row.Load.String())
	if err != nil {
		return row, err
	}
	if row.LagsBehind(of) {
		if err := d.reconcile(principal.AsCompany(ctx, principal.CompanyOf(ctx)), row.Load.String(), of); err != nil {
			return row, err
		}
	}

	return d.dispatches.Find(ctx, id)
}

// moved is what somebody says of a dispatch.
type moved struct {
	At          time.Time
	Note, Party string
}

// move says that the vehicles of a dispatch were picked up or delivered. The load follows. What is known already changes nothing.
func (d *desk) move(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, m moved) (row store.Dispatch, err error) {
	now := d.now()
	if m.At.After(now.Add(time.Minute)) {
		return row, store.ErrInvalidDispatch.WithField("at", "`at` must not be in the future.")
	}
	at := clock.Stamp(cmp.Or(m.At, now))
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, id); err != nil {
			return err
		}
		if err := d.movable(ctx, row, verb, at, strings.TrimSpace(m.Note)); err != nil {
			return err
		}
		if row, err = d.advance(ctx, id, match, verb, at, m); err != nil {
			return err
		}
		said := loadsapi.Moved{At: at, Note: m.Note, Party: m.Party}
		if verb == store.VerbPickUp {
			return d.carriage.PickUp(ctx, row.Load.String(), said)
		}

		return d.carriage.Deliver(ctx, row.Load.String(), said)
	})

	return row, err
}

// movable refuses to move the vehicles of a carrier that no longer has the load, or to deliver them before they were picked up.
func (d *desk) movable(ctx context.Context, row store.Dispatch, verb resource.Verb, at time.Time, note string) error {
	if store.HasPassed(row.State, store.VerbDeliver) || !row.IsLive() {
		return nil
	}
	of, err := d.standings.Standing(ctx, row.Load.String())
	switch {
	case err != nil:
		return err
	case !store.IsCarried(of) || !row.Matches(of):
		return store.ErrTakenBack
	case row.State == store.Assigned && note == "" && row.IsPayCut(of):
		return row.Unconfirmed()
	case verb == store.VerbDeliver && row.PickedUpAt != nil && at.Before(*row.PickedUpAt):
		return store.ErrInvalidDispatch.WithField("at", "`at` must not be before the pickup.")
	}

	return nil
}

// advance has a dispatch itself be picked up or delivered at a time, in a transaction.
func (d *desk) advance(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, at time.Time, m moved) (store.Dispatch, error) {
	return d.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *store.Dispatch) error {
		if row.PickedUpAt == nil && row.State == store.Assigned {
			row.PickedUpAt = &at
		}
		if verb == store.VerbDeliver && row.DeliveredAt == nil {
			row.DeliveredAt = &at
		}
		if store.HasPassed(row.State, verb) {
			return nil
		}

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: m.Note, Party: m.Party})
	})
}

// cancel takes a load from its carrier, which gives it back or from which the company takes it.
func (d *desk) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why, note string) (row store.Dispatch, err error) {
	party := store.Broker
	if verb == store.VerbCarrierCancel {
		party = store.Carrier
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	known, there := terms.Now.CancelReason(why)
	if !there {
		return row, store.ErrInvalidDispatch.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, id); err != nil {
			return err
		}
		if !row.IsLive() {
			return row.CheckEndedBy(verb)
		}
		if row.State != store.Assigned {
			return store.ErrLoaded
		}
		if row, err = d.close(ctx, id, match, verb, known, note, party); err != nil {
			return err
		}
		if err := d.coverage.Uncover(ctx, row.Load.String(), loadsapi.Moved{Note: known.Label, Party: party}); err != nil {
			return err
		}
		if party != store.Carrier && known.Responsible != store.Carrier {
			return nil
		}

		return d.bounced(ctx, row, known)
	})

	return row, err
}

// abandon takes the vehicles from a carrier that does not carry them any further. They wait at another place for the next one.
func (d *desk) abandon(ctx context.Context, in *abandonInput) (row store.Dispatch, err error) {
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	b := in.Body
	known, there := terms.Now.CancelReason(b.Reason)
	if !there {
		return row, store.ErrInvalidDispatch.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, in.UUID); err != nil {
			return err
		}
		if !row.IsLive() {
			return row.CheckEndedBy(store.VerbAbandon)
		}
		if row.State != store.PickedUp {
			return loadsapi.ErrNotOnBoard
		}
		if row, err = d.close(ctx, in.UUID, in.IfMatch, store.VerbAbandon, known, strings.TrimSpace(b.Note), store.Broker); err != nil {
			return err
		}
		if err := d.carriage.HandOver(ctx, row.Load.String(), loadsapi.HandOver{
			Name: b.Place.Name, Line1: b.Place.Line1, City: b.Place.City, State: b.Place.State, PostalCode: b.Place.PostalCode, Contact: b.Place.Contact, Phone: string(b.Place.Phone),
			Note: cmp.Or(b.Note, known.Label), Party: store.Broker,
		}); err != nil {
			return ofPlace(err)
		}
		if known.Responsible != store.Carrier {
			return nil
		}

		return d.bounced(ctx, row, known)
	})

	return row, err
}

// ofPlace is what is wrong with a stop of the load as what is wrong with the place that was to be one.
func ofPlace(err error) error {
	wrong, ok := errors.AsType[*errs.Error](err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	named := store.ErrInvalidDispatch
	for name, texts := range wrong.Fields {
		if _, part, isVenue := strings.Cut(name, ".venue."); isVenue {
			name = "place." + part
		}
		for _, text := range texts {
			named = named.WithField(name, text)
		}
	}

	return named
}

// close ends a dispatch, in a transaction.
func (d *desk) close(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why preferences.Reason, note, party string) (store.Dispatch, error) {
	row, err := d.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *store.Dispatch) error {
		now := d.now()
		row.EndedAt, row.EndReason, row.EndNote, row.Responsible = &now, why.ID, note, why.Responsible

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: cmp.Or(note, why.Label), Party: party})
	})
	if err != nil {
		return row, err
	}

	return row, d.bus.Publish(ctx, dispatchesapi.Cancelled{About: row.About(), By: party, Reason: row.EndReason})
}

// bounced keeps that a carrier has given a load back.
func (d *desk) bounced(ctx context.Context, row store.Dispatch, why preferences.Reason) error {
	kind := "bounce"
	if why.ID == "no_show" {
		kind = "no_show"
	}
	if _, err := d.incidents.Report(ctx, carriersapi.Report{
		Area: dispatchesapi.Area, Key: row.ID.String(), Carrier: row.Carrier.String(), Kind: kind, Title: "Dispatch " + row.Number + ": " + why.Label,
		Description: row.EndNote, ItemType: dispatchesapi.Dispatch, ItemUUID: row.ID.String(),
	}); err != nil {
		return err
	}

	return d.bus.Publish(ctx, dispatchesapi.Bounced{About: row.About()})
}

// follow has the dispatch of a load follow what was done to the load itself. It is called for each such event, in any order and perhaps twice, so it
// looks at how the load stands now.
func (d *desk) follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		of, err := d.standings.Held(ctx, load)
		if err != nil {
			return err
		}

		return d.reconcile(ctx, load, of)
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// reconcile has the dispatch of a load, which is held, be as the load stands.
func (d *desk) reconcile(ctx context.Context, load string, of loadsapi.Standing) error {
	id := item.ID(load)
	row, err := d.rows.LiveDispatch(ctx, id)
	has := err == nil
	if err != nil && !errors.Is(err, store.ErrNone) {
		return err
	}
	carried := store.IsCarried(of)
	if !carried && of.State != loadsapi.Archived && has || carried && has && !row.Matches(of) {
		if err := d.takenBack(ctx, id); err != nil {
			return err
		}
		has = false
	}
	if of.State != loadsapi.Ready {
		if err := d.supersede(ctx, id, uuid.Nil, "The load is no longer offered."); err != nil {
			return err
		}
	}
	if of.State == loadsapi.Ready {
		if err := (reviser{d}).revise(ctx, id); err != nil {
			return err
		}
	}
	if carried && !has && of.Carrier != "" {
		if row, err = d.begin(ctx, load, store.Dispatch{}, store.Crew{}); err != nil {
			return store.IgnoreRefusal(err)
		}
		has = true
	}
	if !has || !carried {
		return nil
	}

	return d.catchUp(ctx, row, of)
}

// takenBack ends the dispatch of a load that was taken from its carrier, if it has not followed yet, as the service itself.
func (d *desk) takenBack(ctx context.Context, load uuid.UUID) error {
	row, err := d.rows.LiveDispatch(ctx, load)
	if err == nil {
		_, err = d.close(principal.AsCompany(ctx, principal.CompanyOf(ctx)), row.ID, web.IfMatch{}, store.VerbTakeBack, preferences.Reason{}, "The load was taken back.", store.Broker)
	}
	if errors.Is(err, store.ErrNone) {
		return nil
	}

	return err
}

// catchUp has a dispatch be as far as its load, and have the terms that the carrier sees now.
func (d *desk) catchUp(ctx context.Context, row store.Dispatch, of loadsapi.Standing) error {
	seen, err := d.views.Carrier(ctx, of.Load)
	if err != nil {
		return err
	}
	if row.State != store.Settled && row.HasOtherTerms(of, seen.JSON) {
		if row, err = d.dispatches.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Dispatch) error {
			row.TakeTerms(of, seen.JSON)

			return nil
		}); err != nil {
			return err
		}
	}
	verb := store.VerbPickUp
	switch of.State {
	case loadsapi.Dispatched:
		return d.putBack(ctx, row)
	case loadsapi.PickedUp:
		if row.State == store.Delivered {
			return d.reopen(ctx, row)
		}
	case loadsapi.Delivered, loadsapi.Completed:
		verb = store.VerbDeliver
	default:
		return nil
	}
	if store.HasPassed(row.State, verb) {
		return nil
	}
	// The vehicles stay where the load has them: some may wait for their pickup still.
	_, err = d.advance(ctx, row.ID, web.IfMatch{}, verb, d.now(), moved{Note: "The load says so.", Party: store.Broker})

	return err
}

// putBack has a dispatch be accepted again whose vehicles were put back, all of them.
func (d *desk) putBack(ctx context.Context, row store.Dispatch) error {
	if row.State != store.PickedUp {
		return nil
	}
	_, err := d.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbPutBack, func(ctx context.Context, row *store.Dispatch) error {
		row.PickedUpAt = nil

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(store.VerbPutBack), Reason: "The vehicles were put back.", Party: store.Broker})
	})

	return err
}

// reopen has a dispatch be picked up again whose load was not delivered after all. One that is settled stays so.
func (d *desk) reopen(ctx context.Context, row store.Dispatch) error {
	_, err := d.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbReopen, func(ctx context.Context, row *store.Dispatch) error {
		row.DeliveredAt = nil

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(store.VerbReopen), Reason: "The load was reopened.", Party: store.Broker})
	})

	return err
}

// The events of loads that dispatches follow.
func (d *desk) onCovered(ctx context.Context, e loadsapi.Covered) error { return d.follow(ctx, e.Load) }

func (d *desk) onUncovered(ctx context.Context, e loadsapi.Uncovered) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onUpdated(ctx context.Context, e loadsapi.Updated) error { return d.follow(ctx, e.Load) }

func (d *desk) onVehicleRemoved(ctx context.Context, e loadsapi.VehicleRemoved) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onPickedUp(ctx context.Context, e loadsapi.PickedUpEvent) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onReopened(ctx context.Context, e loadsapi.Reopened) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onDelivered(ctx context.Context, e loadsapi.DeliveredEvent) error {
	return d.follow(ctx, e.Load)
}

func (d *desk) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return d.follow(ctx, e.Load)
}
