package driving

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Progress takes trips through the states that follow from what happens on the road.
type Progress struct {
	trips *resource.Resource[store.Trip]
	bus   *events.Bus
	clock clock.Clock
}

// NewProgress returns Progress.
func NewProgress(trips *resource.Resource[store.Trip], bus *events.Bus, c clock.Clock) *Progress {
	return &Progress{trips, bus, c}
}

// Now is when something is recorded.
func (k *Progress) Now() time.Time { return k.clock.Now() }

// start has a trip be on the way.
func (k *Progress) start(ctx context.Context, t *store.Trip, at time.Time) error {
	t.StartedAt = &at

	return k.trips.Step(ctx, t, state.Move{Verb: string(store.VerbStart)})
}

// Finish completes a trip that has left all its stops.
func (k *Progress) Finish(ctx context.Context, t *store.Trip, at time.Time) error {
	if t.State != store.InTransit || len(t.Departed()) < len(t.Legs.V) {
		return nil
	}
	t.FinishedAt = &at

	return k.trips.Step(ctx, t, state.Move{Verb: string(store.VerbComplete)})
}

// publish publishes that a trip was started or completed at a visit.
func (k *Progress) publish(ctx context.Context, t store.Trip) error {
	departed := 0
	for _, l := range t.Legs.V {
		if l.DepartedAt != nil {
			departed++
		}
	}
	if departed == 1 {
		if err := k.bus.Publish(ctx, tripsapi.Started{About: t.About()}); err != nil {
			return err
		}
	}
	if t.State != store.Completed {
		return nil
	}

	return k.bus.Publish(ctx, tripsapi.Completed{About: t.About()})
}

// Completed publishes that a trip was completed.
func (k *Progress) Completed(ctx context.Context, t store.Trip) error {
	return k.bus.Publish(ctx, tripsapi.Completed{About: t.About()})
}
