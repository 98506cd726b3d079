package invoicing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
)

func TestSplitCredit_TakesTheBalanceFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		paid, credited  string
		balance, amount string
		state           store.InvoiceStatus
		total, refund   string
		refused         error
	}{
		{name: "open", paid: "0.00", credited: "0.00", balance: "100.00", amount: "30.00", total: "30.00", refund: "0.00"},
		{name: "all of an open one", paid: "0.00", credited: "30.00", balance: "70.00", total: "70.00", refund: "0.00"},
		{name: "paid", paid: "100.00", credited: "0.00", balance: "0.00", amount: "30.00", state: store.InvoicePaid, total: "30.00", refund: "30.00"},
		{name: "too much", paid: "100.00", credited: "30.00", balance: "0.00", amount: "70.01", state: store.InvoicePaid, refused: store.ErrInvalidCredit},
		{name: "nothing left", paid: "0.00", credited: "100.00", balance: "0.00", state: store.InvoiceCredited, refused: store.ErrNotCreditable},
		{name: "written off", paid: "0.00", credited: "0.00", balance: "0.00", state: store.InvoiceLost, refused: store.ErrNotCreditable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := store.Invoice{Total: "100.00", Currency: "USD", State: test.state}
			i.Paid, i.Credited, i.Balance = money.Amount(test.paid), money.Amount(test.credited), money.Amount(test.balance)
			total, refund, err := splitCredit(i, money.Amount(test.amount))
			if test.refused != nil {
				require.ErrorIs(t, err, test.refused)

				return
			}
			require.NoError(t, err)
			require.Equal(t, money.Amount(test.total), total.Amount)
			require.Equal(t, money.Amount(test.refund), refund.Amount)
		})
	}
}
