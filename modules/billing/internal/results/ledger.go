package results

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Ledger posts payouts and disputes to the ledger of the seller.
type Ledger struct {
	tables *store.Tables
	house  *books.House
}

// NewLedger returns a Ledger.
func NewLedger(t *store.Tables, h *books.House) *Ledger {
	return &Ledger{tables: t, house: h}
}

// OnPayout posts the fees of a payout.
func (r *Ledger) OnPayout(ctx context.Context, e cardsapi.PayoutPaidEvent) error {
	return r.payout(ctx, e.PayoutAbout, false)
}

// OnPayoutFailed takes back what was posted for a payout that the bank has sent back.
func (r *Ledger) OnPayoutFailed(ctx context.Context, e cardsapi.PayoutFailedEvent) error {
	if !e.WasPaid {
		return nil
	}

	return r.payout(ctx, e.PayoutAbout, true)
}

func (r *Ledger) payout(ctx context.Context, about cardsapi.PayoutAbout, back bool) error {
	seller, err := r.house.Seller(ctx)
	if errs.KindOf(err) == errs.Conflict || err == nil && principal.CompanyOf(ctx) != seller.House {
		return nil
	}
	if err != nil {
		return err
	}

	return r.house.PostPayoutFees(ctx, seller, about, back)
}

// OnDisputed posts that a payment is disputed.
func (r *Ledger) OnDisputed(ctx context.Context, e cardsapi.DisputeOpenedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, ledger.Account{})
}

// OnDisputeWon posts that the seller won a dispute.
func (r *Ledger) OnDisputeWon(ctx context.Context, e cardsapi.DisputeWonEvent) error {
	return r.dispute(ctx, e.DisputeAbout, books.CardAccount)
}

// OnDisputePrevented posts that a dispute was prevented.
func (r *Ledger) OnDisputePrevented(ctx context.Context, e cardsapi.DisputePreventedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, books.CardAccount)
}

// OnDisputeLost posts that the seller lost a dispute.
func (r *Ledger) OnDisputeLost(ctx context.Context, e cardsapi.DisputeLostEvent) error {
	return r.dispute(ctx, e.DisputeAbout, books.ChargebackAccount)
}

// dispute posts what a cardholder disputes, and where it went; no account while that is undecided. The invoice stays paid.
func (r *Ledger) dispute(ctx context.Context, about cardsapi.DisputeAbout, to ledger.Account) error {
	id, ours := charging.RefersTo(about.Payment.Reference, charging.PaymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.house.Customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}
	p, err := r.tables.Payments.Find(as, id)
	if err != nil {
		return err
	}
	currency, err := money.ParseCurrency(about.Amount.Currency)
	if err != nil {
		return err
	}

	return r.tables.DB.InTx(as, func(ctx context.Context) error {
		amount, fee := money.OfUnits(about.Amount.Units, currency), money.OfUnits(about.Fee, currency)
		if err := r.house.PostDispute(ctx, books.InvoiceSource(p.Invoice), about, amount, to); err != nil {
			return err
		}

		return r.house.PostDisputeFee(ctx, books.InvoiceSource(p.Invoice), about.Dispute, fee)
	})
}
