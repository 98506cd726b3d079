package dispatches

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// crew is who comes for a load.
type crew struct {
	DriverName  string      `json:"driver_name,omitempty" maxLength:"200"`
	DriverPhone field.Phone `json:"driver_phone,omitempty"`
	Truck       string      `json:"truck,omitempty" maxLength:"100" doc:"Its number, and what helps to find it."`
	TruckPlate  string      `json:"truck_plate,omitempty" maxLength:"20"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (crew) SchemaName() string { return "DispatchCrew" }

// on puts a crew on a dispatch; what is empty stays.
func (c crew) on(d *dispatch) {
	d.DriverName, d.DriverPhone = cmp.Or(c.DriverName, d.DriverName), cmp.Or(c.DriverPhone, d.DriverPhone)
	d.Truck, d.TruckPlate = cmp.Or(c.Truck, d.Truck), cmp.Or(c.TruckPlate, d.TruckPlate)
}

// accept accepts an offer: its carrier has the load, there is a dispatch, and the other offers for the load end, all in one transaction. It is decided on
// the load and the offer as they are held. Whoever comes second finds the load taken. What was accepted already stays accepted. A carrier that accepts
// too late is kept as a late response.
func (d *desk) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, s said, who crew) (o offer, err error) {
	var load uuid.UUID
	stale := false
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		held, err := d.hold(ctx, id)
		if err != nil {
			return err
		}
		of, free := held.of, held.free
		o = held.offer
		load, stale = o.Load, false
		if o.State == accepted {
			return o.acceptedAs(s)
		}
		if err := match.Check(o.Version); err != nil {
			return err
		}
		if err := d.acceptable(ctx, o, of, s); err != nil {
			return err
		}
		if free != nil {
			return free
		}
		if s.Party == carrier {
			err = d.sameAsShown(ctx, o, s)
			stale = errors.Is(err, errTerms)
		} else if err = named(match, s.Shown); err == nil {
			err = d.agreedByCarrier(ctx, o)
		}
		if err != nil {
			return err
		}
		agreed := o
		agreed.stands(s)
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		if wrong := can.check(agreed.days(), o.days(), s.Party == carrier); len(wrong.Fields) > 0 {
			return wrong
		}
		made, err := d.take(ctx, of, taking{
			to: agreed.Carrier, pay: cmp.Or(string(agreed.Amount), of.CarrierPay), note: "Offer " + o.Number + " was accepted.", reason: s.Note, party: s.Party,
		}, dispatch{
			Offer: &o.ID, PickupDate: agreed.PickupDate, DeliveryDate: agreed.DeliveryDate, AcceptedBy: s.Name, AcceptedFrom: s.Address,
		}, who)
		if err != nil {
			return err
		}
		o, err = d.offers.Change(ctx, id, match, verbAccept, func(ctx context.Context, o *offer) error {
			o.stands(s)
			s.Amount, s.Pickup, s.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
			o.note(ctx, string(verbAccept), s, d.now())
			o.Turn, o.Dispatch, o.AnsweredBy = "", &made.ID, cmp.Or(s.Name, o.AnsweredBy)
			o.Warnings = warningsOf(of, o.PickupDate)

			return d.offers.Step(ctx, o, state.Move{Verb: string(verbAccept), Reason: s.Note, Party: s.Party})
		})
		if err != nil {
			return err
		}

		return d.supersede(ctx, o.Load, o.ID, "Another carrier has the load.")
	})
	switch {
	case stale && errors.Is(err, errTerms):
		return o, d.showAgain(ctx, load, err)
	case errors.Is(err, errExpired) && s.Party == carrier:
		if late := d.late(ctx, id, s); late != nil {
			return o, late
		}
	}

	return o, err
}

// acceptedAs refuses to accept an offer again that was accepted at other terms than those that were shown.
func (o offer) acceptedAs(s said) error {
	i := slices.IndexFunc(o.Said.V, func(e entry) bool { return e.Type == string(verbAccept) })
	if s.Key == "" && s.Shown != 0 && s.Shown < i {
		return errTerms.WithMessage("The offer was accepted at other terms in the meantime. Look at it again.").WithDetail("fields", o.changedSince(s.Shown))
	}

	return nil
}

// acceptable refuses what answerable refuses, but that the company accepts for a carrier that has agreed otherwise, such as on the phone or after the offer
// has expired. A carrier that answers by a link has proved who it is.
func (d *desk) acceptable(ctx context.Context, o offer, of loadsapi.Standing, s said) error {
	ended := o.ended(d.now())
	if s.Party == carrier {
		if ended == nil && carried(of) {
			ended = errTaken // the offer ends in a moment
		}
		if ended != nil {
			return ended
		}
		if err := (gate{d}).pass(ctx, o); err != nil {
			return err
		}
	}
	err := d.answerable(o, s)
	if s.Party == broker && (errors.Is(err, errTurn) || errors.Is(err, errExpired) && o.LateAt != nil) {
		if s.Shown != 0 && s.Shown != len(o.Said.V) {
			return errTerms.WithDetail("fields", o.changedSince(s.Shown))
		}

		return nil
	}

	return err
}

// late keeps that a carrier has accepted an offer after it expired: one that has proved who it is, and that has seen what there is now.
func (d *desk) late(ctx context.Context, id uuid.UUID, s said) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		held, err := d.hold(ctx, id)
		if err != nil {
			return err
		}
		was := held.offer
		now := d.now()
		if was.LateAt != nil || was.State != expired && !was.open() || was.ExpiresAt == nil || now.Sub(*was.ExpiresAt) > lateLife {
			return nil
		}
		if s.Key == "" && s.Shown != len(was.Said.V) && s.Shown != was.answered() {
			return nil
		}
		if err := (gate{d}).pass(ctx, was); err != nil {
			return refusedIsDone(err)
		}
		if err := d.sameAsShown(ctx, was, s); err != nil {
			return refusedIsDone(err)
		}
		_, err = d.offers.Change(ctx, id, web.IfMatch{}, verbLate, func(ctx context.Context, o *offer) error {
			o.LateAt, o.AnsweredBy = &now, cmp.Or(s.Name, o.AnsweredBy)
			o.note(ctx, "late_response", s, now)

			return nil
		})

		return err
	})
}

// answered is how many transactions an offer had before it expired.
func (o offer) answered() int {
	if n := len(o.Said.V); n > 0 && o.Said.V[n-1].Type == string(verbExpire) {
		return n - 1
	}

	return len(o.Said.V)
}

// taking is to whom a load is given, and for what. The reason is that of the user who gives it although the customer has not signed its changes.
type taking struct {
	to                       uuid.UUID
	pay, note, reason, party string
}

// take gives a load to a carrier, and makes the dispatch.
func (d *desk) take(ctx context.Context, of loadsapi.Standing, t taking, made dispatch, who crew) (dispatch, error) {
	if err := d.takenBack(ctx, item.ID(of.Load)); err != nil {
		return made, err
	}
	about := dispatchesapi.Accepting{Load: of.Load, Carrier: t.to.String(), CarrierPay: t.pay, Currency: of.Currency, Party: t.party}
	if err := hook.Run(ctx, d.hooks, &about); err != nil {
		return made, err
	}
	if err := d.coverage.Cover(ctx, of.Load, loadsapi.Cover{
		Carrier: about.Carrier, CarrierPay: t.pay, Note: t.note, Party: t.party, Override: strings.TrimSpace(t.reason),
	}); err != nil {
		return made, err
	}

	return d.begin(ctx, of.Load, made, who)
}

// begin makes the dispatch of a load that a carrier has just got.
func (d *desk) begin(ctx context.Context, load string, made dispatch, who crew) (dispatch, error) {
	of, err := d.coverage.Standing(ctx, load)
	if err != nil {
		return made, err
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return made, err
	}
	seen, err := d.coverage.Seen(ctx, load, loadsapi.Carrier)
	if err != nil {
		return made, err
	}
	made.Load, made.Carrier = item.ID(load), item.ID(of.Carrier)
	reach, err := d.carriers.Reach(ctx, of.Carrier, carriersapi.Dispatch)
	if err != nil {
		return made, err
	}
	before, err := d.rows.ended(ctx, made.Load)
	if err != nil {
		return made, err
	}
	if len(before) > 0 {
		made.Replaces = &before[0].ID
	}
	now := d.now()
	made.CarrierPay, made.Currency, made.Revision, made.AcceptedRevision, made.Snapshot = money.Amount(of.CarrierPay), money.Currency(of.Currency), 1, 1, rawjson.Object(seen)
	made.Terms, made.AcceptedAt, made.AcceptedPay = terms.Now.Terms, &now, made.CarrierPay
	made.ContactName, made.ContactPhone, made.ContactEmail = reach.Name, field.Phone(cmp.Or(reach.Call, reach.SMS)), field.Email(reach.Email)
	who.on(&made)
	made.Warnings = warningsOf(of, made.PickupDate)

	return d.dispatches.Create(ctx, made)
}
