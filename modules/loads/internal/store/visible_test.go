package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Whoever adds a field to a load says who sees it.
func TestVisibility_IsSaidOfEveryFieldOfALoadAndItsParts(t *testing.T) {
	t.Parallel()
	for _, part := range []any{Load{}, Stop{}, Venue{}, Person{}, route.Window{}, Vehicle{}, Commodity{}, Charge{}, plan.Line{}, reference{}} {
		for f := range reflect.TypeOf(part).Fields() {
			if f.Anonymous {
				continue
			}
			seen, said := f.Tag.Lookup("seen")
			require.Truef(t, said, "%T.%s does not say by whom it is seen", part, f.Name)
			for who := range strings.FieldsSeq(seen) {
				require.Containsf(t, []string{"-", string(sight.Customer), string(sight.Carrier), string(sight.Bidder)}, who, "%T.%s", part, f.Name)
			}
		}
	}
}

// secretive is a load with a word of its own in every field that not everybody may see.
func secretive() Load {
	from, to := uuid.New(), uuid.New()
	l := Load{Number: "L-1", Private: "private words", ForCarrier: "carrier words", HoldNote: "hold words", Currency: "USD", Tariff: "1100.00", CarrierPay: "900.00", BrokerFee: "200.00"}
	l.Stops.V = []Stop{{UUID: from, Kind: Pickup, Contacts: []Person{{Name: "Gate Keeper", Phones: []field.Phone{"+12145550143"}}}, Notes: "stop words", Venue: Venue{City: "Dallas", State: "TX", PostalCode: "75201", Line1: "1 Secret St", Name: "Lot 4"}}, {UUID: to, Kind: Delivery}}
	l.Vehicles.V = []Vehicle{
		{UUID: uuid.New(), VIN: "1HGCM82633A004352", Make: "Honda", GatePass: "pass words", Lot: "lot words", Tariff: "1100.00", CarrierPay: "900.00", BrokerFee: "200.00", Notes: "car words", Custody: Waiting},
		{UUID: uuid.New(), Make: "Gone", Custody: Removed},
	}
	l.Charges.V = []Charge{{Kind: "fuel", Amount: "50.00", Payer: Customer, Payee: Carrier, Description: "their charge"}, {Kind: "other", Amount: "75.00", Payer: Broker, Payee: Carrier, Description: "our cost"}}
	l.Plan.V = []plan.Line{{From: Customer, To: Broker, Kind: "deposit", Amount: "201.00"}, {From: Customer, To: Carrier, Kind: "cod", Amount: "901.00"}, {From: Broker, To: Carrier, Kind: "topup", Amount: "11.00"}}
	l.References.V = []reference{{Kind: "po", Value: "reference words"}}

	return l
}

// Walk 10 of the trade: before it has accepted, a carrier sees no street, contact, VIN, lot or gate pass; and nobody sees another party's money.
func TestVisibility_ShowsEachPartyItsOwnAlone(t *testing.T) {
	t.Parallel()
	whole := secretive()
	before, err := json.Marshal(whole)
	require.NoError(t, err)
	all := []string{
		"private words", "carrier words", "hold words", "stop words", "Gate Keeper", "12145550143", "1 Secret St", "Lot 4", "1HGCM82633A004352", "pass words", "lot words",
		"car words", "reference words", "1100.00", "900.00", "200.00", "their charge", "our cost", "201.00", "901.00", "11.00", "Gone",
	}
	for who, sees := range map[sight.Party][]string{
		sight.Customer: {"Gate Keeper", "12145550143", "1 Secret St", "Lot 4", "1HGCM82633A004352", "lot words", "1100.00", "their charge", "201.00", "901.00"},
		sight.Carrier:  {"carrier words", "stop words", "Gate Keeper", "12145550143", "1 Secret St", "Lot 4", "1HGCM82633A004352", "pass words", "lot words", "car words", "reference words", "900.00", "901.00", "11.00"},
		sight.Bidder:   {"900.00", "901.00", "11.00"},
	} {
		text, err := json.Marshal(whole.VisibleTo(who))
		require.NoError(t, err)
		require.Contains(t, string(text), "Dallas", who)
		for _, word := range all {
			if slices.Contains(sees, word) {
				require.Containsf(t, string(text), word, "%s sees %s", who, word)
			} else {
				require.NotContainsf(t, string(text), word, "%s does not see %s", who, word)
			}
		}
	}
	after, err := json.Marshal(whole)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after), "the load itself is as it was")
}
