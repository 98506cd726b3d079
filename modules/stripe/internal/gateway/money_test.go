package gateway

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

func TestMoney_IsInTheUnitsOfEitherSide(t *testing.T) {
	t.Parallel()
	for in, want := range map[cardsapi.Money]int64{
		{Units: 1250, Currency: "USD"}: 1250, {Units: 1250, Currency: "JPY"}: 1250, {Units: 5, Currency: "ISK"}: 500, {Units: 5, Currency: "UGX"}: 500,
		{Units: 1230, Currency: "KWD"}: 1230, {Units: 7, Currency: "RSD"}: 700, {Units: 7, Currency: "MGA"}: 7, {Units: 1250, Currency: "HUF"}: 1250,
	} {
		amount, err := amountOf(in)
		require.NoError(t, err)
		require.Equal(t, want, amount, in.Currency)
		require.Equal(t, in, moneyOf(amount, in.Currency))
	}
	_, err := amountOf(cardsapi.Money{Units: 1235, Currency: "KWD"})
	require.Error(t, err)
}
