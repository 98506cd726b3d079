// Package assigning gives loads to carriers, and takes them back: a dispatch begins and ends here.
package assigning

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Assigner gives loads to carriers.
type Assigner struct {
	dispatches *resource.Resource[store.Dispatch]
	drafter    *Drafter
	closer     *Closer
	loads      loadsapi.Coverage
	hooks      *hook.Bus
}

// NewAssigner returns an Assigner.
func NewAssigner(dispatches *resource.Resource[store.Dispatch], d *Drafter, c *Closer, loads loadsapi.Coverage, hooks *hook.Bus) *Assigner {
	return &Assigner{dispatches, d, c, loads, hooks}
}

// Assignment says to whom a load is given, and for what. The reason is that of the user who gives it although the customer has not signed its
// changes.
type Assignment struct {
	To                       uuid.UUID
	Pay, Note, Reason, Party string
}

// Assign gives a load to a carrier, and makes the dispatch.
func (a *Assigner) Assign(ctx context.Context, load loadsapi.Standing, t Assignment, made store.Dispatch, crew store.Crew) (store.Dispatch, error) {
	if err := a.closer.EndTakenBack(ctx, item.ID(load.Load)); err != nil {
		return made, err
	}
	about := dispatchesapi.Accepting{Load: load.Load, Carrier: t.To.String(), CarrierPay: t.Pay, Currency: load.Currency, Party: t.Party}
	if err := hook.Run(ctx, a.hooks, &about); err != nil {
		return made, err
	}
	if err := a.loads.Cover(ctx, load.Load, loadsapi.Cover{
		Carrier: about.Carrier, CarrierPay: t.Pay, Note: t.Note, Party: t.Party, Override: strings.TrimSpace(t.Reason),
	}); err != nil {
		return made, err
	}

	return a.Begin(ctx, load.Load, made, crew)
}

// Begin makes the dispatch of a load that a carrier has just got.
func (a *Assigner) Begin(ctx context.Context, load string, made store.Dispatch, crew store.Crew) (store.Dispatch, error) {
	made, err := a.drafter.Draft(ctx, load, made, crew)
	if err != nil {
		return made, err
	}
	if made.Replaces, err = a.closer.LastClosed(ctx, made.Load); err != nil {
		return made, err
	}

	return a.dispatches.Create(ctx, made)
}
