package carrying

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Cancellations take loads from carriers before the pickup.
type Cancellations struct {
	follower *Follower
	closer   *assigning.Closer
	settings *settings.Settings[preferences.Preferences]
	loads    loadsapi.Coverage
	bounces  *Bounces
}

// NewCancellations returns Cancellations.
func NewCancellations(
	f *Follower, c *assigning.Closer, kept *settings.Settings[preferences.Preferences], loads loadsapi.Coverage, b *Bounces,
) *Cancellations {
	return &Cancellations{f, c, kept, loads, b}
}

// cancelReason returns the reason of a cancellation by its id.
func cancelReason(ctx context.Context, kept *settings.Settings[preferences.Preferences], id string) (preferences.Reason, error) {
	now, err := kept.Read(ctx)
	if err != nil {
		return preferences.Reason{}, err
	}
	reason, known := now.Now.CancelReason(id)
	if !known {
		return reason, store.ErrInvalidDispatch.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
	}

	return reason, nil
}

// Cancel takes a load from its carrier, which gives it back (VerbCarrierCancel) or from which the company takes it (VerbCancel).
func (c *Cancellations) Cancel(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why, note string,
) (row store.Dispatch, err error) {
	party := store.Broker
	if verb == store.VerbCarrierCancel {
		party = store.Carrier
	}
	reason, err := cancelReason(ctx, c.settings, why)
	if err != nil {
		return row, err
	}
	err = c.follower.Hold(ctx, id, func(ctx context.Context, held store.Dispatch, _ loadsapi.Standing) error {
		row = held
		if !row.IsLive() {
			return row.CheckEndedBy(verb)
		}
		if row.State != store.Assigned {
			return store.ErrLoaded
		}
		if row, err = c.closer.Close(ctx, id, match, verb, reason, note, party); err != nil {
			return err
		}
		if err := c.loads.Uncover(ctx, row.Load.String(), loadsapi.Moved{Note: reason.Label, Party: party}); err != nil {
			return err
		}
		if party != store.Carrier && reason.Responsible != store.Carrier {
			return nil
		}

		return c.bounces.Record(ctx, row, reason)
	})

	return row, err
}
