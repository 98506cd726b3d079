package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func vinOf(n uint64) string {
	dst := make([]byte, vinLength)
	putVIN(dst, n)

	return string(dst)
}

func TestCheckDigit_AgreesWithKnownNumbers(t *testing.T) {
	t.Parallel()
	for _, known := range []string{"1M8GDM9AXKP042788", "11111111111111111", "5GZCZ43D13S812715"} {
		require.Equal(t, string(known[vinCheck]), string(checkDigit([]byte(known))), known)
	}
}

func TestPutVIN_MakesAValidNumber(t *testing.T) {
	t.Parallel()
	for _, n := range []uint64{0, 1, 12345678, 123456789, 9_999_999_999_999} {
		vin := vinOf(n)
		require.Len(t, vin, 17)
		require.False(t, strings.ContainsAny(vin, "IOQ"))
		require.Equal(t, vin[vinCheck], checkDigit([]byte(vin)))
	}
}

func TestPutVIN_NeverRepeats(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n := uint64(99_990_000); n < 100_010_000; n++ {
		seen[vinOf(n)] = true
	}
	require.Len(t, seen, 20_000)
}

func TestPutPrice_HasFiveDigitsAndTwo(t *testing.T) {
	t.Parallel()
	dst := make([]byte, 8)
	putPrice(dst, 0)
	require.Equal(t, "10000.00", string(dst))
	putPrice(dst, 101)
	require.Regexp(t, `^[1-9]\d{4}\.01$`, string(dst))
}
