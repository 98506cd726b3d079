package payments

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
)

// idsAtOnce bounds the conditions of a statement.
const idsAtOnce = 200

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

	return s.book.Bus.Publish(ctx, cardsapi.PaymentFeeEvent{PaymentAbout: p.About(), Fee: units})
}

// CloseFees returns the sum of the known fees of payments that are paid out, by the vendor's ids. The others are part of the payout's fees,
// and stay so: a fee that was reported later would count twice.
func (s *Reports) CloseFees(ctx context.Context, account uuid.UUID, vendorIDs []string) (sum int64, err error) {
	for some := range slices.Chunk(vendorIDs, idsAtOnce) {
		rows, err := s.book.Payments.Where(ctx, "account_id = ? AND vendor_id IN ?", account, some)
		if err != nil {
			return sum, err
		}
		for _, row := range rows {
			if row.Fee == "" {
				if row, err = s.book.changePayment(ctx, row.ID, "close_fee", closeFee); err != nil {
					return sum, err
				}
			}
			sum += row.FeeUnits()
		}
	}

	return sum, nil
}

func closeFee(_ context.Context, p *store.Payment) error {
	if p.Fee == "" {
		p.Fee = store.AmountOf(0, p.Currency)
	}

	return nil
}
