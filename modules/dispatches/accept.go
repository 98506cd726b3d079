package dispatches

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
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

// accept accepts an offer: its carrier has the load, there is a dispatch, and the other offers for the load end, all in one transaction. Whoever
// comes second finds the load taken. What was accepted already stays accepted. A carrier that accepts too late is kept as a late response.
func (d *desk) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, s said, who crew) (o offer, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if o, err = d.offers.Find(ctx, id); err != nil {
			return err
		}
		of, free := d.coverage.ForCarrier(ctx, o.Load.String()) // who comes second waits here
		if free != nil && !errs.IsRefusal(free) {
			return free
		}
		if o, err = d.offers.Find(ctx, id); err != nil || o.State == accepted {
			return err
		}
		if err := acceptable(d, o, s); err != nil {
			return err
		}
		if free != nil {
			return free
		}
		agreed := o
		agreed.stands(s)
		can, err := daysOf(ctx, d, of)
		if err != nil {
			return err
		}
		if wrong := can.check(agreed.days(), o.days(), s.Party == carrier); len(wrong.Fields) > 0 {
			return wrong
		}
		made, err := d.take(ctx, of, agreed.Carrier, cmp.Or(string(agreed.Amount), of.CarrierPay), dispatch{
			Offer: &o.ID, PickupDate: agreed.PickupDate, DeliveryDate: agreed.DeliveryDate, AcceptedBy: s.Name, AcceptedFrom: s.Address,
		}, who, "Offer "+o.Number+" was accepted.", s.Party)
		if err != nil {
			return err
		}
		o, err = d.offers.Change(ctx, id, match, verbAccept, func(ctx context.Context, o *offer) error {
			o.stands(s)
			s.Amount, s.Pickup, s.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
			o.note(ctx, string(verbAccept), s, d.now())
			o.Turn, o.Dispatch, o.AnsweredBy = "", &made.ID, cmp.Or(s.Name, o.AnsweredBy)

			return d.offers.Step(ctx, o, state.Move{Verb: string(verbAccept), Reason: s.Note, Party: s.Party})
		})
		if err != nil {
			return err
		}

		return d.supersede(ctx, o.Load, o.ID, "Another carrier has the load.")
	})
	if errors.Is(err, errExpired) && s.Party == carrier {
		if late := d.late(ctx, id, s); late != nil {
			return o, late
		}
	}

	return o, err
}

// acceptable refuses what answerable refuses, but that the company accepts for a carrier that has told it so, such as on the phone or after the offer
// has expired.
func acceptable(d *desk, o offer, s said) error {
	err := d.answerable(o, s)
	if s.Party == broker && (errors.Is(err, errTurn) || errors.Is(err, errExpired) && o.LateAt != nil) {
		return nil
	}

	return err
}

// late keeps that a carrier has accepted an offer after it expired.
func (d *desk) late(ctx context.Context, id uuid.UUID, s said) error {
	_, err := d.offers.Change(ctx, id, web.IfMatch{}, verbLate, func(ctx context.Context, o *offer) error {
		now := d.now()
		if o.LateAt != nil || o.State != expired && !o.open() || now.Sub(*o.ExpiresAt) > lateLife {
			return nil
		}
		o.LateAt, o.AnsweredBy = &now, cmp.Or(s.Name, o.AnsweredBy)
		o.note(ctx, "late_response", s, now)

		return nil
	})

	return err
}

// take gives a load to a carrier, and makes the dispatch.
func (d *desk) take(ctx context.Context, of loadsapi.Standing, to uuid.UUID, pay string, made dispatch, who crew, note, party string) (dispatch, error) {
	if err := takenBack(ctx, d, item.ID(of.Load)); err != nil {
		return made, err
	}
	about := dispatchesapi.Accepting{Load: of.Load, Carrier: to.String(), CarrierPay: pay, Currency: of.Currency, Party: party}
	if err := hook.Run(ctx, d.hooks, &about); err != nil {
		return made, err
	}
	if err := d.coverage.Cover(ctx, of.Load, loadsapi.Cover{Carrier: about.Carrier, CarrierPay: pay, Note: note, Party: party}); err != nil {
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
	made.Terms, made.AcceptedAt = terms.Now.Terms, &now
	made.ContactName, made.ContactPhone, made.ContactEmail = reach.Name, field.Phone(cmp.Or(reach.Call, reach.SMS)), field.Email(reach.Email)
	who.on(&made)

	return d.dispatches.Create(ctx, made)
}
