package printing

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// delivered is a bill of lading that was signed at both stages.
func delivered() printed {
	made, signed := time.Date(2026, 12, 1, 15, 0, 0, 0, time.UTC), time.Date(2026, 12, 3, 21, 5, 0, 0, time.UTC)
	car := store.Vehicle{UUID: uuid.New(), VIN: "1HGCM82633A004352", Year: new(int64(2003)), Make: "Honda", Model: "Accord", Color: "blue", Operable: true}
	van := store.Vehicle{UUID: uuid.New(), VIN: "1FTFW1ET5DFC10312", Make: "Ford", Model: "F-150"}
	b := store.Bol{Number: "BOL-2026-000001", State: store.Closed, Terms: "Claims within nine months.", Row: resource.Row{CreatedAt: made}}
	b.Carrier.V = store.Carrier{Name: "Haul Co", USDOT: "1000001", Docket: "MC-77"}
	b.Consignor.V = store.Party{Name: "Lone Star Auto", Address: []string{"1 Main St"}, City: "Dallas", State: "TX", Postal: "75201", Phones: []string{"214 555 0143"}, Zone: "America/Chicago"}
	b.Consignee.V = store.Party{Name: "Sunny Cars", Address: []string{"2 Bay Rd"}, City: "Miami", State: "FL", Postal: "33101", Contact: "Cy Ray", Zone: "America/New_York"}
	b.Vehicles.V = []store.Vehicle{car, van}
	b.Amendments.V = []store.Amendment{{At: signed, Text: "The odometer was 41,210 mi.", Reason: "Misread"}}
	at := func(odometer int64, damages ...report.Damage) *report.Inspection {
		return &report.Inspection{State: store.Submitted, Odometer: &odometer, Unit: "mi", Keys: new(int64(2)), Weather: "dry", Photos: 1, Damages: damages}
	}
	scuff := report.Damage{Code: "SC", Title: "Scuffed", Side: "left"}

	return printed{
		bill: b, broker: "Ship It LLC", load: "L-2026-00001", company: companiesapi.Identity{Address: []string{"9 Oak Ave", "Austin, TX 78701"}, USDOT: "2222222", Docket: "MC-88"},
		photos: []store.Photo{
			{Vehicle: car.UUID, Stage: store.AtPickup, Subject: "vin_plate", TakenAt: &made, SHA256: strings.Repeat("ab", 32)},
			{Vehicle: uuid.New(), Stage: store.AtPickup, Subject: "front", SHA256: strings.Repeat("cd", 32)},
		},
		report: report.Report{
			Number: b.Number, Carrier: b.Carrier.V, Consignor: b.Consignor.V, Consignee: b.Consignee.V, Terms: b.Terms, Amendments: b.Amendments.V,
			Vehicles: []report.Vehicle{
				{Vehicle: car, Pickup: at(41_200, scuff), Delivery: at(42_500, scuff, report.Damage{Code: "14042", Title: "Bumper: Dented, minor", Side: "unknown"})},
				{Vehicle: van},
			},
			Signatures: []report.Signature{
				{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", SignedAt: &made, Zone: "America/Chicago", Statement: "I have received the vehicles."},
				{Stage: store.AtPickup, Role: store.Releasing, Method: store.NotAvailable, Reason: "Night drop"},
				{Stage: store.AtDelivery, Role: store.Receiving, Name: "Ann Lee", SignedAt: &signed, Zone: "America/New_York", Strokes: "M10 10L20 15", Statement: "I have received the vehicles."},
			},
		},
	}
}

func textOf(t *testing.T, of printed, scan string) string {
	t.Helper()
	file, err := paper.Print(of.document(scan))
	require.NoError(t, err)

	return papertest.Text(t, file)
}

func TestPaper_HasWhatTheLawAndTheTradeRequire(t *testing.T) {
	t.Parallel()
	text := textOf(t, delivered(), "")
	for what, lines := range map[string][]string{
		"the number, date and load":          {"Bill of lading BOL-2026-000001", "December 1, 2026", "L-2026-00001"},
		"the broker, who is not the carrier": {"Broker", "Ship It LLC", "9 Oak Ave", "Austin, TX 78701", "USDOT 2222222", "MC-88"},
		"the carrier":                        {"Carrier", "Haul Co", "USDOT 1000001", "MC-77"},
		"consignor and origin":               {"Consignor (origin)", "Lone Star Auto", "1 Main St", "Dallas, TX 75201", "214 555 0143"},
		"consignee and destination":          {"Consignee (destination)", "Sunny Cars", "2 Bay Rd", "Miami, FL 33101", "Cy Ray"},
		"how many vehicles, and which":       {"Number of vehicles", "2", "Vehicle 1: 2003 Honda Accord, blue, VIN 1HGCM82633A004352", "Vehicle 2: Ford F-150, VIN 1FTFW1ET5DFC10312, does not run"},
		"their condition at both ends":       {"At the pickup", "Odometer 41200 mi", "SC: Scuffed, left", "At the delivery", "Odometer 42500 mi", "14042: Bumper: Dented, minor", "Not inspected yet"},
		"the signatures with times":          {"Driver: Bo, December 1, 2026, 09:00 CST", "Released by: not available. Night drop", "Received by: Ann Lee, December 3, 2026, 16:05 EST"},
		"what was amended":                   {"Amended on December 3, 2026, 15:05 CST", "The odometer was 41,210 mi.", "Why: Misread"},
		"the photos with checksums":          {"pickup, 2003 Honda Accord, blue, VIN 1HGCM82633A004352, vin plate", strings.Repeat("ab", 32)},
		"the terms":                          {"Terms", "Claims within nine months."},
		"the page":                           {"Page 1 of 2"},
	} {
		for _, line := range lines {
			require.Contains(t, text, line, what)
		}
	}
	require.NotContains(t, text, strings.Repeat("cd", 32), "a photo of a vehicle that is not on the bill")
}

func TestPaper_LeavesOutWhatThereIsNot(t *testing.T) {
	t.Parallel()
	of := delivered()
	of.report.Terms, of.report.Amendments, of.report.Signatures, of.photos, of.load = "", nil, nil, nil, ""
	text := textOf(t, of, "https://dispatch.example/shared/x")
	for _, absent := range []string{"Terms", "Amended", "Photos, with", "Driver:"} {
		require.NotContains(t, text, absent)
	}
	require.Contains(t, text, "Read the current bill of lading", "beside the QR code")
	require.NotContains(t, textOf(t, of, ""), "Read the current bill of lading")
}

func TestPaper_IsTheSameBytesForTheSameContent(t *testing.T) {
	t.Parallel()
	of := delivered()
	first, err := paper.Print(of.document("https://dispatch.example/shared/x"))
	require.NoError(t, err)
	second, err := paper.Print(of.document("https://dispatch.example/shared/x"))
	require.NoError(t, err)
	require.Equal(t, first, second)
}
