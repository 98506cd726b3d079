package sandbox

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// The ids of the templates that every account has.
const (
	BillOfLading       = "5a1d0000-0000-4000-8000-000000000001"
	TransportAgreement = "5a1d0000-0000-4000-8000-000000000002"
)

// templates are those that every account has.
var templates = []provider.Template{
	{
		ID: BillOfLading, Name: "Bill of lading", Description: "For a vehicle: signed at pickup by the shipper, then by the carrier.",
		Subject: "Bill of lading: please sign", Message: "Please check the vehicle and the places, and sign.", ChangedAt: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC),
		Roles: []provider.Role{
			{Name: "Shipper", Kind: provider.Signer, RoutingOrder: 1, Tabs: []provider.Tab{
				text("load_number", true, 40), text("pickup_address", true, 200), text("delivery_address", true, 200), text("pickup_date", false, 20),
				text("vin", true, 17), text("vehicle", false, 100), checkbox("operable"), list("condition", "good", "damaged", "unknown"),
				fixed("sign_here", "shipper_signature", true), fixed("date_signed", "shipper_date", false),
			}},
			{Name: "Carrier", Kind: provider.Signer, RoutingOrder: 2, Tabs: []provider.Tab{
				text("carrier_name", true, 100), text("usdot_number", false, 8), text("driver_name", false, 100),
				fixed("sign_here", "carrier_signature", true), fixed("date_signed", "carrier_date", false),
			}},
		},
	},
	{
		ID: TransportAgreement, Name: "Transport agreement", Description: "Between a customer and a broker, with a copy to the office.",
		Subject: "Your transport agreement", Message: "Please read the terms, and sign.", ChangedAt: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC),
		Roles: []provider.Role{
			{Name: "Customer", Kind: provider.Signer, RoutingOrder: 1, Tabs: []provider.Tab{
				text("customer_name", true, 100), text("origin", true, 200), text("destination", true, 200), text("price", true, 20),
				text("deposit", false, 20), text("first_available_date", false, 20), required(checkbox("accepts_terms")),
				fixed("initial_here", "customer_initials", true), fixed("sign_here", "customer_signature", true), fixed("date_signed", "customer_date", false),
			}},
			{Name: "Broker", Kind: provider.Signer, RoutingOrder: 2, Tabs: []provider.Tab{
				text("broker_name", false, 100), fixed("sign_here", "broker_signature", true), fixed("date_signed", "broker_date", false),
			}},
			{Name: "Office", Kind: provider.CarbonCopy, RoutingOrder: 3},
		},
	},
}

func text(label string, needed bool, most int) provider.Tab {
	return provider.Tab{Label: label, Type: "text", Required: needed, MaxSize: most, Fillable: true}
}

func checkbox(label string) provider.Tab {
	return provider.Tab{Label: label, Type: "checkbox", Fillable: true}
}

func list(label string, options ...string) provider.Tab {
	return provider.Tab{Label: label, Type: "list", Options: options, Fillable: true}
}

func required(t provider.Tab) provider.Tab {
	t.Required = true

	return t
}

// fixed is a tab that only the signer fills.
func fixed(kind, label string, needed bool) provider.Tab {
	return provider.Tab{Label: label, Type: kind, Required: needed}
}
