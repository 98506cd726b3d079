package offers

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// doNotUse is the status of a banned carrier.
const doNotUse = "do_not_use"

// bannedText says why a banned carrier is offered nothing.
const bannedText = "The carrier is marked as do not use."

// Banned ends the offers to carriers that are banned.
type Banned struct {
	carriers carriersapi.Carriers
	rows     *store.Repository
	ender    *Ender
}

// NewBanned returns a Banned.
func NewBanned(carriers carriersapi.Carriers, rows *store.Repository, e *Ender) *Banned {
	return &Banned{carriers, rows, e}
}

// EndOffersTo withdraws the open offers to a carrier if it is banned, as the service itself. The next carriers of their sequences are asked.
func (b *Banned) EndOffersTo(ctx context.Context, id string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	if banned, err := b.IsBanned(ctx, id); err != nil || !banned {
		return err
	}
	open, err := b.rows.OpenOffersTo(ctx, item.ID(id))
	if err != nil {
		return err
	}
	for _, o := range open {
		err := b.ender.EndUnlessAnswered(ctx, o.ID, store.VerbWithdraw, bannedText)
		if err != nil && !errs.IsRefusal(err) {
			return err
		}
	}

	return nil
}

// IsBanned reports whether a carrier is do_not_use.
func (b *Banned) IsBanned(ctx context.Context, id string) (bool, error) {
	found, err := b.carriers.Find(ctx, id)

	return found[id].Status == doNotUse, err
}
