package carrierlink

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
)

// What a link is refused with.
var (
	ErrLinkClosed = errs.New(errs.NotFound, "dispatches.link_closed", "This link is no longer valid. Ask for a new one.")
	errNoOffer    = errs.New(errs.Conflict, "dispatches.no_offer", "There is no offer to answer. It was withdrawn, or has been answered.")
)

// A carrier changes an offer or a dispatch by a link so often at most.
const changesPerHour, changesPerDay = 60, 200

// Door lets carriers in by their links.
type Door struct {
	links      *link.Service
	shares     *share.Service
	offers     *resource.Resource[store.Offer]
	dispatches *resource.Resource[store.Dispatch]
	clock      clock.Clock
}

// NewDoor returns a Door.
func NewDoor(
	links *link.Service, shares *share.Service, offers *resource.Resource[store.Offer], dispatches *resource.Resource[store.Dispatch], c clock.Clock,
) *Door {
	return &Door{links, shares, offers, dispatches, c}
}

// Entry is what a link leads to, and when it was entered. The offer is nil for a load that was given without one, the dispatch for one that the carrier
// does not have.
type Entry struct {
	Offer    *store.Offer
	Dispatch *store.Dispatch
	At       time.Time
}

// Enter returns what a link leads to, and the context of its company. It changes nothing.
func (d *Door) Enter(ctx context.Context, text string) (context.Context, Entry, error) {
	ctx, found, err := d.links.Enter(ctx, messages.CarrierLink, text)
	if err != nil {
		return ctx, Entry{}, err
	}
	e, id := Entry{At: d.clock.Now()}, found.Subject.ID
	if found.Subject.Type == dispatchesapi.Offer {
		o, err := d.offers.Find(ctx, id)
		switch {
		case errs.IsRefusal(err) && err != nil, err == nil && o.State == store.Queued:
			return ctx, e, ErrLinkClosed
		case err != nil:
			return ctx, e, err
		}
		if e.Offer = &o; o.Dispatch == nil {
			return ctx, e, nil
		}
		id = *o.Dispatch
	}
	row, err := d.dispatches.Find(ctx, id)
	if errs.IsRefusal(err) && err != nil {
		err = ErrLinkClosed
	}
	e.Dispatch = &row

	return ctx, e, err
}

// enterOffer returns the offer of a link.
func (d *Door) enterOffer(ctx context.Context, text string) (context.Context, store.Offer, error) {
	ctx, e, err := d.Enter(ctx, text)
	switch {
	case err != nil:
		return ctx, store.Offer{}, err
	case e.Offer == nil:
		return ctx, store.Offer{}, errNoOffer
	}

	return ctx, *e.Offer, nil
}

// enterOpen returns the offer of a link, which can be answered still.
func (d *Door) enterOpen(ctx context.Context, text string) (context.Context, store.Offer, error) {
	ctx, o, err := d.enterOffer(ctx, text)
	if err != nil {
		return ctx, o, err
	}

	return ctx, o, o.Ended(d.clock.Now())
}

// EnterLoad is Enter by a carrier that has the load: the dispatch is not nil. Error: store.ErrNoLoad.
func (d *Door) EnterLoad(ctx context.Context, text string) (context.Context, Entry, error) {
	ctx, e, err := d.Enter(ctx, text)
	if err == nil && (e.Dispatch == nil || !e.Dispatch.IsLive()) {
		err = store.ErrNoLoad
	}

	return ctx, e, err
}

// Allow counts what is done with a thing by a link, and refuses what is done too often. Error: link.ErrTooOften.
func (d *Door) Allow(ctx context.Context, thing string, perHour, perDay int64) error {
	return d.shares.AllowEntries(ctx, thing, 1, perHour, perDay)
}

// countChange counts a change of an offer or a dispatch by a link. Error: link.ErrTooOften.
func (d *Door) countChange(ctx context.Context, id uuid.UUID) error {
	return d.Allow(ctx, "changes of "+id.String(), changesPerHour, changesPerDay)
}
