package robot

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// returnsAfter is when a robot gives a load back.
const returnsAfter = 24 * time.Hour

// GiveBack is the job by which a robot gives a load back.
type GiveBack struct {
	Offer uuid.UUID `json:"offer"`
}

// Kind implements jobs.Args.
func (GiveBack) Kind() string { return "dispatches.robot_gives_back" }

// Returns gives loads back that robots have accepted.
type Returns struct {
	offers *resource.Resource[store.Offer]
	voice  *Voice
	queue  *jobs.Queue
	db     *database.DB
	clock  clock.Clock
}

// NewReturns returns a Returns.
func NewReturns(offers *resource.Resource[store.Offer], v *Voice, q *jobs.Queue, db *database.DB, c clock.Clock) *Returns {
	return &Returns{offers, v, q, db, c}
}

// schedule has a load be given back later.
func (r *Returns) schedule(ctx context.Context, offer uuid.UUID) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		return r.queue.Enqueue(ctx, GiveBack{offer}, jobs.At(r.clock.Now().Add(returnsAfter)))
	})
}

// GiveBack does the job.
func (r *Returns) GiveBack(ctx context.Context, args GiveBack) error {
	o, err := r.offers.Find(ctx, args.Offer)
	if err != nil || o.Dispatch == nil {
		return store.IgnoreRefusal(err)
	}

	return r.voice.answer(ctx, o, "/cancel", map[string]any{"reason": "breakdown", "note": "A robot gave it back."})
}
