package identity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProfile_IsBroughtIntoOneForm(t *testing.T) {
	t.Parallel()
	var c complaints
	got := c.profile(Profile{LegalName: " Blue ", USDOTNumber: " 1234567 ", MCNumber: "mc654321", Address: Address{Country: "us"}})
	require.NoError(t, c.result())
	require.Equal(t, Profile{
		LegalName: "Blue", USDOTNumber: "1234567", MCNumber: "MC-654321", Address: Address{Country: "US"}, TimeZone: "UTC", Currency: "USD",
	}, got)
}

func TestProfile_NamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	for field, p := range map[string]Profile{
		"legal_name":      {LegalName: strings.Repeat("x", 201)},
		"dba":             {DBA: "a\nb"},
		"usdot_number":    {USDOTNumber: "123456789"},
		"mc_number":       {MCNumber: "AB-1"},
		"address.country": {Address: Address{Country: "USA"}},
		"address.city":    {Address: Address{City: "\x00"}},
		"time_zone":       {TimeZone: "Local"},
		"currency":        {Currency: "XX"},
	} {
		var c complaints
		c.profile(p)
		require.Error(t, c.result(), field)
		require.Contains(t, c.err.Fields, field)
		require.Len(t, c.err.Fields, 1)
	}
}
