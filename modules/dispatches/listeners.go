package dispatches

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/robot"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// The names of the methods below are those of the deliveries that wait for them.

// loadListener has dispatches follow their loads.
type loadListener struct{ follower *carrying.Follower }

func newLoadListener(f *carrying.Follower) loadListener { return loadListener{f} }

func (l loadListener) onCovered(ctx context.Context, e loadsapi.Covered) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onUncovered(ctx context.Context, e loadsapi.Uncovered) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onUpdated(ctx context.Context, e loadsapi.Updated) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onVehicleRemoved(ctx context.Context, e loadsapi.VehicleRemoved) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onPickedUp(ctx context.Context, e loadsapi.PickedUpEvent) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onDelivered(ctx context.Context, e loadsapi.DeliveredEvent) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onReopened(ctx context.Context, e loadsapi.Reopened) error {
	return l.follower.Follow(ctx, e.Load)
}

func (l loadListener) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return l.follower.Follow(ctx, e.Load)
}

// carrierListener ends the offers to banned carriers, and to those that were merged into one.
type carrierListener struct{ banned *offers.Banned }

func newCarrierListener(b *offers.Banned) carrierListener { return carrierListener{b} }

func (l carrierListener) onBanned(ctx context.Context, e carriersapi.Banned) error {
	return l.banned.EndOffersTo(ctx, e.Carrier)
}

func (l carrierListener) onMerged(ctx context.Context, e carriersapi.Merged) error {
	return l.banned.EndOffersTo(ctx, e.Into)
}

// offerListener has loads say how the offers for them stand, and robots answer.
type offerListener struct {
	reporter *offers.Reporter
	robots   *robot.Robots
}

func newOfferListener(r *offers.Reporter, robots *robot.Robots) offerListener {
	return offerListener{r, robots}
}

func (l offerListener) reportSent(ctx context.Context, e dispatchesapi.OfferSent) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportReactivated(ctx context.Context, e dispatchesapi.OfferReactivated) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportCountered(ctx context.Context, e dispatchesapi.OfferCountered) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportReplied(ctx context.Context, e dispatchesapi.OfferReplied) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportDeclined(ctx context.Context, e dispatchesapi.OfferDeclined) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportExpired(ctx context.Context, e dispatchesapi.OfferExpired) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) reportWithdrawn(ctx context.Context, e dispatchesapi.OfferWithdrawn) error {
	return l.reporter.Report(ctx, e.Load)
}

func (l offerListener) onSent(ctx context.Context, e dispatchesapi.OfferSent) error {
	return l.robots.Answer(ctx, e.Offer)
}

func (l offerListener) onReactivated(ctx context.Context, e dispatchesapi.OfferReactivated) error {
	return l.robots.Answer(ctx, e.Offer)
}

func (l offerListener) onReplied(ctx context.Context, e dispatchesapi.OfferReplied) error {
	return l.robots.Answer(ctx, e.Offer)
}

func (l offerListener) onExpired(ctx context.Context, e dispatchesapi.OfferExpired) error {
	return l.robots.Answer(ctx, e.Offer)
}

// termsListener writes to carriers whose terms have changed.
type termsListener struct{ revisions *carrying.Revisions }

func newTermsListener(r *carrying.Revisions) termsListener { return termsListener{r} }

func (l termsListener) onUpdated(ctx context.Context, e dispatchesapi.Updated) error {
	return l.revisions.Notify(ctx, e)
}
