package robot

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/money"
)

func TestTenthMore_IsInWholeUnitsOfTheCurrency(t *testing.T) {
	t.Parallel()
	for amount, want := range map[money.Amount]money.Amount{"900.00": "990.00", "0.05": "0.05", "0.10": "0.11", "1": "1.10"} {
		more, err := tenthMore(amount, "USD")
		require.NoError(t, err)
		require.Equal(t, want, more, amount)
	}
	_, err := tenthMore("much", "USD")
	require.Error(t, err)
}
