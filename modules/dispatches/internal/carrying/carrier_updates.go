package carrying

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ErrInvalidUpdate refuses an update of a carrier.
var ErrInvalidUpdate = errs.New(errs.Invalid, "dispatches.invalid_update", "The given data was invalid.")

// CarrierUpdates takes what carriers report of loads that they have.
type CarrierUpdates struct {
	dispatches *resource.Resource[store.Dispatch]
	clock      clock.Clock
}

// NewCarrierUpdates returns a CarrierUpdates.
func NewCarrierUpdates(dispatches *resource.Resource[store.Dispatch], c clock.Clock) *CarrierUpdates {
	return &CarrierUpdates{dispatches, c}
}

// Update says who comes, and when. What is empty or nil stays.
func (u *CarrierUpdates) Update(ctx context.Context, id uuid.UUID, crew store.Crew, pickup, delivery *time.Time) error {
	_, err := u.dispatches.Change(ctx, id, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Dispatch) error {
		crew.ApplyTo(row)
		was := *row
		row.ETAPickup, row.ETADelivery = cmp.Or(pickup, row.ETAPickup), cmp.Or(delivery, row.ETADelivery)
		if wrong := row.CheckETAs(was, u.clock.Now(), ErrInvalidUpdate); len(wrong.Fields) > 0 {
			return wrong
		}

		return nil
	})

	return err
}

// Confirmation is that of a carrier to a revision of the terms, by a person with an address.
type Confirmation struct {
	Revision      int64
	Name, Address string
}

// Confirm accepts the terms of a dispatch, if the revision that was read is the current one. Errors: store.ErrNoLoad, store.ErrTermsChanged.
func (u *CarrierUpdates) Confirm(ctx context.Context, id uuid.UUID, c Confirmation) error {
	_, err := u.dispatches.Change(ctx, id, web.IfMatch{}, store.VerbConfirm, func(_ context.Context, row *store.Dispatch) error {
		now := u.clock.Now()
		switch {
		case !row.IsLive():
			return store.ErrNoLoad
		case row.Revision != c.Revision:
			return store.ErrTermsChanged
		case row.AcceptedRevision < row.Revision:
			row.AcceptedRevision, row.AcceptedPay, row.AcceptedAt = row.Revision, row.CarrierPay, &now
			row.AcceptedBy, row.AcceptedFrom = strings.TrimSpace(c.Name), c.Address
		}

		return nil
	})

	return err
}
