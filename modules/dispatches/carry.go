package dispatches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// decide has the terms of a dispatch have a revision, and its days be such as can be agreed.
func (d *desk) decide(ctx context.Context, all []*resource.Change[dispatch]) error {
	for _, c := range all {
		if c.Before == nil {
			c.After.Overdue = notOverdue
		}
		if c.Verb == resource.Delete || c.Before == nil {
			continue
		}
		if err := d.checkDays(ctx, c); err != nil {
			return err
		}
		if c.Verb == verbSettle {
			if err := newRevisions(d).settle(ctx, c.After); err != nil {
				return err
			}
		}
		was, now := c.Before, c.After
		if was.PickupDate != now.PickupDate || was.DeliveryDate != now.DeliveryDate || was.CarrierPay != now.CarrierPay || !bytes.Equal(was.Snapshot, now.Snapshot) {
			now.Revision = was.Revision + 1
		}
		if c.Verb != verbOverdue && now.catchesUp(*was) {
			now.Overdue = notOverdue
		}
	}

	return nil
}

// holding returns a dispatch, and holds its load first, as those do who follow the load: so nobody waits for each other.
func (d *desk) holding(ctx context.Context, id uuid.UUID) (dispatch, error) {
	row, err := d.dispatches.Find(ctx, id)
	if err != nil {
		return row, err
	}
	of, err := d.coverage.Held(ctx, row.Load.String())
	if err != nil {
		return row, err
	}
	if row.lags(of) {
		if err := d.reconcile(principal.AsCompany(ctx, principal.CompanyOf(ctx)), row.Load.String(), of); err != nil {
			return row, err
		}
	}

	return d.dispatches.Find(ctx, id)
}

// lags reports whether the load was picked up, delivered or reopened, and its event has yet to reach the dispatch.
func (d dispatch) lags(of loadsapi.Standing) bool {
	switch of.State {
	case loadsapi.PickedUp:
		return d.State == assigned || d.State == delivered
	case loadsapi.Delivered, loadsapi.Completed:
		return d.State == assigned || d.State == pickedUp
	default:
		return false
	}
}

// moved is what somebody says of a dispatch.
type moved struct {
	At          time.Time
	Note, Party string
}

// move says that the vehicles of a dispatch were picked up or delivered. The load follows. What is known already changes nothing.
func (d *desk) move(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, m moved) (row dispatch, err error) {
	now := d.now()
	if m.At.After(now.Add(time.Minute)) {
		return row, errDispatch.WithField("at", "`at` must not be in the future.")
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
		if verb == verbPickUp {
			return d.coverage.PickUp(ctx, row.Load.String(), said)
		}

		return d.coverage.Deliver(ctx, row.Load.String(), said)
	})

	return row, err
}

// movable refuses to move the vehicles of a carrier that no longer has the load, or to deliver them before they were picked up.
func (d *desk) movable(ctx context.Context, row dispatch, verb resource.Verb, at time.Time, note string) error {
	if passed(row.State, verbDeliver) || !row.live() {
		return nil
	}
	of, err := d.coverage.Standing(ctx, row.Load.String())
	switch {
	case err != nil:
		return err
	case !carried(of) || !row.of(of):
		return errTakenBack
	case row.State == assigned && note == "" && row.cut(of):
		return row.unconfirmed()
	case verb == verbDeliver && row.PickedUpAt != nil && at.Before(*row.PickedUpAt):
		return errDispatch.WithField("at", "`at` must not be before the pickup.")
	}

	return nil
}

// of reports whether a dispatch is the one by which its load stands with a carrier, and not with the same one before.
func (d dispatch) of(s loadsapi.Standing) bool {
	return s.Carrier == d.Carrier.String() && (d.AcceptedAt == nil || !d.AcceptedAt.Before(s.Since))
}

// carried reports whether somebody has a load, or has carried it.
func carried(of loadsapi.Standing) bool {
	return of.State == loadsapi.Dispatched || of.State == loadsapi.PickedUp || of.State == loadsapi.Delivered || of.State == loadsapi.Completed
}

// advance has a dispatch itself be picked up or delivered at a time, in a transaction.
func (d *desk) advance(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, at time.Time, m moved) (dispatch, error) {
	return d.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *dispatch) error {
		if row.PickedUpAt == nil && row.State == assigned {
			row.PickedUpAt = &at
		}
		if verb == verbDeliver && row.DeliveredAt == nil {
			row.DeliveredAt = &at
		}
		if passed(row.State, verb) {
			return nil
		}

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: m.Note, Party: m.Party})
	})
}

// passed reports whether what a verb says is known already.
func passed(now course, verb resource.Verb) bool {
	return now == settled || now == delivered || now == pickedUp && verb == verbPickUp
}

// cancel takes a load from its carrier, which gives it back or from which the company takes it.
func (d *desk) cancel(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why, note string) (row dispatch, err error) {
	party := broker
	if verb == verbCarrierCancel {
		party = carrier
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	known, there := terms.Now.reason(why)
	if !there {
		return row, errDispatch.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, id); err != nil {
			return err
		}
		if !row.live() {
			return row.endedBy(verb)
		}
		if row.State != assigned {
			return errLoaded
		}
		if row, err = d.close(ctx, id, match, verb, known, note, party); err != nil {
			return err
		}
		if err := d.coverage.Uncover(ctx, row.Load.String(), loadsapi.Moved{Note: known.Label, Party: party}); err != nil {
			return err
		}
		if party != carrier && known.Responsible != carrier {
			return nil
		}

		return d.bounced(ctx, row, known)
	})

	return row, err
}

// endedBy is nil for a dispatch that a verb has ended before: saying that again changes nothing. One that was ended otherwise stays so.
func (d dispatch) endedBy(verb resource.Verb) error {
	ended := map[resource.Verb]course{verbCarrierCancel: cancelledByCarrier, verbCancel: cancelledByBroker, verbAbandon: cancelledByBroker}[verb]
	if d.State == ended && (verb == verbAbandon) == (d.PickedUpAt != nil) {
		return nil
	}
	who := "by the company"
	if d.State == cancelledByCarrier {
		who = "by the carrier"
	}

	return errEnded.WithMessage("The dispatch was canceled %s already, and stays so.", who).WithDetail("state", d.State)
}

// abandon takes the vehicles from a carrier that does not carry them any further. They wait at another place for the next one.
func (d *desk) abandon(ctx context.Context, in *abandonInput) (row dispatch, err error) {
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	b := in.Body
	known, there := terms.Now.reason(b.Reason)
	if !there {
		return row, errDispatch.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = d.holding(ctx, in.UUID); err != nil {
			return err
		}
		if !row.live() {
			return row.endedBy(verbAbandon)
		}
		if row.State != pickedUp {
			return loadsapi.ErrNotOnBoard
		}
		if row, err = d.close(ctx, in.UUID, in.IfMatch, verbAbandon, known, strings.TrimSpace(b.Note), broker); err != nil {
			return err
		}
		if err := d.coverage.HandOver(ctx, row.Load.String(), loadsapi.HandOver{
			Name: b.Place.Name, Line1: b.Place.Line1, City: b.Place.City, State: b.Place.State, PostalCode: b.Place.PostalCode, Contact: b.Place.Contact, Phone: string(b.Place.Phone),
			Note: cmp.Or(b.Note, known.Label), Party: broker,
		}); err != nil {
			return ofPlace(err)
		}
		if known.Responsible != carrier {
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
	named := errDispatch
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
func (d *desk) close(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why reason, note, party string) (dispatch, error) {
	row, err := d.dispatches.Change(ctx, id, match, verb, func(ctx context.Context, row *dispatch) error {
		now := d.now()
		row.EndedAt, row.EndReason, row.EndNote, row.Responsible = &now, why.ID, note, why.Responsible

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verb), Reason: cmp.Or(note, why.Label), Party: party})
	})
	if err != nil {
		return row, err
	}

	return row, d.bus.Publish(ctx, dispatchesapi.Cancelled{About: row.about(), By: party, Reason: row.EndReason})
}

// bounced keeps that a carrier has given a load back.
func (d *desk) bounced(ctx context.Context, row dispatch, why reason) error {
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

	return d.bus.Publish(ctx, dispatchesapi.Bounced{About: row.about()})
}

// follow has the dispatch of a load follow what was done to the load itself. It is called for each such event, in any order and perhaps twice, so it
// looks at how the load stands now.
func (d *desk) follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		of, err := d.coverage.Held(ctx, load)
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
	row, err := d.rows.live(ctx, id)
	has := err == nil
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	carried := carried(of)
	if !carried && of.State != loadsapi.Archived && has || carried && has && !row.of(of) {
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
		if row, err = d.begin(ctx, load, dispatch{}, crew{}); err != nil {
			return refusedIsDone(err)
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
	row, err := d.rows.live(ctx, load)
	if err == nil {
		_, err = d.close(principal.AsCompany(ctx, principal.CompanyOf(ctx)), row.ID, web.IfMatch{}, verbTakeBack, reason{}, "The load was taken back.", broker)
	}
	if errors.Is(err, errNone) {
		return nil
	}

	return err
}

// refusedIsDone is nil for a refusal: there is nothing to do any more, as somebody else was quicker.
func refusedIsDone(err error) error {
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// catchUp has a dispatch be as far as its load, and have the terms that the carrier sees now.
func (d *desk) catchUp(ctx context.Context, row dispatch, of loadsapi.Standing) error {
	seen, err := d.coverage.Seen(ctx, of.Load, loadsapi.Carrier)
	if err != nil {
		return err
	}
	if row.State != settled && row.revised(of, seen) {
		if row, err = d.dispatches.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *dispatch) error {
			row.takeTerms(of, seen)

			return nil
		}); err != nil {
			return err
		}
	}
	verb := verbPickUp
	switch of.State {
	case loadsapi.Dispatched:
		return d.putBack(ctx, row)
	case loadsapi.PickedUp:
		if row.State == delivered {
			return d.reopen(ctx, row)
		}
	case loadsapi.Delivered, loadsapi.Completed:
		verb = verbDeliver
	default:
		return nil
	}
	if passed(row.State, verb) {
		return nil
	}
	// The vehicles stay where the load has them: some may wait for their pickup still.
	_, err = d.advance(ctx, row.ID, web.IfMatch{}, verb, d.now(), moved{Note: "The load says so.", Party: broker})

	return err
}

// putBack has a dispatch be accepted again whose vehicles were put back, all of them.
func (d *desk) putBack(ctx context.Context, row dispatch) error {
	if row.State != pickedUp {
		return nil
	}
	_, err := d.dispatches.Change(ctx, row.ID, web.IfMatch{}, verbPutBack, func(ctx context.Context, row *dispatch) error {
		row.PickedUpAt = nil

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verbPutBack), Reason: "The vehicles were put back.", Party: broker})
	})

	return err
}

// reopen has a dispatch be picked up again whose load was not delivered after all. One that is settled stays so.
func (d *desk) reopen(ctx context.Context, row dispatch) error {
	_, err := d.dispatches.Change(ctx, row.ID, web.IfMatch{}, verbReopen, func(ctx context.Context, row *dispatch) error {
		row.DeliveredAt = nil

		return d.dispatches.Step(ctx, row, state.Move{Verb: string(verbReopen), Reason: "The load was reopened.", Party: broker})
	})

	return err
}

// termsOf are what a carrier has agreed to, of a load as it sees it, in a form that can be compared. What becomes of the load on its way is none
// of it.
func termsOf(seen []byte) string {
	var l struct {
		Transport  string `json:"transport_type"`
		Inspection string `json:"inspection_type"`
		Stops      []struct {
			Kind   string          `json:"kind"`
			Venue  json.RawMessage `json:"venue"`
			Window json.RawMessage `json:"window"`
		} `json:"stops"`
		Vehicles []struct {
			UUID     string `json:"uuid"`
			VIN      string `json:"vin"`
			Make     string `json:"make"`
			Model    string `json:"model"`
			Operable *bool  `json:"operable"`
			Pay      string `json:"carrier_pay"`
		} `json:"vehicles"`
		Plan         json.RawMessage `json:"payment_plan"`
		Instructions string          `json:"instructions_carrier"`
	}
	if json.Unmarshal(seen, &l) != nil {
		return ""
	}
	text, err := json.Marshal(l)
	if err != nil {
		return ""
	}
	normal, err := rawjson.Normal(text)
	if err != nil {
		return ""
	}

	return string(normal)
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
