package offers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// Changes has the open offers for a load follow it.
type Changes struct {
	withdrawals *Withdrawals
	reviser     *Reviser
}

// NewChanges returns Changes.
func NewChanges(w *Withdrawals, r *Reviser) *Changes { return &Changes{w, r} }

// Follow revises the open offers for a load, which is held, if it is ready for a carrier, and ends them otherwise.
func (c *Changes) Follow(ctx context.Context, load uuid.UUID, is loadsapi.State) error {
	if is == loadsapi.Ready {
		return c.reviser.Revise(ctx, load)
	}

	return c.withdrawals.Supersede(ctx, load, uuid.Nil, "The load is no longer offered.")
}
