package exchange

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
)

// proposed returns the keys of the fields that headings go to, "" for nowhere.
func proposed(t *testing.T, fields []collection.Field, headings ...string) (keys, doubts []string) {
	t.Helper()
	for i := range fields {
		fields[i].ID, fields[i].Settable = fields[i].Key, true
	}
	row := importRow{Header: headings, Mapping: make([]target, len(headings))}
	row.propose(described{Description: collection.Description{Fields: fields}})
	for i, to := range row.Mapping {
		keys, doubts = append(keys, string(to)), append(doubts, row.Rules[i].Doubt)
	}

	return keys, doubts
}

// weighed is a field of weights whose numbers are in pounds.
func weighed(t *testing.T, key string) collection.Field {
	t.Helper()
	for _, typ := range field.Types(100) {
		if typ.Name != "weight" {
			continue
		}
		values := typ.New()
		require.NoError(t, values.Check())

		return collection.Field{Key: key, Type: typ.Name, Cell: values.CSV, Read: values.FromCSV, Check: func(raw []byte) ([]byte, error) {
			parsed, err := values.Parse(raw)

			return parsed.JSON, err
		}}
	}
	t.Fatal("there is no such type")

	return collection.Field{}
}

func TestPropose_MatchesHeadingsByTheirWords(t *testing.T) {
	t.Parallel()
	fields := func() []collection.Field {
		return []collection.Field{
			{Key: "unit", Label: "Unit", Type: "text"},
			{Key: "vin", Label: "VIN", Type: "vin"},
			{Key: "max_payload_lb", Label: "Max payload lb", Type: "integer"},
			{Key: "price", Label: "Price", Type: "decimal"},
			{Key: "driver_uuid", Label: "Driver", Type: "reference"},
			{Key: "pickup_date", Label: "Pickup date", Type: "date"},
			{Key: "loaded", Label: "Loaded", Type: "boolean"},
			{Key: "registration_expires", Label: "Registration expires", Type: "date"},
			{Key: "email", Label: "Email", Type: "email"},
			weighed(t, "weight"),
		}
	}
	for heading, want := range map[string]string{
		"unit": "unit", "Unit #": "unit", "UNIT NO.": "unit", "VIN Number": "vin", "Max payload": "max_payload_lb", "Max. Payload (lbs)": "max_payload_lb",
		"Max payload (kg)": "", "Price, USD": "price", "Price ($)": "price", "Driver name": "driver_uuid", "Driver e-mail": "driver_uuid", "Pickup": "pickup_date",
		"Pickup time": "", "Pickup address": "", "Loaded (mi)": "", "Registration expiration": "registration_expires", "E-mail address": "email",
		"Weight (lb)": "weight", "Weight (kg)": "", "Weight": "weight", "Gross weight": "", "Color": "",
	} {
		keys, _ := proposed(t, fields(), heading)
		require.Equal(t, []string{want}, keys, heading)
	}
	_, doubts := proposed(t, fields(), "Weight (kg)")
	require.Equal(t, []string{"The column is in kg, and the field weight in lb. Map it if its cells name their unit."}, doubts)
}

func TestPropose_LeavesOutWhatIsAmbiguousAndSaysSo(t *testing.T) {
	t.Parallel()
	keys, doubts := proposed(t, []collection.Field{{Key: "weight_lb", Type: "integer"}, {Key: "weight_kg", Type: "integer"}}, "Weight", "Weight (kg)")
	require.Equal(t, []string{"", "weight_kg"}, keys)
	require.Equal(t, "The column is ambiguous: it may go to weight_lb or weight_kg. Say which.", doubts[0])

	keys, doubts = proposed(t, []collection.Field{{Key: "price", Type: "decimal"}}, "Price, USD", "Price, EUR")
	require.Equal(t, []string{"", ""}, keys)
	require.Equal(t, `The column is ambiguous: "Price, USD" and "Price, EUR" may go to price. Say which.`, doubts[0])

	keys, doubts = proposed(t, []collection.Field{{Key: "price", Type: "decimal"}}, "Price, USD", "price")
	require.Equal(t, []string{"", "price"}, keys)
	require.Equal(t, "The column may go to price, which another column is nearer to.", doubts[0])

	keys, _ = proposed(t, []collection.Field{{Key: "driver", Type: "reference"}}, "Driver name", "Driver email")
	require.Equal(t, []string{"", ""}, keys)
}
