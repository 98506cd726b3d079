// Package inspecting records how vehicles are found when they change hands: inspections with VINs and odometers, damages, photos, and what each type of
// inspection requires.
package inspecting

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Inspections keeps one inspection of each vehicle at each stage of its bill of lading.
type Inspections struct {
	bols      *resource.Resource[store.Bol]
	kept      *resource.Resource[store.Inspection]
	rows      *store.Repository
	standings loadsapi.Standings
}

// NewInspections returns Inspections.
func NewInspections(bols *resource.Resource[store.Bol], kept *resource.Resource[store.Inspection], rows *store.Repository, c loadsapi.Standings) *Inspections {
	return &Inspections{bols, kept, rows, c}
}

// HandOver is a vehicle of a bill of lading at a stage.
type HandOver struct {
	Bill, Vehicle uuid.UUID
	Stage         store.Stage
}

// opened is an inspection that can still be changed, in a transaction that holds its bill of lading.
type opened struct {
	bill    store.Bol
	vehicle store.Vehicle
	row     store.Inspection
}

// with opens an inspection in a transaction. It is made if there is none yet, so that entries may come in any order.
func (k *Inspections) with(ctx context.Context, at HandOver, do func(ctx context.Context, o opened) error) error {
	return k.rows.InTx(ctx, func(ctx context.Context) error {
		o, err := k.open(ctx, at)
		if err != nil {
			return err
		}

		return do(ctx, o)
	})
}

// withLoad is with for what may change the load, which is held before its bills of lading.
func (k *Inspections) withLoad(ctx context.Context, at HandOver, do func(ctx context.Context, o opened) error) error {
	return k.rows.InTx(ctx, func(ctx context.Context) error {
		b, err := k.bols.Find(ctx, at.Bill)
		if err != nil {
			return err
		}
		if _, err := k.standings.Held(ctx, b.Load.String()); err != nil {
			return err
		}

		return k.with(ctx, at, do)
	})
}

func (k *Inspections) open(ctx context.Context, at HandOver) (o opened, err error) {
	if err := k.bols.Hold(ctx, at.Bill); err != nil {
		return o, err
	}
	if o.bill, err = k.bols.Find(ctx, at.Bill); err != nil {
		return o, err
	}
	if o.vehicle, err = o.bill.Vehicle(at.Vehicle); err != nil {
		return o, err
	}
	signatures, err := k.rows.SignaturesOf(ctx, at.Bill)
	if err != nil {
		return o, err
	}
	if err := changeable(o.bill, at.Stage, signatures); err != nil {
		return o, err
	}
	o.row, err = k.rows.Inspection(ctx, at.Bill, at.Vehicle, at.Stage)
	if errors.Is(err, store.ErrNone) {
		o.row, err = k.kept.Create(ctx, store.Inspection{
			BOL: at.Bill, Load: o.bill.Load, Vehicle: at.Vehicle, Stage: at.Stage, State: store.Open, VINCheck: store.VINNone, Unit: "mi", Drivable: "unknown", Weather: "dry",
		})
	}

	return o, err
}

// changeable refuses to change what belongs to a stage that was signed, or that has not come yet.
func changeable(b store.Bol, at store.Stage, signatures []store.Signature) error {
	switch {
	case b.State == store.Voided:
		return store.ErrVoid
	case b.Due() == "" || b.Due() == store.AtDelivery && at == store.AtPickup:
		return store.ErrSigned
	case b.Due() != at:
		return store.ErrNotNow
	case slices.ContainsFunc(signatures, func(s store.Signature) bool { return s.Stage == at }):
		return store.ErrSigned
	}

	return nil
}

// reopen is with for an inspection by its id.
func (k *Inspections) reopen(ctx context.Context, id uuid.UUID, do func(ctx context.Context, o opened) error) error {
	row, err := k.kept.Find(ctx, id)
	if err != nil {
		return err
	}

	return k.with(ctx, HandOver{row.BOL, row.Vehicle, row.Stage}, do)
}

// change stores a change of an inspection that was opened.
func (k *Inspections) change(ctx context.Context, row store.Inspection, verb resource.Verb, do func(row *store.Inspection)) (store.Inspection, error) {
	return k.kept.Change(ctx, row.ID, web.IfMatch{}, verb, func(_ context.Context, row *store.Inspection) error {
		do(row)

		return nil
	})
}

// counterpart returns the inspection of the same vehicle at the other stage, nil if there is none.
func (k *Inspections) counterpart(ctx context.Context, of store.Inspection) (*store.Inspection, error) {
	other := store.AtPickup
	if of.Stage == store.AtPickup {
		other = store.AtDelivery
	}
	row, err := k.rows.Inspection(ctx, of.BOL, of.Vehicle, other)
	switch {
	case errors.Is(err, store.ErrNone):
		return nil, nil //nolint:nilnil // none is no failure
	case err != nil:
		return nil, err
	}

	return &row, nil
}
