package books

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
)

// feeAccount has what vendors of card payments keep. Their fees are the seller's expense, and no business of its customers.
var feeAccount = ledger.Account{Code: "expense:gateway_fees", Kind: ledger.Expense}

// FeePostings are the postings of a fee; of a negative one, which the vendor gives back, their opposite.
func FeePostings(fee money.Money) []ledger.Posting {
	return []ledger.Posting{ledger.Debit(feeAccount, fee), ledger.Credit(CardAccount, fee)}
}

// PostDisputeFee posts what the vendor keeps for a dispute. The first fee that is known counts.
func (h *House) PostDisputeFee(ctx context.Context, source item.Ref, dispute string, fee money.Money) error {
	seller, err := h.Seller(ctx)
	if err != nil {
		return err
	}
	err = h.Post(ctx, seller, Entry{
		Reference: "billing.dispute:" + dispute + ":fee", Kind: "billing_card_fee", Source: source, Postings: FeePostings(fee),
	})
	if errors.Is(err, ledger.ErrReferenceConflict) {
		return nil
	}

	return err
}

// PostPayoutFees posts the fees of a payout that are not those of single payments, or takes them back: those of a later payout are of what came back.
func (h *House) PostPayoutFees(ctx context.Context, s store.Seller, e cardsapi.PayoutAbout, back bool) error {
	currency, err := money.ParseCurrency(e.Gross.Currency)
	if err != nil {
		return err
	}

	reference, units := "billing.payout:"+e.Payout+":fees", e.Fees-e.PaymentFees
	if back {
		reference, units = "billing.payout:"+e.Payout+":back", -units
	}

	return h.Post(ctx, s, Entry{
		Reference: reference, Kind: "billing_card_fee", Source: item.Ref{}, Postings: FeePostings(money.OfUnits(units, currency)),
	})
}
