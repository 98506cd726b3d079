package papers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/document/documenttest"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const title = "Rate confirmation"

func TestRateConfirmation_HasWhatTheTradeRequires(t *testing.T) {
	t.Parallel()
	file, warnings := documenttest.Print(t, title, Example())
	require.Empty(t, warnings)
	require.Equal(t, 1, documenttest.Pages(t, file), "one page will do")
	text := documenttest.Flat(t, file)
	for what, parts := range map[string][]string{
		"the letterhead":       {"Letterhead LLC", "12 Broker Way"},
		"load and dispatch":    {"Rate confirmation", "D-2026-00012, revision 1", "Load L-2026-00034", "December 1, 2026"},
		"the broker":           {"Broker", "Example Auto Transport LLC", "USDOT 2233445", "MC-778899", "Phone +12025550100"},
		"the carrier":          {"Carrier", "Haul Example Inc.", "USDOT 1000001", "MC-100001", "Pat Hill", "dispatch@haul.example"},
		"the driver":           {"Sam Reed", "+13055550111", "Unit 12", "Plate TX 1B2-345"},
		"the pay and its plan": {"Carrier pay in all $900.00", "The customer pays the carrier $600.00 in cash at delivery (COD, cash on delivery).", "The broker pays the carrier $300.00 by ACH within 5 business days after the signed bill of lading."},
		"the stops":            {"Pickup", "Dallas, TX 75201", "Big Auction", "1 Main St", "Ann Lee", "Delivery", "Miami, FL 33101", "Sunny Cars", "2 Bay Rd", "Cy Ray"},
		"the days":             {"Pickup on December 3, 2026", "Delivery on December 6, 2026"},
		"the vehicles":         {"2021 Ford F-150", "1FTFW1E50MFA00001", "2003 Honda Accord", "1HGCM82633A004352", "does not run", "The key is in the glove box."},
		"the inspection":       {"Inspection standard"},
		"other facts":          {"About 1,310 miles", "Open trailer", "Purchase order 77-1", "Crate of wheels", "Call the pickup before you come."},
		"no re-brokering":      {"must not re-broker, assign or interline the load"},
		"the terms":            {"Cargo insurance of 100,000 dollars is required."},
		"the acceptance":       {"The carrier accepts this load at $900.00, on these days and terms.", "Pat Hill", "December 1, 2026, 10:00 CST", "Revision 1, by a link, from 192.0.2.7"},
		"the page":             {"Page 1 of 1"},
	} {
		for _, part := range parts {
			require.Contains(t, text, part, what)
		}
	}
}

func TestRateConfirmation_LeavesALineToSignOn(t *testing.T) {
	t.Parallel()
	m, err := confirmation{row: store.Dispatch{Number: "D-1", Revision: 2, Snapshot: rawjson.Object(exampleLoad)}}.model()
	require.NoError(t, err)
	text := documenttest.Text(t, title, m)
	require.Contains(t, text, "Revision 2: not accepted yet")
	require.Contains(t, text, "The carrier has yet to name them.")
}

func TestRateConfirmation_KeepsNamesInEveryScript(t *testing.T) {
	t.Parallel()
	documenttest.KeepsNames(t, title, func(name string) document.Model {
		m, err := confirmation{
			row: store.Dispatch{Number: "D-1", Revision: 1, DriverName: name, Snapshot: rawjson.Object(exampleLoad)}, carrier: carriersapi.Carrier{Name: name},
			broker: companiesapi.Identity{LegalName: name},
		}.model()
		require.NoError(t, err)

		return m
	})
}
