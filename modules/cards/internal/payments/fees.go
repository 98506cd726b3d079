package payments

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
)

// noteFee stores the vendor's fee of a payment that is held. The event of a capture has the fee that is known by then; one that is known
// later has an event of its own.
func (s *Reports) noteFee(ctx context.Context, p *store.Payment, units int64) error {
	if units <= 0 || p.FeeInPayout() || units == p.FeeUnits() {
		return nil
	}
	p.Fee = store.AmountOf(units, p.Currency)
	if p.State != cardsapi.PaymentCaptured {
		return nil
	}

	return s.bus.Publish(ctx, cardsapi.PaymentFeeEvent{PaymentAbout: p.About(), Fee: units})
}
