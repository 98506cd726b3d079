package carrying

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Moves take pickups and deliveries, which the loads follow.
type Moves struct {
	follower *Follower
	progress *Progress
	loads    loadsapi.Carriage
	clock    clock.Clock
}

// NewMoves returns Moves.
func NewMoves(f *Follower, p *Progress, loads loadsapi.Carriage, c clock.Clock) *Moves {
	return &Moves{f, p, loads, c}
}

// Move picks up or delivers the vehicles of a dispatch. The load follows. What is known already changes nothing.
func (m *Moves) Move(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, moved Moved) (row store.Dispatch, err error) {
	now := m.clock.Now()
	if moved.At.After(now.Add(time.Minute)) {
		return row, store.ErrInvalidDispatch.WithField("at", "`at` must not be in the future.")
	}
	at := clock.Stamp(cmp.Or(moved.At, now))
	err = m.follower.Hold(ctx, id, func(ctx context.Context, held store.Dispatch, load loadsapi.Standing) error {
		row = held
		if err := row.CheckMove(verb, at, strings.TrimSpace(moved.Note), load); err != nil {
			return err
		}
		if row, err = m.progress.Advance(ctx, id, match, verb, at, moved); err != nil {
			return err
		}
		report := loadsapi.Moved{At: at, Note: moved.Note, Party: moved.Party}
		if verb == store.VerbPickUp {
			return m.loads.PickUp(ctx, row.Load.String(), report)
		}

		return m.loads.Deliver(ctx, row.Load.String(), report)
	})

	return row, err
}
