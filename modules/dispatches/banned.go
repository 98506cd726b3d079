package dispatches

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// doNotUse is the status of a carrier that the company works with no more.
const doNotUse = "do_not_use"

func (d *desk) onBanned(ctx context.Context, e carriersapi.Banned) error {
	return d.endOffersTo(ctx, e.Carrier)
}

// onMerged ends the offers to a carrier that was merged into a banned one.
func (d *desk) onMerged(ctx context.Context, e carriersapi.Merged) error {
	return d.endOffersTo(ctx, e.Into)
}

// endOffersTo withdraws the open offers to a carrier that is banned, as the service itself. The next carriers of their sequences are asked.
func (d *desk) endOffersTo(ctx context.Context, id string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	if banned, err := d.banned(ctx, id); err != nil || !banned {
		return err
	}
	open, err := d.rows.OpenOffersTo(ctx, item.ID(id))
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := d.withdrawBanned(ctx, o.ID); err != nil && !errs.IsRefusal(err) {
			return err
		}
	}

	return nil
}

// banned reports whether a carrier is do_not_use.
func (d *desk) banned(ctx context.Context, id string) (bool, error) {
	found, err := d.carriers.Find(ctx, id)

	return found[id].Status == doNotUse, err
}

func (d *desk) withdrawBanned(ctx context.Context, id uuid.UUID) error {
	const why = "The carrier is marked as do not use."
	_, err := d.over(ctx, id, web.IfMatch{}, store.VerbWithdraw, func(ctx context.Context, o *store.Offer) (bool, error) {
		if o.State != store.Queued && !o.IsOpen() { // it was answered meanwhile
			return false, nil
		}
		asked := o.State != store.Queued
		o.Turn, o.EndReason = "", why
		o.Record(ctx, string(store.VerbWithdraw), store.Proposal{Party: store.System, Note: why}, d.now())

		return asked, d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbWithdraw), Reason: why})
	})

	return err
}
