package field_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/field"
)

func TestReadableNumber_IsTheReverseOfOrderedNumber(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0", "7", "-7", "12.5", "-12.05", "9223372036854775807", "-9223372036854775808", "-0.000000000000000001", "999999999999999999.999999999999999999"} {
		require.Equal(t, number, field.ReadableNumber(field.OrderedNumber(number), 0))
		require.Equal(t, number, field.ReadableNumber(number, 0))
	}
	require.Equal(t, "-7.00", field.ReadableNumber(field.OrderedNumber("-7"), 2))
	require.Equal(t, "7.50", field.ReadableNumber("7.5000", 2))
}

func TestSumParts_CoverEveryDigitOnce(t *testing.T) {
	t.Parallel()
	parts := field.SumParts("n")
	exponents := make([]int, len(parts))
	for i, p := range parts {
		exponents[i] = p.Exponent
	}
	require.Equal(t, []int{18, 9, 0, -9, -18}, exponents)
	require.Equal(t, "CASE WHEN n < '1' THEN CAST(substr(n, 2, 1) AS INTEGER) - 9 ELSE CAST(substr(n, 2, 1) AS INTEGER) END", parts[0].Expr)
	require.Contains(t, parts[4].Expr, "substr(n, 30, 9)")
}
