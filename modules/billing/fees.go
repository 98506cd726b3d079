package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// feeAccount has what vendors of card payments keep. Their fees are the seller's expense, and no business of its customers.
var feeAccount = ledger.Account{Code: "expense:gateway_fees", Kind: ledger.Expense}

// feePostings are the postings of a fee; of a negative one, which the vendor gives back, their opposite.
func feePostings(fee money.Money) []ledger.Posting {
	return []ledger.Posting{ledger.Debit(feeAccount, fee), ledger.Credit(cardAccount, fee)}
}

// noteKnownFee posts the vendor's fee of a payment; 0 is not known yet.
func (c *charges) noteKnownFee(ctx context.Context, p payment, units int64) error {
	if units == 0 {
		return nil
	}

	return c.noteFee(ctx, p, units)
}

// noteFee posts the vendor's fee of a payment, which is held: the difference to what was posted before, which is what the row has.
func (c *charges) noteFee(ctx context.Context, p payment, units int64) error {
	fee := money.OfUnits(units, p.Currency)
	before := money.Zero(p.Currency)
	if p.Fee != "" {
		before.Amount = p.Fee
	}
	change, err := fee.Sub(before)
	if err != nil || change.Sign() == 0 {
		return err
	}
	p, err = c.tables.Payments.Change(asService(ctx), p.ID, web.IfMatch{}, verbFee, func(_ context.Context, p *payment) error {
		p.Fee = fee.Amount

		return nil
	})
	if err != nil {
		return err
	}
	seller, err := c.house.seller(ctx)
	if err != nil {
		return err
	}

	return c.house.post(ctx, seller, entry{
		reference: paymentRef(p, "fee"), kind: "billing_card_fee", source: sourceOf(p.Invoice), postings: feePostings(change),
	})
}

// paymentRef is the reference of something that happened to a payment. It has the version: a payment that is corrected is captured twice.
func paymentRef(p payment, what string) string {
	return fmt.Sprintf("billing.payment:%s:%s:%d", p.ID, what, p.Version)
}

// postDisputeFee posts what the vendor keeps for a dispute. The first fee that is known counts.
func (h *house) postDisputeFee(ctx context.Context, source item.Ref, dispute string, fee money.Money) error {
	seller, err := h.seller(ctx)
	if err != nil {
		return err
	}
	err = h.post(ctx, seller, entry{
		reference: "billing.dispute:" + dispute + ":fee", kind: "billing_card_fee", source: source, postings: feePostings(fee),
	})
	if errors.Is(err, ledger.ErrReferenceConflict) {
		return nil
	}

	return err
}

// postPayoutFees posts the fees of a payout that are not those of single payments, or takes them back: those of a later payout are of what came back.
func (h *house) postPayoutFees(ctx context.Context, s seller, e cardsapi.PayoutAbout, back bool) error {
	currency, err := money.ParseCurrency(e.Gross.Currency)
	if err != nil {
		return err
	}

	reference, units := "billing.payout:"+e.Payout+":fees", e.Fees-e.PaymentFees
	if back {
		reference, units = "billing.payout:"+e.Payout+":back", -units
	}

	return h.post(ctx, s, entry{
		reference: reference, kind: "billing_card_fee", source: item.Ref{}, postings: feePostings(money.OfUnits(units, currency)),
	})
}
