// Package bills makes the bills of lading of a load, keeps them in line with it until they are signed, and takes them through their lives.
package bills

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Follower keeps the bills of lading of a load in line with its vehicles, stops and carrier.
type Follower struct {
	standings loadsapi.Standings
	drafts    *Drafts
	keeper    *Keeper
	bols      *resource.Resource[store.Bol]
	rows      *store.Repository
}

// NewFollower returns a Follower.
func NewFollower(c loadsapi.Standings, d *Drafts, k *Keeper, bols *resource.Resource[store.Bol], rows *store.Repository) *Follower {
	return &Follower{c, d, k, bols, rows}
}

// Follow brings the bills of lading of a load up to date. What was signed stays. It is called for each event of the load, in any order and perhaps
// twice.
func (f *Follower) Follow(ctx context.Context, load string) error {
	return f.held(ctx, load, f.reconcile)
}

// held does something with a load that is held, as the service; nothing for a load that is not there.
func (f *Follower) held(ctx context.Context, load string, do func(ctx context.Context, of loadsapi.Standing) error) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := f.rows.InTx(ctx, func(ctx context.Context) error {
		of, err := f.standings.Held(ctx, load)
		if err != nil {
			return err
		}

		return do(ctx, of)
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// reconcile makes, changes and voids the bills of lading of a load that is held.
func (f *Follower) reconcile(ctx context.Context, of loadsapi.Standing) error {
	wanted, err := f.drafts.of(ctx, of)
	if err != nil {
		return err
	}
	there, err := f.rows.Live(ctx, item.ID(of.Load))
	if err != nil {
		return err
	}
	for _, b := range there {
		back, err := f.drafts.putBack(ctx, b)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(wanted.bills, func(w store.Bol) bool { return w.PickupStop == b.PickupStop && w.DeliveryStop == b.DeliveryStop })
		switch {
		case i >= 0 && (b.IsOf(of) || b.Signed()) && !back:
			if err := f.keeper.adapt(ctx, b, wanted.bills[i], wanted.issue); err != nil {
				return err
			}
			wanted.bills = slices.Delete(wanted.bills, i, i+1)
		case !b.Signed() || back:
			if err := f.keeper.dismiss(ctx, b, of); err != nil {
				return err
			}
		}
	}
	for _, w := range wanted.bills {
		if err := f.keeper.make(ctx, w, wanted.issue); err != nil {
			return err
		}
	}

	return nil
}

// HandOver transfers the bills of lading of vehicles that another carrier carries on.
func (f *Follower) HandOver(ctx context.Context, e loadsapi.HandedOver) error {
	return f.held(ctx, e.Load, func(ctx context.Context, of loadsapi.Standing) error {
		there, err := f.rows.Live(ctx, item.ID(e.Load))
		if err != nil {
			return err
		}
		for _, b := range there {
			if !handedOver(b, e) {
				continue
			}
			if err := f.keeper.transfer(ctx, b, of); err != nil {
				return err
			}
		}

		return nil
	})
}

// handedOver reports whether vehicles of a bill of lading were taken from its carrier at another place than its pickup.
func handedOver(b store.Bol, e loadsapi.HandedOver) bool {
	return b.State == store.PickupSigned && b.PickupStop.String() != e.Stop &&
		slices.ContainsFunc(b.Vehicles.V, func(v store.Vehicle) bool { return slices.Contains(e.Vehicles, v.UUID.String()) })
}

// NameDispatch has the bills of lading of a load name its dispatch.
func (f *Follower) NameDispatch(ctx context.Context, load, carrier, dispatch string) error {
	if err := f.Follow(ctx, load); err != nil {
		return err
	}
	all, err := f.rows.Live(ctx, item.ID(load))
	if err != nil {
		return err
	}
	for _, b := range all {
		if b.Dispatch != nil || b.CarrierID.String() != carrier {
			continue
		}
		if err := f.keeper.nameDispatch(ctx, b, item.ID(dispatch)); err != nil {
			return err
		}
	}

	return nil
}

// create makes the bills of lading of a load, and returns all that it has. Error: bills_of_lading.no_carrier.
func (f *Follower) create(ctx context.Context, load uuid.UUID) ([]store.Bol, error) {
	if err := f.rows.InTx(ctx, func(ctx context.Context) error {
		of, err := f.standings.Held(ctx, load.String())
		if err == nil && of.Carrier == "" {
			err = store.ErrNoCarrier
		}
		if err != nil {
			return err
		}

		return f.reconcile(ctx, of)
	}); err != nil {
		return nil, err
	}

	return f.rows.Live(ctx, load)
}

// replace voids a bill of lading, and makes another one of the same vehicles as the load has them now.
func (f *Follower) replace(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (b store.Bol, err error) {
	err = f.rows.InTx(ctx, func(ctx context.Context) error {
		if b, err = f.bols.Find(ctx, id); err != nil {
			return err
		}
		of, err := f.standings.Held(ctx, b.Load.String())
		if err != nil {
			return err
		}
		if b, err = f.keeper.void(ctx, id, match, why); err != nil {
			return err
		}
		if err := f.reconcile(ctx, of); err != nil {
			return err
		}
		all, err := f.rows.Live(ctx, b.Load)
		if err != nil {
			return err
		}
		for _, made := range all {
			if made.PickupStop != b.PickupStop || made.DeliveryStop != b.DeliveryStop {
				continue
			}
			if err := f.keeper.succeed(ctx, made, b); err != nil {
				return err
			}
		}

		return nil
	})

	return b, err
}

// Current is a bill of lading that is about to be signed, held with its load.
type Current struct {
	Bill store.Bol
	// carried says that its carrier still has the load.
	carried bool
}

// Current holds a bill of lading and its load. Before it is signed at the pickup, it says what the load says by now.
func (f *Follower) Current(ctx context.Context, id uuid.UUID, at store.Stage) (c Current, err error) {
	if c.Bill, err = f.bols.Find(ctx, id); err != nil {
		return c, err
	}
	of, err := f.standings.Held(ctx, c.Bill.Load.String())
	if err != nil {
		return c, err
	}
	if at == store.AtPickup && !c.Bill.Signed() && carried(of) && c.Bill.IsOf(of) {
		if err := f.reconcile(ctx, of); err != nil {
			return c, err
		}
	}
	if err := f.bols.Hold(ctx, id); err != nil {
		return c, err
	}
	c.Bill, err = f.bols.Find(ctx, id)
	c.carried = carried(of) && c.Bill.IsOf(of)

	return c, err
}

// Signable returns a bill of lading that can be signed at a stage; a draft is issued. Errors: ErrSigned, ErrVoid, ErrNotNow, ErrMissingFields, ErrTakenBack.
func (f *Follower) Signable(ctx context.Context, c Current, at store.Stage) (store.Bol, error) {
	b := c.Bill
	if err := refuseSigning(b, at); err != nil {
		return b, err
	}
	if b.State == store.Draft {
		var err error
		if b, err = f.keeper.issue(ctx, b.ID, web.IfMatch{}); err != nil {
			return b, err
		}
	}
	if !c.carried {
		return b, store.ErrTakenBack
	}

	return b, nil
}

// refuseSigning says why a bill of lading cannot be signed at a stage.
func refuseSigning(b store.Bol, at store.Stage) error {
	switch {
	case b.Due() == store.AtDelivery && at == store.AtPickup, b.State == store.DeliverySigned, b.State == store.Closed, b.State == store.Transferred:
		return store.ErrSigned
	case b.State == store.Voided:
		return store.ErrVoid
	case b.Due() != at:
		return store.ErrNotNow
	}

	return nil
}

// AddToRecord adds the issued bills of lading to the record of a transaction.
func (f *Follower) AddToRecord(ctx context.Context, r *loadsapi.Recording) error {
	all, err := f.rows.Issued(ctx, item.ID(r.Load))
	for _, b := range all {
		r.Bills = append(r.Bills, loadsapi.Bill{
			Number: b.Number, Delivered: b.State == store.DeliverySigned || b.State == store.Closed || b.State == store.Transferred,
		})
	}

	return err
}
