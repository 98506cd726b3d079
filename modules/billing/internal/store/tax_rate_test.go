package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/identity"
)

func TestRatesFor_AreThoseOfTheAddressAndTheDay(t *testing.T) {
	t.Parallel()
	all := []TaxRate{
		{Code: "qst", Percent: "9.975", Country: "CA", State: "QC"},
		{Code: "gst", Percent: "5.00", Country: "CA", Until: "2027-07-01"},
		{Code: "gst", Percent: "6.00", Country: "CA", From: "2027-07-01"},
		{Code: "tx", Percent: "8.25", Country: "US", State: "TX"},
	}
	quebec := identity.Address{Country: "ca", State: "qc"}
	require.Equal(t, []terms.Rate{{Code: "gst", Percent: "5.00"}, {Code: "qst", Percent: "9.975"}}, RatesFor(all, quebec, "2027-06-30"))
	require.Equal(t, []terms.Rate{{Code: "gst", Percent: "6.00"}, {Code: "qst", Percent: "9.975"}}, RatesFor(all, quebec, "2027-07-01"))
	require.Empty(t, RatesFor(all, identity.Address{Country: "US"}, "2027-07-01"))
}
