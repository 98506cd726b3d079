package payments

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Correction has a payment or a refund be what the vendor has.
type Correction struct {
	// ID is ours, uuid.Nil for one that is missing here.
	ID                      uuid.UUID
	Account                 uuid.UUID
	VendorID, VendorPayment string
	Units                   int64 // 0 leaves the amount
	Currency                money.Currency
	// Here is what was compared, nil for what is missing here.
	Here *store.Side
}

// ErrStale says that a row has changed since it was compared.
var ErrStale = errors.New("it has changed since it was compared")

// stale reports whether a row is no longer what was compared.
func (c Correction) stale(state string, units int64, in money.Currency) bool {
	return c.Here == nil || c.Here.State != state || c.Here.Units != units || c.Here.Currency != string(in)
}

// AddPayment stores a payment that was made at the vendor.
func (s *Reports) AddPayment(ctx context.Context, c Correction, to cardsapi.PaymentState) error {
	known, err := s.paymentOf(ctx, c.Account, c.VendorID, "")
	if err != nil {
		return err
	}
	if known != nil {
		return ErrStale
	}
	zero := store.AmountOf(0, c.Currency)
	row, err := s.book.Payments.Create(ctx, store.Payment{
		Account: c.Account, Reference: "vendor:" + c.VendorID, VendorID: &c.VendorID, Note: "Charged at the vendor.",
		Amount: store.AmountOf(c.Units, c.Currency), Currency: c.Currency, Refunded: zero, Disputed: zero,
	})
	if err != nil {
		return err
	}
	row, err = s.book.changePayment(ctx, row.ID, store.VerbAdd, func(ctx context.Context, p *store.Payment) error {
		return s.putPayment(ctx, p, to, "Added by a reconciliation.")
	})
	if err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.PaymentCorrectedEvent{PaymentAbout: row.About(), State: row.State})
}

// putPayment puts a payment into a state whatever its life says.
func (s *Reports) putPayment(ctx context.Context, p *store.Payment, to cardsapi.PaymentState, why string) error {
	if to == p.State {
		return nil
	}
	if err := store.PaymentLife.Put(ctx, s.states, p.State, to, state.Move{
		Verb: store.VerbCorrect, UUID: p.ID, Party: "vendor", Reason: why,
	}); err != nil {
		return err
	}
	p.State, p.Ordered, p.ActionURL, p.GaveUpAt, p.Token, p.Verification = to, "", "", nil, "", ""
	if to == cardsapi.PaymentCaptured && p.CapturedAt == nil {
		now := s.book.now()
		p.CapturedAt = &now
	}

	return nil
}

// CorrectPayment has a payment be what the vendor has. Error: ErrStale.
func (s *Reports) CorrectPayment(ctx context.Context, c Correction, to cardsapi.PaymentState) error {
	var was cardsapi.PaymentState
	row, err := s.book.changePayment(ctx, c.ID, store.VerbCorrect, func(ctx context.Context, p *store.Payment) error {
		if c.stale(string(p.State), p.Units(), p.Currency) {
			return ErrStale
		}
		was = p.State
		if p.VendorID == nil {
			p.VendorID = &c.VendorID
		}
		if c.Units > 0 {
			p.Amount, p.Currency = store.AmountOf(c.Units, c.Currency), c.Currency
		}
		setPaymentFailure(p, failure{})
		if to == cardsapi.PaymentFailed {
			setPaymentFailure(p, newFailure(cardsapi.NotFound, "", "", false, nil))
			p.ReportedAt = new(s.book.now()) // the vendor does not have it: what it reported before says nothing
		}

		return s.putPayment(ctx, p, to, "Corrected by a reconciliation.")
	})
	if err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.PaymentCorrectedEvent{PaymentAbout: row.About(), State: row.State, Was: was})
}

// AddMissingRefund stores a refund that was given at the vendor. A payment that is not here is stale: it is added first.
func (s *Reports) AddMissingRefund(ctx context.Context, c Correction, to cardsapi.RefundState) error {
	of, err := s.paymentOf(ctx, c.Account, c.VendorPayment, "")
	if err != nil {
		return err
	}
	if of == nil {
		return ErrStale
	}
	known, err := first(s.book.Refunds.Where(ctx, "account_id = ? AND vendor_id = ?", c.Account, c.VendorID))
	if err != nil {
		return err
	}
	if known != nil {
		return ErrStale
	}

	return s.addRefund(asService(ctx), *of, cardsapi.VendorRefund{
		ID: c.VendorID, Payment: c.VendorPayment, State: to, Amount: cardsapi.Money{Units: c.Units, Currency: string(c.Currency)},
	})
}

// CorrectRefund has a refund be what the vendor has. Error: ErrStale.
func (s *Reports) CorrectRefund(ctx context.Context, c Correction, to cardsapi.RefundState) error {
	row, err := s.book.Refunds.Find(ctx, c.ID)
	if err != nil {
		return err
	}

	return s.withRefund(ctx, row.Payment, c.ID, store.VerbCorrect, func(ctx context.Context, of store.Payment, r *store.Refund) error {
		if c.stale(string(r.State), r.Units(), r.Currency) {
			return ErrStale
		}
		was := r.State
		if r.VendorID == nil {
			r.VendorID = &c.VendorID
		}
		if c.Units > 0 {
			r.Amount, r.Currency = store.AmountOf(c.Units, c.Currency), c.Currency
		}
		setRefundFailure(r, failure{})
		if to == cardsapi.RefundFailed {
			setRefundFailure(r, newFailure(cardsapi.NotFound, "", "", false, nil))
		}
		if to == was {
			return nil
		}
		if err := store.RefundLife.Put(ctx, s.states, was, to, state.Move{Verb: store.VerbCorrect, UUID: r.ID, Party: "vendor", Reason: "Corrected by a reconciliation."}); err != nil {
			return err
		}
		r.State, r.GaveUpAt = to, nil

		return s.publishRefund(ctx, of, *r, was)
	})
}
