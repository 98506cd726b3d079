package dispatches

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// accept accepts an offer: its carrier has the load, there is a dispatch, and the other offers for the load end, all in one transaction. It is decided on
// the load and the offer as they are held. Whoever comes second finds the load taken. What was accepted already stays accepted. A carrier that accepts
// too late is kept as a late response.
func (d *desk) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, s store.Proposal, who store.Crew) (o store.Offer, err error) {
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
		if o.State == store.Accepted {
			return o.CheckAccepted(s)
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
		if s.Party == store.Carrier {
			err = d.sameAsShown(ctx, o, s)
			stale = errors.Is(err, store.ErrTermsChanged)
		} else if err = store.CheckNamed(match, s.Shown); err == nil {
			err = d.agreedByCarrier(ctx, o)
		}
		if err != nil {
			return err
		}
		agreed := o
		agreed.Apply(s)
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		if wrong := can.Check(agreed.Days(), o.Days(), s.Party == store.Carrier); len(wrong.Fields) > 0 {
			return wrong
		}
		made, err := d.take(ctx, of, taking{
			to: agreed.Carrier, pay: cmp.Or(string(agreed.Amount), of.CarrierPay), note: "Offer " + o.Number + " was accepted.", reason: s.Note, party: s.Party,
		}, store.Dispatch{
			Offer: &o.ID, PickupDate: agreed.PickupDate, DeliveryDate: agreed.DeliveryDate, AcceptedBy: s.Name, AcceptedFrom: s.Address,
		}, who)
		if err != nil {
			return err
		}
		o, err = d.offers.Change(ctx, id, match, store.VerbAccept, func(ctx context.Context, o *store.Offer) error {
			o.Apply(s)
			s.Amount, s.Pickup, s.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
			o.Record(ctx, string(store.VerbAccept), s, d.now())
			o.Turn, o.Dispatch, o.AnsweredBy = "", &made.ID, cmp.Or(s.Name, o.AnsweredBy)
			o.Warnings = store.WarningsOf(of, o.PickupDate)

			return d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbAccept), Reason: s.Note, Party: s.Party})
		})
		if err != nil {
			return err
		}

		return d.supersede(ctx, o.Load, o.ID, "Another carrier has the load.")
	})
	switch {
	case stale && errors.Is(err, store.ErrTermsChanged):
		return o, d.showAgain(ctx, load, err)
	case errors.Is(err, store.ErrOfferExpired) && s.Party == store.Carrier:
		if late := d.late(ctx, id, s); late != nil {
			return o, late
		}
	}

	return o, err
}

// acceptable refuses what answerable refuses, but that the company accepts for a carrier that has agreed otherwise, such as on the phone or after the offer
// has expired. A carrier that answers by a link has proved who it is.
func (d *desk) acceptable(ctx context.Context, o store.Offer, of loadsapi.Standing, s store.Proposal) error {
	ended := o.Ended(d.now())
	if s.Party == store.Carrier {
		if ended == nil && store.IsCarried(of) {
			ended = store.ErrVehicleTaken // the offer ends in a moment
		}
		if ended != nil {
			return ended
		}
		if err := (gate{d}).pass(ctx, o); err != nil {
			return err
		}
	}
	err := d.answerable(o, s)
	if s.Party == store.Broker && (errors.Is(err, store.ErrNotYourTurn) || errors.Is(err, store.ErrOfferExpired) && o.LateAt != nil) {
		if s.Shown != 0 && s.Shown != len(o.Transactions.V) {
			return store.ErrTermsChanged.WithDetail("fields", o.ChangedSince(s.Shown))
		}

		return nil
	}

	return err
}

// late keeps that a carrier has accepted an offer after it expired: one that has proved who it is, and that has seen what there is now.
func (d *desk) late(ctx context.Context, id uuid.UUID, s store.Proposal) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		held, err := d.hold(ctx, id)
		if err != nil {
			return err
		}
		was := held.offer
		now := d.now()
		if was.LateAt != nil || was.State != store.Expired && !was.IsOpen() || was.ExpiresAt == nil || now.Sub(*was.ExpiresAt) > lateLife {
			return nil
		}
		if s.Key == "" && s.Shown != len(was.Transactions.V) && s.Shown != was.CountBeforeExpiry() {
			return nil
		}
		if err := (gate{d}).pass(ctx, was); err != nil {
			return store.IgnoreRefusal(err)
		}
		if err := d.sameAsShown(ctx, was, s); err != nil {
			return store.IgnoreRefusal(err)
		}
		_, err = d.offers.Change(ctx, id, web.IfMatch{}, store.VerbLate, func(ctx context.Context, o *store.Offer) error {
			o.LateAt, o.AnsweredBy = &now, cmp.Or(s.Name, o.AnsweredBy)
			o.Record(ctx, "late_response", s, now)

			return nil
		})

		return err
	})
}

// taking is to whom a load is given, and for what. The reason is that of the user who gives it although the customer has not signed its changes.
type taking struct {
	to                       uuid.UUID
	pay, note, reason, party string
}

// take gives a load to a carrier, and makes the dispatch.
func (d *desk) take(ctx context.Context, of loadsapi.Standing, t taking, made store.Dispatch, who store.Crew) (store.Dispatch, error) {
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
func (d *desk) begin(ctx context.Context, load string, made store.Dispatch, who store.Crew) (store.Dispatch, error) {
	of, err := d.standings.Standing(ctx, load)
	if err != nil {
		return made, err
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return made, err
	}
	seen, err := d.views.Carrier(ctx, load)
	if err != nil {
		return made, err
	}
	made.Load, made.Carrier = item.ID(load), item.ID(of.Carrier)
	reach, err := d.carriers.Reach(ctx, of.Carrier, carriersapi.Dispatch)
	if err != nil {
		return made, err
	}
	before, err := d.rows.CancelledDispatches(ctx, made.Load)
	if err != nil {
		return made, err
	}
	if len(before) > 0 {
		made.Replaces = &before[0].ID
	}
	now := d.now()
	made.CarrierPay, made.Currency, made.Revision, made.AcceptedRevision, made.Snapshot = money.Amount(of.CarrierPay), money.Currency(of.Currency), 1, 1, rawjson.Object(seen.JSON)
	made.Terms, made.AcceptedAt, made.AcceptedPay = terms.Now.Terms, &now, made.CarrierPay
	made.ContactName, made.ContactPhone, made.ContactEmail = reach.Name, field.Phone(cmp.Or(reach.Call, reach.SMS)), field.Email(reach.Email)
	who.ApplyTo(&made)
	made.Warnings = store.WarningsOf(of, made.PickupDate)

	return d.dispatches.Create(ctx, made)
}
