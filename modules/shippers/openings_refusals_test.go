package shippers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenings_AreOfThisCentury(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		_, shipper := call.newShipper(t, "Lee Motors")
		at := call(http.MethodPost, base+"/locations", object{"shipper_uuid": shipper, "name": "Yard", "time_zone": "America/Chicago"}).OK(t).Header.Get("Location")
		call(http.MethodGet, at+"/openings?from=2026-12-07T09:00:00Z", nil).OK(t)
		for _, from := range []string{"1999-12-31T00:00:00Z", "2101-01-01T00:00:00Z"} {
			refused := call(http.MethodGet, at+"/openings?from="+from, nil).Refused(t, http.StatusUnprocessableEntity, "shippers.invalid_time")
			require.NotEmpty(t, refused.Get("errors.from.0").String())
		}
	})
}
