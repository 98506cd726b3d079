package papers

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Example is a rate confirmation of invented facts, with all that one may have.
func Example() document.Model {
	made := time.Date(2026, time.December, 1, 15, 0, 0, 0, time.UTC)
	accepted := made.Add(time.Hour)
	m, err := confirmation{
		row: store.Dispatch{
			Row: resource.Row{CreatedAt: made}, Number: "D-2026-00012", CarrierPay: "900.00", Currency: "USD", PickupDate: "2026-12-03", DeliveryDate: "2026-12-06",
			ContactName: "Pat Hill", ContactPhone: "+13055550100", ContactEmail: "dispatch@haul.example", DriverName: "Sam Reed", DriverPhone: "+13055550111", Truck: "Unit 12",
			TruckPlate: "TX 1B2-345", Revision: 1, AcceptedRevision: 1, AcceptedBy: "Pat Hill", AcceptedAt: &accepted, AcceptedFrom: "192.0.2.7",
			Terms: "Cargo insurance of 100,000 dollars is required.", Snapshot: rawjson.Object(exampleLoad),
		},
		load: "L-2026-00034", phone: "+12025550100", scan: "https://dispatch.example.com",
		broker: companiesapi.Identity{
			LegalName: "Example Auto Transport LLC", DBA: "Example Transport", USDOT: "2233445", Docket: "MC-778899", Address: []string{"12 Broker Way", "Austin, TX 78701"},
		},
		carrier: carriersapi.Carrier{Name: "Haul Example Inc.", USDOT: "1000001", Docket: "MC-100001", Phone: "+13055550100"},
	}.model()
	if err != nil {
		panic(err) // of exampleLoad, which never changes
	}

	return m
}

const exampleLoad = `{
	"number": "L-2026-00034", "currency": "USD", "miles": 1310, "transport_type": "open", "inspection_type": "standard", "instructions_carrier": "Call the pickup before you come.",
	"references": [{"kind": "po", "value": "77-1"}],
	"vehicles": [
		{"year": 2021, "make": "Ford", "model": "F-150", "vin": "1FTFW1E50MFA00001", "color": "blue", "plate": "TX 4F5-678", "lot_number": "12", "operable": true},
		{"year": 2003, "make": "Honda", "model": "Accord", "vin": "1HGCM82633A004352", "color": "silver", "operable": false, "notes": "The key is in the glove box."}
	],
	"commodities": [{"description": "Crate of wheels", "pieces": 1, "weight_lb": 180}],
	"stops": [
		{"kind": "pickup", "venue": {"name": "Big Auction", "line1": "1 Main St", "city": "Dallas", "state": "TX", "postal_code": "75201", "time_zone": "America/Chicago"},
			"contacts": [{"name": "Ann Lee", "phones": ["+12145550143"]}]},
		{"kind": "delivery", "venue": {"name": "Sunny Cars", "line1": "2 Bay Rd", "city": "Miami", "state": "FL", "postal_code": "33101", "time_zone": "America/New_York"},
			"contacts": [{"name": "Cy Ray", "phones": ["+13055550122"]}]}
	],
	"payment_plan": [
		{"from": "customer", "to": "carrier", "kind": "cod", "amount": "600.00", "method": "cash", "due_event": "delivery"},
		{"from": "broker", "to": "carrier", "kind": "balance", "amount": "300.00", "method": "ach", "due_event": "signed_bol", "due_days": 5, "business_days": true}
	]
}`
