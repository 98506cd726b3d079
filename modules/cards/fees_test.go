package cards

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

func TestFee_ThatIsKnownLaterIsPublishedUntilThePayoutHasIt(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		known, unknown := p.work(ctx, t, p.charge(ctx, t).ID), p.work(ctx, t, p.charge(ctx, t).ID)
		report := func(id string, fee int64) {
			v := cardsapi.VendorPayment{ID: id, State: cardsapi.PaymentCaptured, Amount: known.Money(), Fee: fee, UpdatedAt: p.at.Now()}
			require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
				return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Payment: &v})
			}))
		}
		published := func() int { return count(p.EventNames(t, p.Owner), "cards.payment.fee_known") }
		require.Zero(t, published())
		report(*known.VendorID, 66)
		report(*known.VendorID, 66)
		require.Equal(t, 1, published())
		report(*known.VendorID, 60)
		require.Equal(t, 2, published())

		fees, err := p.closing.CloseFees(ctx, p.account.ID, []string{*known.VendorID, *unknown.VendorID, "another"})
		require.NoError(t, err)
		require.Equal(t, int64(60), fees)
		report(*unknown.VendorID, 66)
		require.Equal(t, 2, published(), "it is part of the payout's fees")
		row, err := p.book.Payments.Find(ctx, unknown.ID)
		require.NoError(t, err)
		require.Equal(t, "0.00", string(row.Fee))
	})
}
