package naming_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/naming"
)

func TestReadHeading_TellsTheWordsFromTheUnit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Max payload":              "max payload",
		"max_payload_lb":           "max payload in lb",
		"Max. Payload (lbs)":       "max payload in lb",
		"Weight (lb)":              "weight in lb",
		"Weight [KG]":              "weight in kg",
		"Price, USD":               "price in usd",
		"Price ($)":                "price in usd",
		"Price $":                  "price in usd",
		"Price in EUR":             "price in eur",
		"Length in m":              "length in m",
		"Length m":                 "length m",
		"check_in":                 "check in",
		"Discount %":               "discount in percent",
		"Miles":                    "miles",
		"Loaded miles":             "loaded miles",
		"USD":                      "usd",
		"Load #":                   "load number",
		"Load No.":                 "load number",
		"No show":                  "no show",
		"#":                        "number",
		"PickupDate":               "pickup date",
		"VIN":                      "vin",
		"Date of birth":            "date birth",
		"Driver's name":            "drivers name",
		"driver_uuid":              "driver",
		"uuid":                     "uuid",
		"Driver e-mail":            "driver email",
		"Pickup date (required)":   "pickup date",
		"Pickup (DD.YYYY)":         "pickup",
		"Registration expiration*": "registration expires",
		"Straße":                   "straße",
		"":                         "",
	} {
		h := naming.ReadHeading(name)
		got := strings.Join(h.Words, " ")
		if h.Unit != "" {
			got += " in " + h.Unit
		}
		require.Equal(t, want, got, name)
	}
}
