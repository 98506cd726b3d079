package trips

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/loading"
)

// listener has trips follow their loads. Deliveries that wait have its methods' names.
type listener struct{ trips *loading.Follower }

func newListener(f *loading.Follower) *listener { return &listener{f} }

func (l *listener) onUpdated(ctx context.Context, e loadsapi.Updated) error {
	return l.trips.Follow(ctx, e.Load)
}

func (l *listener) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return l.trips.Follow(ctx, e.Load)
}

func (l *listener) onRemoved(ctx context.Context, e loadsapi.VehicleRemoved) error {
	return l.trips.Follow(ctx, e.Load)
}
