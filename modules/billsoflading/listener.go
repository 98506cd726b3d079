package billsoflading

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/bills"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/driverlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/robot"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// listener has the rooms follow what happens elsewhere. Deliveries that wait have its methods' names.
type listener struct {
	bills   *bills.Follower
	uploads *inspecting.Uploads
	inviter *driverlink.Inviter
	robots  *robot.Starter
}

func newListener(f *bills.Follower, u *inspecting.Uploads, i *driverlink.Inviter, r *robot.Starter) *listener {
	return &listener{f, u, i, r}
}

func (l *listener) onCovered(ctx context.Context, e loadsapi.Covered) error {
	return l.bills.Follow(ctx, e.Load)
}

func (l *listener) onUncovered(ctx context.Context, e loadsapi.Uncovered) error {
	return l.bills.Follow(ctx, e.Load)
}

func (l *listener) onUpdated(ctx context.Context, e loadsapi.Updated) error {
	return l.bills.Follow(ctx, e.Load)
}

func (l *listener) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return l.bills.Follow(ctx, e.Load)
}

func (l *listener) onHandedOver(ctx context.Context, e loadsapi.HandedOver) error {
	return l.bills.HandOver(ctx, e)
}

func (l *listener) onAccepted(ctx context.Context, e dispatchesapi.Accepted) error {
	return l.bills.NameDispatch(ctx, e.Load, e.Carrier, e.Dispatch)
}

func (l *listener) onStored(ctx context.Context, e attachmentsapi.Stored) error {
	return l.uploads.KeepStored(ctx, e)
}

func (l *listener) onTaken(ctx context.Context, e dispatchesapi.Accepted) error {
	return l.inviter.Invite(ctx, e.About)
}

func (l *listener) onNamed(ctx context.Context, e dispatchesapi.Updated) error {
	return l.inviter.Invite(ctx, e.About)
}

func (l *listener) onIssued(ctx context.Context, e billsofladingapi.Issued) error {
	return l.robots.Begin(ctx, item.ID(e.BOL), store.AtPickup)
}

func (l *listener) onPickedUp(ctx context.Context, e billsofladingapi.PickupSigned) error {
	return l.robots.Begin(ctx, item.ID(e.BOL), store.AtDelivery)
}
