package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
)

func TestEndPay_IsForCarriersThatNoLongerHaveTheirLoads(t *testing.T) {
	t.Parallel()
	cancelled := store.Dispatch{State: store.CancelledByBroker, Currency: "USD"}
	abandoned := store.Dispatch{State: store.CancelledByBroker, Currency: "USD", PickedUpAt: at(-5)}
	paid := store.Dispatch{State: store.CancelledByBroker, Currency: "USD", EndPay: "125.00", EndPayKind: store.TONU, EndPaidAt: at(-1)}
	for name, one := range map[string]struct {
		row    store.Dispatch
		pay    store.EndPay
		want   error
		amount money.Amount
		kind   string
	}{
		"a truck that was not used":        {row: cancelled, pay: store.EndPay{Amount: "150.00"}, amount: "150.00", kind: store.TONU},
		"a part of the way":                {row: abandoned, pay: store.EndPay{Amount: "400.00"}, amount: "400.00", kind: store.PartPay},
		"with its kind":                    {row: cancelled, pay: store.EndPay{Amount: "150.00", Kind: store.TONU}, amount: "150.00", kind: store.TONU},
		"with the other kind":              {row: cancelled, pay: store.EndPay{Amount: "150.00", Kind: store.PartPay}, want: store.ErrInvalidDispatch},
		"nothing takes it away":            {row: cancelled, pay: store.EndPay{Amount: "0.00"}},
		"nothing cannot be paid":           {row: cancelled, pay: store.EndPay{Amount: "0.00", Paid: true}, want: store.ErrInvalidDispatch},
		"less than nothing":                {row: cancelled, pay: store.EndPay{Amount: "-1.00"}, want: store.ErrInvalidDispatch},
		"a tenth of a cent":                {row: cancelled, pay: store.EndPay{Amount: "1.001"}, want: store.ErrInvalidDispatch},
		"more than anyone pays":            {row: cancelled, pay: store.EndPay{Amount: "100000000.01"}, want: store.ErrInvalidDispatch},
		"the most":                         {row: cancelled, pay: store.EndPay{Amount: "100000000.00"}, amount: "100000000.00", kind: store.TONU},
		"no amount at all":                 {row: cancelled, pay: store.EndPay{}, want: store.ErrInvalidDispatch},
		"a carrier that has the load":      {row: store.Dispatch{State: store.Assigned, Currency: "USD"}, pay: store.EndPay{Amount: "150.00"}, want: store.ErrNotEnded},
		"another amount after it was paid": {row: paid, pay: store.EndPay{Amount: "130.00", Paid: true}, want: store.ErrEndPayPaid},
		"the same again":                   {row: paid, pay: store.EndPay{Amount: "125.00", Paid: true}, amount: "125.00", kind: store.TONU},
		"the same, as if it was not paid":  {row: paid, pay: store.EndPay{Amount: "125.00"}, want: store.ErrEndPayPaid},
	} {
		row := one.row
		require.ErrorIs(t, row.SetEndPay(one.pay, noon), one.want, name)
		if one.want == nil {
			require.Equal(t, []any{one.amount, one.kind}, []any{row.EndPay, row.EndPayKind}, name)
		} else {
			require.Equal(t, one.row, row, name)
		}
	}
	row := cancelled
	require.NoError(t, row.SetEndPay(store.EndPay{Amount: "150.00", Paid: true}, noon))
	require.Equal(t, noon, *row.EndPaidAt)
}
