package field_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/field"
)

func TestCountryCode_IsOneOfISO3166(t *testing.T) {
	t.Parallel()
	n := 0
	for _, first := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		for _, second := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			if _, ok := field.CountryCode(string(first) + string(second)); ok {
				n++
			}
		}
	}
	require.Equal(t, 249, n, "as many as the standard has")
	code, ok := field.CountryCode("us")
	require.Equal(t, "US", code)
	require.True(t, ok)
	for _, none := range []string{"", "U", "USA", "840", "ZZ", "XK", "UK", "EU", "SU"} {
		_, ok := field.CountryCode(none)
		require.False(t, ok, none)
	}
}
