package partypapers

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

// printed is the text of a paper.
func printed(t *testing.T, m document.Model) (string, []paper.Warning) {
	t.Helper()
	p := paper.Paper{Title: "Paper", Number: m.Number, Date: m.Date, Created: m.Created}
	for _, part := range m.Parts {
		p.Blocks = append(p.Blocks, part.Blocks...)
	}
	file, warnings, err := paper.New().PDF(t.Context(), p)
	require.NoError(t, err)

	return strings.Join(strings.Fields(papertest.Text(t, file)), " "), warnings
}

func TestAgreement_SaysWhatTheLawAndTheTradeAskFor(t *testing.T) {
	t.Parallel()
	text, warnings := printed(t, ExampleAgreement())
	require.Empty(t, warnings)
	for _, want := range []string{
		"L-2026-00034", "Example Auto Transport LLC", "USDOT 2233445", "MC-778899", "a broker and not the carrier", "Ann Lee", "Honda Accord", "1HGCM82633A004352", "Does not run",
		"Dallas, TX 75201", "Miami, FL 33101", "estimate", "December 3, 2026", "$1,100.00", "Deposit, to us at booking", "$200.00", "You pay to the carrier at delivery", "$900.00",
		"Storage, two days", "refunded", "Terms version 1", "electronic signature", "Signed electronically, by link", "192.0.2.7", "December 1, 2026",
	} {
		require.Contains(t, text, want)
	}
}

func TestAgreement_NamesPeopleInTheirScripts(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]string{"Łukasz Żółć": "", "Иван Петров": "", "Νίκος Παπάς": "", "דוד כהן": "", "شركة النقل": "", "王小明": "", "Ann 🜚": "🜚"} {
		a := agreed{
			load:   loadsapi.CustomerView{Number: "L-1", Tariff: "1.00", Currency: "USD"},
			broker: companiesapi.Identity{LegalName: "Acme"}, customer: contactsapi.Contact{Name: name},
		}
		text, warnings := printed(t, a.model(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)))
		if missing == "" {
			require.Contains(t, text, name)
			require.Empty(t, warnings)
		} else {
			require.Equal(t, missing, warnings[0].Characters)
		}
		require.Contains(t, text, "Name and date", "it can be signed by hand")
	}
}

func TestSheet_LeavesOutWhatCarriersSeeOnlyOnceTheyHaveTheLoad(t *testing.T) {
	t.Parallel()
	text, _ := printed(t, ExampleSheet())
	for _, want := range []string{"L-2026-00034", "Example Auto Transport LLC", "Honda Accord", "Dallas, TX 75201", "$900.00", "The customer pays you at delivery", "once the load is accepted"} {
		require.Contains(t, text, want)
	}
	s := sheet{load: loadsapi.CarrierView{
		Number: "L-1", CarrierPay: "900.00", Currency: "USD", ForCarrier: "Call first",
		Stops: []loadsapi.CarrierStop{{
			Kind: "pickup", Venue: loadsapi.CarrierVenue{Line1: "1 Main St", City: "Dallas", State: "TX"}, Contacts: []loadsapi.ViewContact{{Name: "Bob", Phones: []string{"+12145550143"}}},
		}},
		Vehicles: []loadsapi.CarrierVehicle{{Make: "BMW", Model: "X6", VIN: "5UXFG43519L221111"}},
	}, broker: companiesapi.Identity{LegalName: "Acme"}}
	text, _ = printed(t, s.model(time.Time{}))
	for _, want := range []string{"1 Main St", "Bob", "5UXFG43519L221111", "Call first"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "once the load is accepted")
}
