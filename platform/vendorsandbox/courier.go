package vendorsandbox

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// holdFor is how long one job may deliver the notices of a thing; busyPause is when another looks again.
	holdFor   = time.Minute
	busyPause = time.Second
	// maxTries is how often a notice is sent, longestPause the longest time between two tries.
	maxTries     = 10
	longestPause = time.Hour
)

// Notice is a notification of a vendor's.
type Notice struct {
	ID      uuid.UUID
	Account uuid.UUID
	Event   string
	Body    json.RawMessage
	// Tries is how often it was sent.
	Tries int64
	// TakenAt is when the receiver acknowledged it, FailedAt when it was given up; one of them at most.
	TakenAt, FailedAt *time.Time
}

// Outbox keeps the notices of things, each thing's in their order. Its methods run in a transaction, but Next.
type Outbox interface {
	// Hold makes the caller the one who delivers the notices of a thing until a time, and reports false if somebody else is.
	Hold(ctx context.Context, thing uuid.UUID, now, until time.Time) (bool, error)
	Release(ctx context.Context, thing uuid.UUID) error
	// Next returns the first notice of a thing that was neither taken nor given up; nil if there is none.
	Next(ctx context.Context, thing uuid.UUID) (*Notice, error)
	// Save stores Tries, TakenAt and FailedAt.
	Save(ctx context.Context, n *Notice) error
}

// Courier delivers notices.
type Courier struct {
	db     *database.DB
	clock  clock.Clock
	outbox Outbox
}

// NewCourier returns the courier of an outbox.
func NewCourier(db *database.DB, c clock.Clock, outbox Outbox) *Courier {
	return &Courier{db: db, clock: c, outbox: outbox}
}

// Deliver sends the notices of a thing one after the other, as a job does. One that is not taken is sent again after 2s, 4s, 8s …
// 1h, ten times in all, and what follows waits. It returns jobs.Later while there is something left to send.
func (c *Courier) Deliver(ctx context.Context, thing uuid.UUID, send func(context.Context, *Notice) error) error {
	now := c.clock.Now()
	var mine bool
	err := c.db.InTx(ctx, func(ctx context.Context) (err error) {
		mine, err = c.outbox.Hold(ctx, thing, now, now.Add(holdFor))

		return err
	})
	if err != nil {
		return err
	}
	if !mine {
		return c.lookAgain(ctx, thing)
	}
	pause, err := c.deliverAll(ctx, thing, now.Add(holdFor/2), send)
	released := c.db.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error { return c.outbox.Release(ctx, thing) })
	if err == nil {
		err = released
	}
	if err == nil && pause > 0 {
		err = jobs.Later(pause)
	}

	return err
}

// lookAgain waits for another job that delivers, unless there is nothing more to send.
func (c *Courier) lookAgain(ctx context.Context, thing uuid.UUID) error {
	next, err := c.outbox.Next(ctx, thing)
	if err != nil || next == nil {
		return err
	}

	return jobs.Later(busyPause)
}

// deliverAll returns after which pause it is to go on, 0 if nothing is left.
func (c *Courier) deliverAll(ctx context.Context, thing uuid.UUID, until time.Time, send func(context.Context, *Notice) error) (time.Duration, error) {
	for {
		next, err := c.outbox.Next(ctx, thing)
		if err != nil || next == nil {
			return 0, err
		}
		now := c.clock.Now()
		if now.After(until) {
			return time.Millisecond, nil
		}
		failed := send(ctx, next)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		next.Tries++
		switch {
		case failed == nil:
			next.TakenAt = &now
		case next.Tries >= maxTries:
			next.FailedAt = &now
		}
		if err := c.db.InTx(ctx, func(ctx context.Context) error { return c.outbox.Save(ctx, next) }); err != nil {
			return 0, err
		}
		if failed != nil && next.FailedAt == nil {
			return min(time.Second<<next.Tries, longestPause), nil
		}
	}
}
