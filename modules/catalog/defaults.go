package catalog

// defaultService is a service that comes with dispatchd. Its version grows when anything else of it changes.
type defaultService struct {
	Code        string `json:"code"`
	Version     int64  `json:"version"`
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Unit        string `json:"unit"`
	Description string `json:"description"`
}

// defaultServices are what companies that move vehicles charge for. They have no prices: those are a company's own.
func defaultServices() []defaultService {
	return []defaultService{
		{"transport", 1, "Vehicle transport", "transport", "vehicle", "Transport of a vehicle on an open trailer."},
		{"transport_per_mile", 1, "Vehicle transport by distance", "transport", "mile", "Transport of a vehicle on an open trailer, by the mile."},
		{"local_tow", 1, "Local tow", "transport", "each", "A tow within the city."},
		{"terminal_delivery", 1, "Delivery to a terminal", "transport", "vehicle", "Delivery to a terminal or port instead of the address."},
		{"enclosed", 1, "Enclosed trailer", "enclosed_upgrade", "vehicle", "Transport in an enclosed trailer."},
		{"top_load", 1, "Top load", "other", "vehicle", "A place on the upper deck."},
		{"liftgate", 1, "Liftgate", "other", "vehicle", "Loading by a liftgate, for a low vehicle."},
		{"oversize", 1, "Oversize vehicle", "other", "vehicle", "A vehicle that takes more than one place, or that is heavier than usual."},
		{"expedite", 1, "Expedited pickup", "expedite", "each", "Pickup within 48 hours."},
		{"guaranteed_pickup", 1, "Guaranteed pickup date", "expedite", "each", "Pickup on the day that was agreed."},
		{"inop", 1, "Inoperable vehicle", "inop", "vehicle", "A vehicle that does not run and is winched."},
		{"no_keys", 1, "No keys", "inop", "vehicle", "A vehicle that comes without keys."},
		{"dry_run", 1, "Dry run", "dry_run", "each", "The carrier came, and the vehicle could not be picked up."},
		{"cancellation", 1, "Cancellation", "dry_run", "each", "The order was cancelled after it was dispatched."},
		{"detention", 1, "Detention", "detention", "hour", "Waiting at pickup or delivery beyond the free time."},
		{"layover", 1, "Layover", "detention", "day", "A day that the truck waits."},
		{"storage", 1, "Storage", "storage", "day", "Storage of a vehicle, by the day."},
		{"gate_fee", 1, "Gate fee", "storage", "each", "Fee of an auction, a port or a yard for the release."},
		{"inspection", 1, "Inspection", "inspection", "vehicle", "An inspection with photos and a report."},
		{"fuel_surcharge", 1, "Fuel surcharge", "fuel", "percent", "Percent of the transport."},
		{"title_handling", 1, "Title handling", "title", "each", "Taking over and sending the title."},
		{"title_shipping", 1, "Title by courier", "title", "each", "Overnight delivery of the title."},
		{"broker_fee", 1, "Broker fee", "other", "each", "The fee of the broker."},
		{"card_fee", 1, "Card fee", "other", "percent", "Percent of what is paid by card."},
		{"insurance_excess", 1, "Additional cargo insurance", "other", "vehicle", "Cover beyond that of the carrier."},
	}
}
