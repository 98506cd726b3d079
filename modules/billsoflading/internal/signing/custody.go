package signing

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Custody says who has the vehicles, once both sides have signed.
type Custody struct {
	bols     *resource.Resource[store.Bol]
	links    *link.Service
	carriage loadsapi.Carriage
	queue    *jobs.Queue
}

// NewCustody returns a Custody.
func NewCustody(bols *resource.Resource[store.Bol], links *link.Service, c loadsapi.Carriage, queue *jobs.Queue) *Custody {
	return &Custody{bols, links, c, queue}
}

// unknownBill is the failure for a bill of lading that does not exist.
func (k *Custody) unknownBill() *errs.Error { return k.bols.NotFound() }

// move has the vehicles be with the carrier after the pickup, and delivered after the delivery. The load follows, the links to sign end, and the PDF
// is filed as it was signed.
func (k *Custody) move(ctx context.Context, b store.Bol, at store.Stage, when time.Time) error {
	verb, move := store.VerbPickup, k.carriage.PickUp
	if at == store.AtDelivery {
		verb, move = store.VerbDelivery, k.carriage.Deliver
	}
	if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verb, func(ctx context.Context, b *store.Bol) error {
		if at == store.AtPickup {
			b.PickupAt = &when
		} else {
			b.DeliveryAt = &when
		}

		return k.bols.Step(ctx, b, state.Move{Verb: string(verb), Party: carrier})
	}); err != nil {
		return err
	}
	if _, err := k.links.RevokeAll(ctx, store.Signing, link.Subject{Type: billsofladingapi.BOL, ID: b.ID}); err != nil {
		return err
	}
	moved := loadsapi.Moved{At: when, Note: b.Number + " was signed.", Party: carrier}
	for _, v := range b.Vehicles.V {
		moved.Vehicles = append(moved.Vehicles, v.UUID.String())
	}
	if err := move(ctx, b.Load.String(), moved); err != nil {
		return err
	}

	return k.queue.Enqueue(ctx, store.Rendering{BOL: b.ID, Stage: at})
}
