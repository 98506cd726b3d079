package dispatches

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// revisions are terms of dispatches that are other ones than those that the carriers accepted.
type revisions struct{ desk *desk }

func newRevisions(d *desk) revisions { return revisions{d} }

// settle has a dispatch that is settled have the terms of its load, which it may not have followed yet.
func (s revisions) settle(ctx context.Context, row *store.Dispatch) error {
	of, err := s.desk.standings.Standing(ctx, row.Load.String())
	if errors.Is(err, loadsapi.ErrNotFound) || err == nil && !row.Matches(of) {
		return nil
	}
	if err != nil {
		return err
	}
	seen, err := s.desk.views.Carrier(ctx, of.Load)
	if err == nil && row.HasOtherTerms(of, seen.JSON) {
		row.TakeTerms(of, seen.JSON)
	}

	return err
}

// onPickingUp refuses to have vehicles picked up by a carrier that gets less than it has agreed to and has not confirmed that, whoever says so. The office goes
// on by the dispatch itself, which is picked up by then.
func (s revisions) onPickingUp(ctx context.Context, p *loadsapi.PickingUp) error {
	row, err := s.desk.rows.LiveDispatch(ctx, item.ID(p.Load))
	if errors.Is(err, store.ErrNone) || err == nil && row.State != store.Assigned {
		return nil
	}
	if err != nil {
		return err
	}
	of, err := s.desk.standings.Standing(ctx, p.Load)
	if err == nil && row.IsPayCut(of) {
		return row.Unconfirmed()
	}

	return err
}

// onRepricing refuses another pay for a carrier that was paid.
func (s revisions) onRepricing(ctx context.Context, p *loadsapi.Repricing) error {
	row, err := s.desk.rows.LiveDispatch(ctx, item.ID(p.Load))
	if errors.Is(err, store.ErrNone) || err == nil && (row.State != store.Settled || row.Carrier.String() != p.Carrier) {
		return nil
	}
	if err != nil {
		return err
	}

	if who, _ := principal.From(ctx); !who.Allows(loadsapi.Margins) {
		return store.ErrSettled.WithMessage("The dispatch %s is settled: what the carrier gets can no longer be changed.", row.Number).WithDetail("dispatch_uuid", row.ID)
	}

	return store.ErrSettled.WithMessage("The dispatch %s is settled at %s: what the carrier gets can no longer be changed.", row.Number, page.Amount(row.CarrierPay, row.Currency)).
		WithDetail("dispatch_uuid", row.ID).WithDetail("carrier_pay", row.CarrierPay)
}

// onUpdated writes to a carrier whose terms have changed since it accepted them, once a revision.
func (s revisions) onUpdated(ctx context.Context, e dispatchesapi.Updated) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	id, err := uuid.Parse(e.Dispatch)
	if err != nil {
		return err
	}
	row, err := s.desk.dispatches.Find(ctx, id)
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	if !row.NeedsNotice() {
		return nil
	}
	_, err = s.desk.dispatches.Change(ctx, id, web.IfMatch{}, store.VerbNotify, func(ctx context.Context, row *store.Dispatch) error {
		if !row.NeedsNotice() {
			return nil
		}
		row.NotifiedRevision = row.Revision
		reached, err := s.write(ctx, *row)
		if row.NotifiedAt = nil; reached {
			now := s.desk.now()
			row.NotifiedAt = &now
		}

		return err
	})

	return err
}

// write writes to the carrier of a dispatch, by all channels that it has, that the terms have changed. It reports whether one of them takes that.
func (s revisions) write(ctx context.Context, row store.Dispatch) (reached bool, err error) {
	brand, err := s.desk.brands.Brand(ctx)
	if err != nil {
		return false, err
	}
	to, err := s.desk.reach(ctx, row.Carrier, []string{notify.Email, notify.SMS}, notify.Business)
	if err != nil {
		return false, err
	}
	for _, one := range to.Recipients {
		given, err := s.desk.given.Give(ctx, share.Given{
			Purpose: sheet, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: row.ID}, Page: base + "/carrier/", Title: brand.Name + ": load " + row.LoadNumber() + " has changed",
			Text: brand.Name + ": the terms of the load " + row.LoadNumber() + " have changed (revision " + strconv.FormatInt(row.Revision, 10) + ", " +
				page.Amount(row.CarrierPay, row.Currency) + "). Please look at them and confirm.",
		}, share.Create{To: []share.Recipient{one}})
		if err := store.IgnoreRefusal(err); err != nil { // such as one who wants no messages
			return false, err
		}
		for _, d := range given.Deliveries {
			reached = reached || d.Result == share.Sent
		}
	}

	return reached, nil
}
