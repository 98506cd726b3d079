package printing

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/document/documenttest"
	"github.com/dispatchd/dispatchd/platform/paper"
)

func contains(t *testing.T, text string, all map[string][]string) {
	t.Helper()
	for what, parts := range all {
		for _, part := range parts {
			require.Contains(t, text, part, what)
		}
	}
}

func TestBill_HasWhatTheLawAndTheTradeRequire(t *testing.T) {
	t.Parallel()
	text := documenttest.Text(t, "Bill of lading", BillExample())
	contains(t, text, map[string][]string{
		"the number, date and load":          {"Bill of lading", "BOL-2026-000001", "December 1, 2026", "Load L-2026-00034"},
		"the broker, who is not the carrier": {"Broker", "Example Auto Transport LLC", "12 Broker Way", "Austin, TX 78701", "USDOT 2233445", "MC-778899"},
		"the carrier":                        {"Carrier", "Haul Example Inc.", "USDOT 1000001", "MC-100001"},
		"consignor and origin":               {"Consignor (origin)", "Lone Star Auto", "1 Main St", "Dallas, TX 75201", "214 555 0143"},
		"consignee and destination":          {"Consignee (destination)", "Sunny Cars", "2 Bay Rd", "Miami, FL 33101", "Cy Ray"},
		"which vehicles":                     {"Vehicle 1: 2003 Honda Accord, blue, VIN 1HGCM82633A004352", "Vehicle 2: 2013 Ford F-150, white, VIN 1FTFW1ET5DFC10312, lot 12, does not run"},
		"their condition at both ends":       {"At the pickup", "Odometer 41,200 mi, keys 2, fuel 3/8", "SC: Scuffed, left", "At the delivery", "Odometer 41,203 mi", "New at the delivery: 14042: Bumper: Dented, minor, front (2 in)", "No damage noted"},
		"who has inspected when":             {"December 1, 2026, 09:00 CST, by Bo Reed"},
		"the signatures with times":          {"Driver", "Bo Reed December 1, 2026, 09:00 CST", "Released by: not available. Night drop", "Received by", "Ann Lee, Manager December 3, 2026, 16:00 EST", "I have received the vehicles."},
		"what was amended":                   {"Amended on December 3, 2026, 15:00 CST", "The odometer was 41,210 mi.", "Why: Misread"},
		"the photos with checksums":          {"vin plate", strings.Repeat("ab", 32), strings.Repeat("cd", 32)},
		"the terms":                          {"Terms", "Claims within nine months."},
		"the code":                           {"Read the current bill of lading"},
		"the page":                           {"BOL-2026-000001 Page 1 of"},
	})
	require.Regexp(t, `Number of .*2`, text)
	require.Equal(t, 1, strings.Count(text, "SC: Scuffed"), "damage of the pickup is not new at the delivery")
}

func TestBill_LeavesOutWhatThereIsNot(t *testing.T) {
	t.Parallel()
	of := example()
	of.report.Terms, of.report.Amendments, of.report.Signatures, of.photos, of.load, of.scan = "", nil, nil, nil, "", ""
	of.report.Vehicles[1].Delivery = nil
	text := documenttest.Text(t, "Bill of lading", of.billModel())
	for _, absent := range []string{"Terms", "Amended", "Photo", "Read the current bill of lading", "I have received"} {
		require.NotContains(t, text, absent)
	}
	require.Contains(t, text, "Not inspected yet")
	require.Contains(t, text, "Released by", "a line to sign on")
}

func TestBill_IsTheSameBytesForTheSameContent(t *testing.T) {
	t.Parallel()
	first, _ := documenttest.Print(t, "Bill of lading", BillExample())
	second, _ := documenttest.Print(t, "Bill of lading", BillExample())
	require.Equal(t, first, second)
}

func TestBill_HasThePhotosThatThereAre(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 12, 9))))
	of := example()
	of.photos = append(of.photos, store.Photo{Stage: store.AtPickup, Subject: "front", SHA256: strings.Repeat("ef", 32)})
	of.open = func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(picture.Bytes())), nil
	}
	text := documenttest.Text(t, "Bill of lading", of.billModel())
	require.Contains(t, text, "pickup, vin plate")
	require.NotContains(t, text, strings.Repeat("ef", 32), "a photo of a vehicle that is not on the bill")

	of.open = func(context.Context, string) (io.ReadCloser, error) { return nil, errors.New("gone") }
	_, warnings := documenttest.Print(t, "Bill of lading", of.billModel())
	require.NotEmpty(t, warnings)
	require.Equal(t, paper.WarnPicture, warnings[0].Code)
}

func TestProof_SaysWhoHasReceivedWhatWhenAndHow(t *testing.T) {
	t.Parallel()
	text := documenttest.Text(t, "Proof of delivery", ProofExample())
	contains(t, text, map[string][]string{
		"the bill of lading": {"Proof of delivery", "Under the bill of lading BOL-2026-000001.", "Load L-2026-00034"},
		"when and where":     {"Delivered on December 3, 2026, 16:00 EST at Miami, FL 33101."},
		"the condition":      {"2003 Honda Accord", "1HGCM82633A004352", "41,203 mi", "exceptions: 1", "2013 Ford F-150", "as at the pickup"},
		"the exceptions":     {"Exceptions", "14042: Bumper: Dented, minor, front (2 in)"},
		"the receiver":       {"Received by", "Ann Lee, Manager December 3, 2026, 16:00 EST"},
		"the photos":         {strings.Repeat("cd", 32)},
	})
	for _, absent := range []string{"SC: Scuffed", "Night drop", strings.Repeat("ab", 32)} {
		require.NotContains(t, text, absent, "of the pickup")
	}
	of := example()
	for i := range of.report.Vehicles {
		of.report.Vehicles[i].Delivery.Damages = nil
	}
	require.Contains(t, documenttest.Text(t, "Proof of delivery", of.proofModel()), "None. No damage was noted at the delivery that was not there at the pickup.")
	for i, d := range []*report.Inspection{{Skipped: "clean"}, {Subject: true}} {
		of.report.Vehicles[i].Delivery = d
	}
	of.bill.Vehicles.V, of.report.Vehicles = of.bill.Vehicles.V[:2], append(of.report.Vehicles, report.Vehicle{Vehicle: store.Vehicle{Make: "Saab"}})
	text = documenttest.Text(t, "Proof of delivery", of.proofModel())
	for _, want := range []string{"not inspected: clean", "subject to inspection", "Saab"} {
		require.Contains(t, text, want)
	}
}

func TestCondition_IsThatOfOneVehicleAtOneStage(t *testing.T) {
	t.Parallel()
	file, warnings := documenttest.Print(t, "Condition report", example().conditionModel(example().bill.Vehicles.V[0].UUID, store.AtPickup))
	require.Empty(t, warnings)
	text := documenttest.Flat(t, file)
	contains(t, text, map[string][]string{
		"the vehicle":   {"2003 Honda Accord", "VIN 1HGCM82633A004352", "blue", "Plate TX 4F5-678"},
		"where":         {"Inspected at the pickup", "Lone Star Auto", "Dallas, TX 75201"},
		"when and who":  {"December 1, 2026, 09:00 CST, by Bo Reed"},
		"the readings":  {"Odometer 41,200 mi, keys 2, fuel 3/8, can be driven", "Left in it: Jack", "Seen when it was wet"},
		"the damage":    {"SC: Scuffed, left"},
		"the signature": {"Driver", "Bo Reed"},
		"the photos":    {strings.Repeat("ab", 32)},
	})
	require.NotContains(t, text, "14042", "found at the delivery")
	require.NotContains(t, text, "F-150")
}

func TestPapers_KeepNamesInEveryScript(t *testing.T) {
	t.Parallel()
	for title, model := range map[string]func(of printed) document.Model{
		"Bill of lading": printed.billModel, "Proof of delivery": printed.proofModel,
		"Condition report": func(of printed) document.Model {
			return of.conditionModel(example().bill.Vehicles.V[0].UUID, store.AtDelivery)
		},
	} {
		documenttest.KeepsNames(t, title, func(name string) document.Model {
			of := example()
			of.report.Consignee.Name, of.report.Carrier.Name = name, name
			of.report.Signatures[3].Name, of.report.Signatures[3].Title = name, ""

			return model(of)
		})
	}
}
