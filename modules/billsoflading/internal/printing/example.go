package printing

import (
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// BillExample is a bill of lading of invented facts, with all that one may have.
func BillExample() document.Model { return example().billModel() }

// ProofExample is its proof of delivery.
func ProofExample() document.Model { return example().proofModel() }

// ConditionExample is how one of its vehicles was found at the delivery.
func ConditionExample() document.Model {
	of := example()

	return of.conditionModel(of.bill.Vehicles.V[0].UUID, store.AtDelivery)
}

// example is a bill of lading that was signed at both stages.
func example() printed {
	made := time.Date(2026, time.December, 1, 15, 0, 0, 0, time.UTC)
	signed := made.Add(54 * time.Hour)
	car := store.Vehicle{UUID: item.ID("0190f6a4-0000-7000-8000-0000000000c1"), VIN: "1HGCM82633A004352", Year: new(int64(2003)), Make: "Honda", Model: "Accord", Color: "blue", Plate: "TX 4F5-678", Operable: true}
	van := store.Vehicle{UUID: item.ID("0190f6a4-0000-7000-8000-0000000000c2"), VIN: "1FTFW1ET5DFC10312", Year: new(int64(2013)), Make: "Ford", Model: "F-150", Color: "white", Lot: "12"}
	b := store.Bol{
		Row: resource.Row{CreatedAt: made}, Number: "BOL-2026-000001", State: store.Closed, Inspection: "advanced", Terms: "Claims within nine months.",
		PickupAt: &made, DeliveryAt: &signed,
	}
	b.Consignor.V = store.Party{Name: "Lone Star Auto", Address: []string{"1 Main St"}, City: "Dallas", State: "TX", Postal: "75201", Phones: []string{"214 555 0143"}, Zone: "America/Chicago"}
	b.Consignee.V = store.Party{Name: "Sunny Cars", Address: []string{"2 Bay Rd"}, City: "Miami", State: "FL", Postal: "33101", Contact: "Cy Ray", Zone: "America/New_York"}
	b.Vehicles.V = []store.Vehicle{car, van}
	scuff := report.Damage{Code: "SC", Title: "Scuffed", Side: "left", X: new(int64(300)), Y: new(int64(500))}
	same := scuff
	same.Existing = true
	dent := report.Damage{Code: "14042", Title: "Bumper: Dented, minor", Side: "front", X: new(int64(500)), Y: new(int64(700)), Note: "2 in"}
	at := func(when time.Time, miles int64, damages ...report.Damage) *report.Inspection {
		return &report.Inspection{
			State: store.Submitted, InspectedAt: &when, Inspector: "Bo Reed", Odometer: &miles, Unit: "mi", Keys: new(int64(2)), Fuel: new(int64(3)), Drivable: "yes", Weather: "wet",
			Loose: "Jack", Photos: 1, Damages: damages,
		}
	}

	return printed{
		bill: b, broker: "Example Auto Transport LLC", load: "L-2026-00034", scan: "https://dispatch.example.com/bills/1",
		company: companiesapi.Identity{Address: []string{"12 Broker Way", "Austin, TX 78701"}, USDOT: "2233445", Docket: "MC-778899"},
		photos: []store.Photo{
			{Vehicle: car.UUID, Stage: store.AtPickup, Subject: "vin_plate", TakenAt: &made, SHA256: strings.Repeat("ab", 32)},
			{Vehicle: car.UUID, Stage: store.AtDelivery, Subject: "front", TakenAt: &signed, SHA256: strings.Repeat("cd", 32)},
		},
		report: report.Report{
			Number: b.Number, Carrier: store.Carrier{Name: "Haul Example Inc.", USDOT: "1000001", Docket: "MC-100001"}, Consignor: b.Consignor.V, Consignee: b.Consignee.V,
			Terms: b.Terms, Amendments: []store.Amendment{{At: signed, Text: "The odometer was 41,210 mi.", Reason: "Misread"}},
			Vehicles: []report.Vehicle{
				{Vehicle: car, Pickup: at(made, 41_200, scuff), Delivery: at(signed, 41_203, same, dent)}, {Vehicle: van, Pickup: at(made, 98_010), Delivery: at(signed, 98_013)},
			},
			Signatures: []report.Signature{
				{Stage: store.AtPickup, Role: store.Driver, Name: "Bo Reed", SignedAt: &made, Zone: "America/Chicago", Statement: "I have received the vehicles."},
				{Stage: store.AtPickup, Role: store.Releasing, Method: store.NotAvailable, Reason: "Night drop"},
				{Stage: store.AtDelivery, Role: store.Driver, Name: "Bo Reed", SignedAt: &signed, Zone: "America/New_York", Statement: "I have delivered the vehicles."},
				{
					Stage: store.AtDelivery, Role: store.Receiving, Name: "Ann Lee", Title: "Manager", SignedAt: &signed, Zone: "America/New_York",
					Strokes: "M40 150L90 40L140 150M60 110L120 110M180 60L180 150L250 150", Statement: "I have received the vehicles.",
				},
			},
		},
	}
}
