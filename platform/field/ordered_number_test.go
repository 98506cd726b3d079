package field

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestOrderedNumber_SortsAsTheNumbersDo(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(i int64) string { return strconv.FormatInt(i, 10) }),
		rapid.Custom(func(t *rapid.T) string {
			text := rapid.StringMatching(`-?[0-9]{1,18}(\.[0-9]{1,18})?`).Draw(t, "decimal")
			normal, err := NormalDecimal(text, FractionDigits)
			require.NoError(t, err)

			return normal
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, ok := new(big.Rat).SetString(a)
		require.True(t, ok)
		y, ok := new(big.Rat).SetString(b)
		require.True(t, ok)
		require.Equal(t, x.Cmp(y), strings.Compare(OrderedNumber(a), OrderedNumber(b)))
	})
}

func TestOrderedNumber_IsOfOneWidth(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0", "-1", "9223372036854775807", "-9223372036854775808", "-0.000000000000000001"} {
		require.Len(t, OrderedNumber(number), 1+IntegerDigits+FractionDigits)
	}
}
